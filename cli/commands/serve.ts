import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { IoFailed, UsageError } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { PATHS } from '../../generator/tree/paths.js';
import { portOption } from '../options/common-options.js';
import { type Io, say } from '../terminal/io.js';
import { shortPath } from '../terminal/paths.js';
import { serveUntilStopped } from '../terminal/until-stopped.js';

/** `passport-registry serve` */
export function declareServe(command: Command, io: Io) {
  command
    .description("serve a tree on this machine, with the tree's own configuration")
    .argument('[dir]', 'folder of the tree', 'dist')
    .addOption(portOption(8080));
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
