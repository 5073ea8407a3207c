import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { type AppOptions, sandboxApp } from './app.js';
import { type IssuerOptions, SandboxIssuer } from './issuer.js';

export type { AppOptions } from './app.js';
export type { IssuerOptions, Minted, SandboxIssuer } from './issuer.js';

/** The options of a sandbox issuer. */
export interface SandboxOptions extends IssuerOptions, AppOptions {
  /** The port on 127.0.0.1. Default: a free port. */
  readonly port?: number;
}

/** A running sandbox issuer. */
export interface Sandbox {
  /** The URL of the server on this machine, such as `http://127.0.0.1:8787`. */
  readonly address: string;
  readonly issuer: SandboxIssuer;
  /** Stops the server. Keys and passports are lost. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox issuer on this machine, for experiments. The issuer gives a passport to every agent that proves
 * possession of its key.
 *
 * @throws the system error, such as `EADDRINUSE`, if the server cannot listen on the port
 *
 * @example
 * ```ts
 * import { startSandbox } from 'passport-registry/sandbox';
 *
 * const sandbox = await startSandbox({ operatorToken: 'for this example' });
 * const metadata = await (await fetch(`${sandbox.address}/.well-known/openid-configuration`)).json();
 * console.log(metadata.issuer_id); // playground
 * await sandbox.close();
 * ```
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const issuer = await SandboxIssuer.create(options);
  const { fetch } = sandboxApp(issuer, options);
  const server = await waitUntilListening(serve({ fetch, hostname: '127.0.0.1', port: options.port ?? 0 }));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    issuer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

function waitUntilListening(server: ServerType): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    if (server.listening) resolve(server);
    else server.once('listening', () => resolve(server));
  });
}
