import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { IoFailed } from '../errors.js';
import { readIfThere } from '../files/read-file.js';
import { untilStopped } from './terminal/until-stopped.js';

const HOST = '127.0.0.1';

/**
 * Serves a tree as the `serve` package does, with its two parts and the tree's own serve.json, until the process is told to
 * stop.
 *
 * @param onListening - called with the address, once something answers there
 * @throws the system's error when nothing can listen at the port
 */
export async function serveTree(
  folder: string,
  port: number,
  onListening: (address: string) => void,
): Promise<void> {
  // Not at the start: the other commands need no server.
  const [{ createServer }, { default: handler }, { default: compression }] = await Promise.all([
    import('node:http'),
    import('serve-handler'),
    import('compression'),
  ]);
  const configuration = configurationOf(folder);
  const compress = compression();
  const server = createServer((request, response) => {
    compress(request, response, () => {
      handler(request, response, { ...configuration, public: resolve(folder), etag: true }).catch(() =>
        response.destroy(),
      );
    });
  });
  await once(server.listen(port, HOST), 'listening');
  onListening(`http://${HOST}:${(server.address() as AddressInfo).port}`);
  await untilStopped((stop) => once(stop, 'abort'));
  server.close().closeAllConnections();
}

/** What the tree's own serve.json says; nothing where there is none. */
function configurationOf(folder: string): object {
  const text = readIfThere(folder, 'serve.json')?.toString() ?? '{}';
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new IoFailed(`the serve.json of ${folder} is not JSON: ${(cause as Error).message}`, { cause });
  }
}
