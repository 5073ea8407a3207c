import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Files, sha256 } from './publication.js';
import { listen } from './serving.js';

/** A host of a registry on loopback whose files and manners can change while it runs. */
export interface RegistryHost {
  readonly base: string;
  files: Files;
  /** Answers a request itself, and says so by true. */
  intercept: (path: string, request: IncomingMessage, response: ServerResponse) => boolean;
  /** The paths that were asked for, with the status that was given. */
  readonly log: string[];
}

export async function registryHost(files: Files = new Map()): Promise<RegistryHost> {
  const host: RegistryHost = {
    base: await listen((request, response) => {
      const path = (request.url ?? '/').slice(1);
      response.once('finish', () => host.log.push(`${path} ${response.statusCode}`));
      if (host.intercept(path, request, response)) return;
      const body = host.files.get(path);
      if (body === undefined) {
        response.writeHead(404).end();
        return;
      }
      const etag = `"${sha256(body)}"`;
      if (request.headers['if-none-match'] === etag) response.writeHead(304, { ETag: etag }).end();
      else response.writeHead(200, { ETag: etag, 'Content-Type': 'application/json' }).end(body);
    }),
    files,
    intercept: () => false,
    log: [],
  };
  return host;
}
