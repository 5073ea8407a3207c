import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { PATHS } from '../../generator/tree/paths.js';
import { shortPath } from '../command-line.js';
import { portNumber } from '../options/values.js';
import { startServer } from '../static-server.js';
import { type Invocation, say } from '../terminal/io.js';
import { run } from '../terminal/run.js';
import { serveUntilStopped } from '../terminal/until-stopped.js';
import { addCommands } from './add-commands.js';

/** `passport-registry serve` */
export function declareServe(command: Command, io: Invocation): void {
  command
    .description("serve a tree on this machine, with the tree's own configuration")
    .argument('[dir]', 'folder of the tree', 'dist')
    .option('--port <number>', 'port to listen on', '8080')
    .action((folder: string, { port }: { port: string }) =>
      run(io, false, async () => {
        const number = portNumber(port);
        if (!existsSync(join(folder, PATHS.list))) {
          throw new UsageError(`there is no tree in ${folder}; make one with \`passport-registry build\``);
        }
        return serveAndSay(io, folder, number);
      }),
    );
  addCommands(command, io, {
    gate: {
      summary: 'answer gateways, which ask before each request',
      example: 'serve gate --config gate.yaml',
      isWithoutSettings: true,
      load: async () => (await import('./gate.js')).declareGate,
    },
  });
}

/** Serves a tree until the process is told to stop, and says where. @throws {@link IoFailed} if the port is not free */
export async function serveAndSay(io: Invocation, folder: string, port: number): Promise<undefined> {
  await serveUntilStopped(startServer(folder, port), { port }, ({ url }) => {
    say(io, `${shortPath(folder)} is served at ${url}`);
    say(io, 'Press Ctrl+C to stop.');
  });
  return undefined;
}
