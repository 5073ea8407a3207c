import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { type AppOptions, sandboxApp } from './app.js';
import { type IssuerOptions, SandboxIssuer } from './issuer.js';

/** The options of a sandbox issuer. */
export interface SandboxOptions extends IssuerOptions, AppOptions {
  /** Default: a free port. */
  readonly port?: number;
}

/** A running sandbox issuer. */
export interface Sandbox {
  /** The base address on this machine, such as `http://127.0.0.1:8787`. */
  readonly address: string;
  readonly issuer: SandboxIssuer;
  /** Stops the server. Keys and passports are lost. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox issuer on this machine, for trying things out. It gives a passport to anyone who proves to have a key.
 *
 * @throws the system's error if the port is in use
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
  const server = await listening(serve({ fetch, hostname: '127.0.0.1', port: options.port ?? 0 }));
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

function listening(server: ServerType): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    if (server.listening) resolve(server);
    else server.once('listening', () => resolve(server));
  });
}
