import { once } from 'node:events';
import type { Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';

/** A server that listens. */
export interface HttpServer {
  /** The URL, such as `http://127.0.0.1:8181`. */
  readonly address: string;
  /** Accepts no connection any more, answers the requests that have begun, and ends. */
  close(): Promise<void>;
}

/** How long requests that have begun may take at the end. */
const END_MS = 10_000;
/** How often the end looks for connections that no request uses any more. */
const IDLE_MS = 100;

/**
 * Starts a server for a service that strangers or gateways ask. The servers of this machine alone, `serve` and `sandbox`,
 * do not need a graceful end.
 *
 * @param app - what answers requests, such as an application of Hono
 * @param place - port 0: a free port
 * @throws the error of the system, such as `EADDRINUSE`, if it cannot listen
 */
export async function startHttpServer(
  { fetch }: Pick<Parameters<typeof createAdaptorServer>[0], 'fetch'>,
  { host, port }: { readonly host: string; readonly port: number },
  { maxConnections, ...limits }: ServerOptions & { readonly maxConnections?: number },
): Promise<HttpServer> {
  const server = createAdaptorServer({ fetch, serverOptions: limits }) as Server;
  // By default, Node.js drops what follows the first 1,000 headers, such as a second Authorization. The limit of bytes stays.
  server.maxHeadersCount = 0;
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  await once(server.listen(port, host), 'listening');
  return { address: urlOf(server.address() as AddressInfo), close: () => end(server) };
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
    const late = setTimeout(() => server.closeAllConnections(), END_MS);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    });
  });
}
