import { readFileSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { certificate } from './certificate.js';
import { afterEachFile } from './endings.js';
import { temporaryFolder } from './workspace.js';

const servers: Server[] = [];
const sockets = new Set<Socket>();
const workers: Worker[] = [];
afterEachFile(async () => {
  for (const worker of workers.splice(0)) await worker.terminate();
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

/** A host in a thread of its own, so that it works while the test blocks its own thread. */
const CLOSING_HOST = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
let socket;
const server = createServer((one) => {
  socket = one.on('error', () => undefined);
  one.on('data', () => one.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok'));
});
parentPort.on('message', () => socket.end(() => {
  Atomics.store(workerData, 0, 1);
  Atomics.notify(workerData, 0);
}));
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** A host that closes an idle connection when a test says so. */
interface ClosingHost {
  readonly base: string;
  /** Returns once the host has closed the connection. No event is handled meanwhile. */
  closeWhileBusy(): void;
}

/** Starts a host that responds with `ok`. */
export async function closingHost(): Promise<ClosingHost> {
  const closed = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(CLOSING_HOST, { eval: true, workerData: closed });
  workers.push(worker);
  const port = await new Promise((resolve) => worker.once('message', resolve));
  return {
    base: `http://127.0.0.1:${port}`,
    closeWhileBusy: () => {
      Atomics.store(closed, 0, 0);
      worker.postMessage('close');
      Atomics.wait(closed, 0, 0);
    },
  };
}

/** Starts a TLS server with a self-signed certificate. Returns the port. */
export function selfSignedHost(): Promise<number> {
  const folder = temporaryFolder();
  certificate(folder, 'other', 'other.example');
  const [key, cert] = ['key', 'pem'].map((kind) => readFileSync(join(folder, `other.${kind}`)));
  return portOf(createHttps({ key, cert }, (_request, response) => response.end()));
}
