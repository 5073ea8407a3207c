import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { IoFailed, UsageError } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { PATHS } from '../../generator/tree/paths.js';
import { shortPath } from '../command-line.js';
import { jsonLog } from '../gate/log.js';
import { portOption } from '../options/common-options.js';
import { type Io, say } from '../terminal/io.js';
import { serveUntilStopped } from '../terminal/until-stopped.js';
import { addCommands, type Run } from './add-commands.js';

/** `passport-registry serve` */
export function declareServe(command: Command, io: Io, run: Run) {
  command
    .description("serve a tree on this machine, with the tree's own configuration")
    .argument('[dir]', 'folder of the tree', 'dist')
    .addOption(portOption(8080));
  addCommands(command, run, {
    gate: {
      summary: 'answer gateways, which ask before each request',
      examples: ['serve gate --config gate.yaml', 'serve --config gate.yaml gate'],
      isWithoutSettings: true,
      load: async () => declareGate,
    },
  });
  return async (folder: string, { port }: { port: number }) => {
    if (!existsSync(join(folder, PATHS.list))) {
      throw new UsageError(`there is no tree in ${folder}; make one with \`passport-registry build\``);
    }
    return serveAndSay(io, folder, port);
  };
}

/** Serves a tree until the process is told to stop, and says where. @throws {@link IoFailed} if the port is not free */
export async function serveAndSay(io: Io, folder: string, port: number): Promise<void> {
  await serveUntilStopped(startServer(folder, port), { port }, ({ url }) => {
    say(io, `${shortPath(folder)} is served at ${url}`);
    say(io, 'Press Ctrl+C to stop.');
  });
}

/** `passport-registry serve gate` */
function declareGate(command: Command, io: Io) {
  command
    .description('answer gateways such as nginx, which ask before each request whether to admit it')
    .option('--config <file>', 'settings of the door, such as gate.yaml');
  // The option of the program takes precedence.
  return (_own: object, command: Command) => serveGate(io, command.optsWithGlobals()['config']);
}

async function serveGate(io: Io, file: string | undefined): Promise<void> {
  if (file === undefined)
    throw new UsageError('serve gate needs --config with its settings, such as gate.yaml');
  // Imported on demand, because the other commands need no server.
  const [{ loadGateSettings }, { startGate }] = await Promise.all([
    import('../gate/settings.js'),
    import('../gate/start-gate.js'),
  ]);
  const settings = loadGateSettings(file);
  const log = jsonLog(io);
  const { port, gateway, profiles } = settings;
  const started = startGate(settings, io, log).then(({ address, close }) => ({
    address,
    close: () => {
      log('info', 'stopping');
      return close();
    },
  }));
  await serveUntilStopped(started, { port, setting: 'listen' }, ({ address }) =>
    log('info', 'listening', { address, gateway, profiles: Object.keys(profiles) }),
  );
}

const HOST = '127.0.0.1';

/**
 * Serves a tree as the package `serve` does, with the same two packages and the tree's own serve.json, but in this
 * process, which gives the same errors and exit codes as the other commands.
 *
 * @param port - 0 for any free port
 * @throws the system error if the server can't listen on the port
 */
export async function startServer(
  folder: string,
  port: number,
): Promise<{ readonly url: string; close(): void }> {
  // Imported on demand, because the other commands need no server.
  const [{ createServer }, { default: handler }, { default: compression }] = await Promise.all([
    import('node:http'),
    import('serve-handler'),
    import('compression'),
  ]);
  const configuration = readConfiguration(folder);
  const compress = compression();
  const server = createServer((request, response) => {
    const abort = () => response.destroy();
    const files = {
      // A file can go between the look at it and its opening, as when a build replaces the tree.
      createReadStream: (path: string, range?: object) => createReadStream(path, range).on('error', abort),
    };
    compress(request, response, () => {
      const options = { ...configuration, public: resolve(folder), etag: true };
      handler(request, response, options, files).catch(abort);
    });
  });
  await once(server.listen(port, HOST), 'listening');
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () => server.close().closeAllConnections(),
  };
}

/** Reads the tree's own serve.json; an empty configuration if the file does not exist. */
function readConfiguration(folder: string): object {
  const text = readIfReadable(folder, 'serve.json')?.toString() ?? '{}';
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new IoFailed(`the serve.json of ${folder} is not JSON: ${(cause as Error).message}`, { cause });
  }
}
