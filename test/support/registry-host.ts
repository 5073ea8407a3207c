import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Files } from './publication.js';
import { listen } from './serving.js';
import { sha256 } from './sha256.js';
import { together } from './statements.js';

/** A registry host on loopback. Its statements may be taken apart. Its files and its behaviour can change while it runs. It ignores queries. */
export interface RegistryHost {
  readonly base: string;
  files: Files;
  /** Handles a request. Returns true if it sent a response. */
  intercept: (path: string, request: IncomingMessage, response: ServerResponse) => boolean;
  /** The path and the response status of all requests. */
  readonly log: string[];
}

export async function registryHost(files: Files = new Map()): Promise<RegistryHost> {
  const host: RegistryHost = {
    base: await listen((request, response) => {
      const path = (request.url ?? '/').slice(1);
      response.once('finish', () => host.log.push(`${path} ${response.statusCode}`));
      if (host.intercept(path, request, response)) return;
      // Static hosts ignore a query.
      const body = together(host.files).get(path.replace(/\?.*/, ''));
      if (body === undefined) {
        response.writeHead(404).end();
        return;
      }
      const etag = `"${sha256(body)}"`;
      if (request.headers['if-none-match'] === etag) response.writeHead(304, { ETag: etag }).end();
      else response.writeHead(200, { ETag: etag, 'Content-Type': 'application/json' }).end(body);
    }),
    files,
    intercept: UP,
    log: [],
  };
  return host;
}

/** Answers every request with 503. */
export const DOWN: RegistryHost['intercept'] = (_path, _request, response) => {
  response.writeHead(503).end();
  return true;
};

/** Leaves every request to the host. */
export const UP: RegistryHost['intercept'] = () => false;
