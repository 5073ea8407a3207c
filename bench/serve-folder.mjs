import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** Serves a folder on this machine, and counts the requests and the bytes of the bodies. */
export async function serveFolder(folder) {
  let count = { requests: 0, bytes: 0, paths: [] };
  const server = createServer(({ url }, response) => {
    const path = url.slice(1).split('?')[0];
    const file = join(folder, path);
    count.requests += 1;
    count.paths.push(path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    const body = readFileSync(file);
    count.bytes += body.length;
    return response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    base: `http://127.0.0.1:${server.address().port}`,
    /** Returns what was served since the last call. */
    served: () => {
      const before = count;
      count = { requests: 0, bytes: 0, paths: [] };
      return before;
    },
    close: () => server.close().closeAllConnections(),
  };
}
