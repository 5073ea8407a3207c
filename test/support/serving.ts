import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { CLI } from './paths.js';
import { cleanEnvironment } from './workspace.js';

const servers: Server[] = [];
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children.splice(0)) child.kill();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Starts an HTTP server on loopback. Returns its URL. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  atom: 'application/atom+xml',
  txt: 'text/plain',
  sig: 'text/plain; charset=utf-8',
};

/** Returns the content type of a path in a tree. */
export function contentTypeOf(path: string): string {
  if (path.endsWith('SHA256SUMS')) return 'text/plain';
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
    response.end(bytes ?? readFileSync(join(folder, notFound)));
  });
}

/** Returns a port on loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts `passport-registry serve` for a folder. Returns its URL once it answers. */
export async function serve(folder: string): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [CLI, 'serve', folder, '--port', String(port)], {
    env: cleanEnvironment(),
    stdio: 'ignore',
  });
  children.push(child);
  return answering(`http://127.0.0.1:${port}`);
}

/** Starts `passport-registry sandbox` in a folder. Returns its URL once it answers. */
export async function sandboxIn(folder: string, ...args: string[]): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [CLI, 'sandbox', '--port', String(port), ...args], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: 'ignore',
  });
  children.push(child);
  return answering(`http://127.0.0.1:${port}`);
}

/** Waits until a server answers at a URL. Returns the URL. */
export async function answering(base: string): Promise<string> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(base).catch(() => undefined);
    if (response !== undefined) return base;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the server does not answer');
}
