import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { type WitnessService, witnessApp } from './app.js';

/** Where a witness listens. */
interface ListenOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
}

/** A running witness. */
interface RunningWitness {
  /** The URL of the server on this machine. */
  readonly address: string;
  /** Stops the server after the requests that are under way, or after a few seconds. */
  close(): Promise<void>;
}

/** The limits for clients. A request is small, so whoever needs longer is no log. */
const CLIENT_LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 1000,
};
const MAX_CONNECTIONS = 1000;
/** How long requests that are under way may take after the stop, in milliseconds. */
const STOP_MS = 5000;
/** How often the key of the log is read again, in milliseconds, so that a key that has been replaced stops counting. */
const REFRESH_MS = 5 * 60_000;

/**
 * Starts the service of a witness.
 *
 * @throws the system error, such as `EADDRINUSE`, if the server cannot listen on the port
 */
export async function startWitness(service: WitnessService, where: ListenOptions): Promise<RunningWitness> {
  const { fetch } = witnessApp(service);
  const server = await waitUntilListening(
    serve({ fetch, hostname: where.host, port: where.port, serverOptions: CLIENT_LIMITS }),
  );
  const refreshing = setInterval(() => refresh(service), REFRESH_MS);
  return {
    address: urlOf(server),
    close: async () => {
      clearInterval(refreshing);
      await close(server);
    },
  };
}

/** Returns the URL of a server that listens. */
export function urlOf(server: Pick<ServerType, 'address'>): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function refresh({ logs, report }: WitnessService): void {
  logs.refresh().catch((cause: Error) => report(`the key of the log cannot be read: ${cause.message}`));
}

function waitUntilListening(server: ServerType): Promise<ServerType> {
  if ('maxConnections' in server) server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    if (server.listening) resolve(server);
    else server.once('listening', () => resolve(server));
  });
}

function close(server: ServerType): Promise<void> {
  const closeAll = () => 'closeAllConnections' in server && server.closeAllConnections();
  const timer = setTimeout(closeAll, STOP_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    if ('closeIdleConnections' in server) server.closeIdleConnections();
  });
}
