import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { temporaryFolder } from './workspace.js';

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts a TCP server with its own handler for connections. Returns the port. */
export function rawHost(onConnection: (socket: Socket) => void): Promise<number> {
  return portOf(
    createServer((socket) => {
      socket.on('error', () => undefined);
      onConnection(socket);
    }),
  );
}

/** Starts a TLS server with a self-signed certificate. Returns the port. */
export function selfSignedHost(): Promise<number> {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...options, '-subj', '/CN=other.example', '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return portOf(
    createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => response.end()),
  );
}
