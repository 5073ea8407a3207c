import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { httpSource } from 'passport-registry';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { closingHost, rawHost, selfSignedHost } from '../../support/bad-hosts.js';
import { freePort, listen, plainHost } from '../../support/serving.js';
import { cli, workspace, writeFiles } from '../../support/workspace.js';

/** Makes the pauses before another request, which are up to two seconds, a twentieth as long. Deadlines are longer. */
beforeAll(() => {
  const { setTimeout } = globalThis;
  const shortened = (run: () => void, after = 0) => setTimeout(run, after <= 2000 ? after / 20 : after);
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(shortened as typeof setTimeout);
  return () => spy.mockRestore();
});

/** Reads a file from a host. */
async function read(base: string): Promise<string> {
  const file = await httpSource(base).get('SHA256SUMS');
  return Buffer.from(file?.bytes ?? []).toString();
}

/** Answers a request by its number, which begins with 1, or leaves it to the host. */
type Fail = (response: ServerResponse, count: number) => unknown;

/** A host that answers with `ok` unless it fails. Counts the requests. */
async function host(fail: Fail): Promise<{ readonly base: string; readonly requests: () => number }> {
  let count = 0;
  const base = await listen((_request, response) => {
    count += 1;
    if (fail(response, count) !== true) response.end('ok');
  });
  return { base, requests: () => count };
}

const busy = (response: ServerResponse, retryAfter: string, status = 429) => {
  response.writeHead(status, { 'Retry-After': retryAfter }).end();
  return true;
};

describe('a file is read from a host that', () => {
  it.each<[string, number, Fail]>([
    ['resets the first connection', 2, (response, count) => count === 1 && !!response.destroy()],
    [
      'resets a connection in the middle of a file',
      2,
      (response, count) => {
        if (count !== 1) return false;
        response.writeHead(200, { 'Content-Length': '100' }).write('{');
        setTimeout(() => response.destroy(), 200);
        return true;
      },
    ],
    [
      'is starting, until a date',
      3,
      (response, count) => count <= 2 && busy(response, new Date(Date.now() + 1000).toUTCString(), 503),
    ],
    ['is busy three times, for a second each', 4, (response, count) => count <= 3 && busy(response, '1')],
    ['answers 502 at first', 2, (response, count) => count === 1 && !!response.writeHead(502).end()],
  ])('%s', async (_what, expected, fail) => {
    const { base, requests } = await host(fail);
    expect([await read(base), requests()]).toEqual(['ok', expected]);
  });

  it('has closed an idle connection during long work', async () => {
    const { base, closeWhileBusy } = await closingHost();
    for (let round = 0; round < 30; round++) {
      expect(await read(base)).toBe('ok');
      closeWhileBusy();
      // The work can end in any phase of the event loop.
      for (let turn = 10; turn <= round; turn += 10) await setImmediate();
    }
  });
});

describe('a host that stays busy is given up', () => {
  it.each<[string, number, Fail]>([
    ['at once if it asks to wait for longer than a minute', 1, (response) => busy(response, '3600')],
    [
      'once the pauses for one file would be longer than a minute together',
      2,
      (response, count) => busy(response, count === 1 ? '0' : '60'),
    ],
    [
      'after three requests if it does not say for how long',
      3,
      (response) => !!response.writeHead(503).end(),
    ],
  ])('%s, and the error says so', async (_what, expected, fail) => {
    const { base, requests } = await host(fail);
    await expect(read(base)).rejects.toMatchObject({
      code: 'ERR_IO_FAILED',
      message: expect.stringMatching(`given up after ${expected} request`),
    });
    expect(requests()).toBe(expected);
  });
});

it('a response that grows beyond the limit of its path when it is decompressed is refused', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const base = await listen((_request, response) =>
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
  );
  await expect(httpSource(base).get('statements.json')).rejects.toMatchObject({
    code: 'ERR_IO_FAILED',
    message: expect.stringContaining('1048576 bytes'),
  });
});

const http = async (port: Promise<number>) => `http://127.0.0.1:${await port}`;
const https = async (port: Promise<number>) => `https://127.0.0.1:${await port}`;

describe('a network failure is named in words:', () => {
  it.each<[string, () => Promise<string>, RegExp]>([
    [
      'a host of plain HTTP by https',
      async () => (await listen((_request, response) => response.end())).replace('http:', 'https:'),
      /does not speak TLS/,
    ],
    ['a host of TLS by http', () => http(selfSignedHost()), /closed the connection|does not speak HTTP/],
    ['a certificate that nobody has issued', () => https(selfSignedHost()), /does not trust the certificate/],
    ['a port on which nothing listens', () => http(freePort()), /refused the connection/],
    ['a name that is not there', async () => 'http://registry.invalid', /was not found/],
    [
      'a host of another protocol',
      () => http(rawHost((socket) => socket.end('220 hello\r\n'))),
      /does not speak HTTP/,
    ],
    [
      'a host that hangs up',
      () => http(rawHost((socket) => socket.once('data', () => socket.destroy()))),
      /closed the connection/,
    ],
    [
      'a host that hangs up before it is asked',
      () => http(rawHost((socket) => socket.destroy())),
      /closed the connection|did not respond in time/,
    ],
  ])('%s', async (_what, start, words) => {
    await expect(read(await start())).rejects.toMatchObject({
      code: 'ERR_IO_FAILED',
      message: expect.stringMatching(words),
    });
  });
});

let folder: string;
let tree: string;
beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  await cli(['build', '--key', 'key.pem'], folder);
  const { stdout } = await cli(['keys', 'public', 'key.pem'], folder);
  writeFiles(folder, { 'root.json': stdout, 'policy.json': '{"tiers":["certified"]}' });
  tree = await plainHost(`${folder}/dist`, '404.html');
});

const PINNED = ['--trust-anchor', 'root.json'];

describe.each<[string, (base: string) => string[]]>([
  ['verify', (base) => ['verify', base, ...PINNED]],
  ['verify --conformance', (base) => ['verify', base, '--conformance', ...PINNED]],
  ['mirror', (base) => ['mirror', base, 'mirror', ...PINNED]],
  ['monitor', (base) => ['monitor', base, ...PINNED]],
  ['resolve', (base) => ['resolve', 'alpha', '--policy', 'policy.json', ...PINNED, base]],
  ['diff', (base) => ['diff', base, ...PINNED]],
])('%s', (name, args) => {
  it('reads a host that is busy at every fourth request as it reads another one', async () => {
    let count = 0;
    const base = await listen(async (request: IncomingMessage, response) => {
      count += 1;
      if (count % 4 === 0) return void busy(response, '1');
      const { status, headers, body } = await fetch(tree + request.url, { method: request.method ?? 'GET' });
      response.writeHead(status, { 'Content-Type': headers.get('content-type') ?? '' });
      response.end(body && Buffer.from(await new Response(body).arrayBuffer()));
    });
    const [slow, usual] = [await cli(args(base), folder), await cli(args(tree), folder)];
    expect([name, slow.code]).toEqual([name, usual.code]);
    expect(slow.stdout + slow.stderr).not.toMatch(/cannot be fetched|responds with/);
  });

  it('ends with 4 if the host is away', async () => {
    expect((await cli(args(await http(freePort())), folder)).code).toBe(4);
  });
});

it('resolve says nothing of an issuer if the host is busy for an hour, and ends with 4', async () => {
  const { base } = await host((response) => busy(response, '3600', 503));
  const { code } = await cli(['resolve', 'alpha', '--policy', 'policy.json', ...PINNED, base], folder);
  expect(code).toBe(4);
});
