import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { startServer } from '../../build/cli/commands/serve.js';
import { afterEachFile } from './endings.js';
import { CLI } from './paths.js';
import { cleanEnvironment } from './workspace.js';

const servers: Server[] = [];
const trees: { close(): void }[] = [];
const children: ChildProcess[] = [];

afterEachFile(() => {
  for (const child of children.splice(0)) child.kill();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  for (const tree of trees.splice(0)) tree.close();
});

/** Starts an HTTP server on loopback. Returns its URL. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  // On a busy machine, a client would send a request over a connection that the server has just closed.
  server.keepAliveTimeout = 120_000;
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  sig: 'text/plain; charset=utf-8',
  jwt: 'application/jwt',
};

/** Returns the content type of a path in a tree. */
export function contentTypeOf(path: string): string {
  if (/(?:^|\/)(?:SHA256SUMS|sums\/[^/]+)$/.test(path)) return 'text/plain';
  return TYPES[path.split('.').at(-1) ?? ''] ?? 'application/json';
}

/**
 * Starts a web server that is not configured for registries. Returns its URL.
 *
 * @param notFound - the file that it serves in place of a missing file
 * @param alter - changes the bytes of a file before they are sent; undefined makes the file missing
 */
export function plainHost(
  folder: string,
  notFound: string,
  alter: (path: string, bytes: Buffer) => Buffer | undefined = (_path, bytes) => bytes,
): Promise<string> {
  return listen((request, response) => {
    const path = decodeURI((request.url ?? '').replace(/\?.*/, ''));
    const file = `${folder}${path.endsWith('/') ? `${path}index.html` : path}`;
    const bytes = existsSync(file) && statSync(file).isFile() ? alter(path, readFileSync(file)) : undefined;
    const type = bytes === undefined ? 'text/html' : contentTypeOf(file);
    response.writeHead(bytes === undefined ? 404 : 200, { 'Content-Type': type });
    // A page may still ask when the folder of its test is gone.
    const missing = join(folder, notFound);
    response.end(bytes ?? (existsSync(missing) ? readFileSync(missing) : ''));
  });
}

/** Serves a tree as `passport-registry serve` does, but one file with the type of plain text. Returns the URL. */
export async function mistypedHost(folder: string, path: string): Promise<string> {
  const tree = await serve(folder);
  return listen(async (request, response) => {
    const answer = await fetch(tree + request.url);
    const headers = Object.fromEntries(answer.headers);
    // `fetch` has decompressed it.
    delete headers['content-encoding'];
    delete headers['content-length'];
    if (request.url === `/${path}`) headers['content-type'] = 'text/plain';
    response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
  });
}

/** A host of a tree that holds back the list, or what `held` matches, until a test releases it. @param alter - as of {@link plainHost} */
export async function slowHost(
  folder: string,
  alter?: Parameters<typeof plainHost>[2],
  held = /issuers\.json$/,
): Promise<{ readonly base: string; readonly release: () => void }> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tree = await plainHost(folder, '404.html', alter);
  const base = await listen(async (request, response) => {
    if (held.test(request.url ?? '')) await released;
    const { status, headers, body } = await fetch(tree + request.url);
    response.writeHead(status, { 'Content-Type': headers.get('content-type') ?? '' });
    response.end(body && Buffer.from(await new Response(body).arrayBuffer()));
  });
  return { base, release };
}

/** The next port to try: below the ports that systems give to those who ask for any port. */
let nextPort = 12_000 + 1_000 * Number(process.env['VITEST_POOL_ID'] ?? 0);

/**
 * Returns a free port on loopback that no other test uses, in this run or in another one on the same machine: each port is
 * reserved by a UDP socket of the same number, which the system closes when this process ends.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    if ((await reserve(port)) && (await isUnused(port))) return port;
  }
}

/** Reserves a port. Returns false if another process has reserved it. */
function reserve(port: number): Promise<boolean> {
  const socket = createSocket({ type: 'udp4' }).unref();
  return new Promise((resolve) => {
    socket.once('error', () => socket.close(() => resolve(false)));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}

/** Returns whether nobody listens on a port. */
async function isUnused(port: number): Promise<boolean> {
  const server = createTcpServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (isFree) await new Promise((resolve) => server.close(resolve));
  return isFree;
}

/** Serves a tree as `passport-registry serve` does, in this process. Returns the URL. */
export async function serve(folder: string): Promise<string> {
  const server = await startServer(folder, 0);
  trees.push(server);
  return server.url;
}

/** Starts `passport-registry sandbox` in a folder. Returns its URL once it answers. */
export function sandboxIn(folder: string, ...args: string[]): Promise<string> {
  return serverIn(folder, 'sandbox', ...args);
}

/** Starts a command that serves, in a folder. Returns its URL once it answers. */
export async function serverIn(folder: string, command: string, ...args: string[]): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [CLI, command, '--port', String(port), ...args], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: 'ignore',
  });
  children.push(child);
  return untilAnswering(`http://127.0.0.1:${port}`, child);
}

/** Waits until a server answers at a URL. Returns the URL. */
export async function untilAnswering(base: string, child: ChildProcess): Promise<string> {
  const answers = () =>
    fetch(base).then(
      () => true,
      () => false,
    );
  await untilReady(answers, child);
  return base;
}

/** Waits until a process is ready, however long this machine takes. Fails if the process ends. */
export async function untilReady(isReady: () => Promise<boolean>, child: ChildProcess): Promise<void> {
  // The time limit of the test ends sooner.
  for (let waitedMs = 0; waitedMs < 300_000; waitedMs += 50) {
    if (await isReady()) return;
    if (child.exitCode !== null || child.signalCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${child.spawnargs.join(' ')} does not answer (exit code: ${child.exitCode})`);
}
