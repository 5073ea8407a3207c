import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { PATHS } from '../../generator/tree/paths.js';
import { cannotListen, portNumber } from '../options/port-number.js';
import { serveTree } from '../static-server.js';
import type { Invocation } from '../terminal/io.js';
import { say } from '../terminal/output.js';
import { run } from '../terminal/run.js';

/** `passport-registry serve` */
export function addServeCommand(program: Command, io: Invocation): void {
  program
    .command('serve')
    .description("serve a tree on this machine, with the tree's own configuration")
    .argument('[dir]', 'folder of the tree', 'dist')
    .option('--port <number>', 'port to listen on', '8080')
    .action((folder: string, { port }: { port: string }) =>
      run(io, false, async () => {
        const number = portNumber(port);
        if (!existsSync(join(folder, PATHS.list))) {
          throw new UsageError(`there is no tree in ${folder}; make one with \`passport-registry build\``);
        }
        const served = serveTree(folder, number, (url) => {
          say(io, `${folder} is served at ${url}`);
          say(io, 'Press Ctrl+C to stop.');
        });
        await served.catch((cause: NodeJS.ErrnoException) => {
          throw cause.syscall === 'listen' ? cannotListen(number, cause) : cause;
        });
        return undefined;
      }),
    );
}
