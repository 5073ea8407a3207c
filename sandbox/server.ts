import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { type AppOptions, sandboxApp } from './app.js';
import { type IssuerOptions, SandboxIssuer } from './issuer.js';

/** How a sandbox issuer is started. */
export interface SandboxOptions extends IssuerOptions, AppOptions {
  /** Default: one that is free. */
  readonly port?: number;
}

/** A sandbox issuer that answers. */
export interface Sandbox {
  /** Where it answers: `http://127.0.0.1:8787`. */
  readonly address: string;
  readonly issuer: SandboxIssuer;
  /** Stops it. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox issuer on this machine, for trying things out: it gives a passport to whoever proves to have a key.
 *
 * @throws the system's error when the port is taken
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
