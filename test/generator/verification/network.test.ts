import { setImmediate } from 'node:timers/promises';
import { httpSource } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import { closingHost, rawHost, selfSignedHost } from '../../support/bad-hosts.js';
import { freePort, listen } from '../../support/serving.js';
import { cli, workspace, writeFiles } from '../../support/workspace.js';

let folder: string;
beforeAll(async () => {
  folder = await workspace(['alpha']);
  const { stdout } = await cli(['keys', 'public', 'key.pem'], folder);
  writeFiles(folder, { 'root.json': stdout, 'policy.json': '{"tiers":["certified"]}' });
});

const COMMANDS: Record<string, (base: string) => string[]> = {
  verify: (base) => ['verify', base],
  'verify --conformance': (base) => ['verify', base, '--conformance'],
  mirror: (base) => ['mirror', base, 'mirror', '--trust-anchor', 'root.json'],
  diff: (base) => ['diff', base, '--trust-anchor', 'root.json'],
  resolve: (base) => ['resolve', 'alpha', '--policy', 'policy.json', '--trust-anchor', 'root.json', base],
};

const http = async (port: Promise<number>) => `http://127.0.0.1:${await port}`;
const https = async (port: Promise<number>) => `https://127.0.0.1:${await port}`;

const FAILURES: [string, () => Promise<string>, RegExp][] = [
  [
    'a host of plain HTTP by https',
    async () => (await listen((_request, response) => response.end())).replace('http:', 'https:'),
    /does not speak TLS \(is it http:\/\/\?\)/,
  ],
  ['a host of TLS by http', () => http(selfSignedHost()), /closed the connection|does not speak HTTP/],
  [
    'a certificate that nobody has issued',
    () => https(selfSignedHost()),
    /does not trust the certificate of the host/,
  ],
  ['a port on which nothing listens', () => http(freePort()), /the host refused the connection/],
  ['a name that is not there', async () => 'http://registry.invalid', /the host was not found/],
  [
    'a host of another protocol',
    () => http(rawHost((socket) => socket.end('220 hello\r\n'))),
    /does not speak HTTP \(is it https:\/\/\?\)/,
  ],
  [
    'a host that hangs up',
    () => http(rawHost((socket) => socket.once('data', () => socket.destroy()))),
    /closed the connection/,
  ],
];

describe.each(Object.entries(COMMANDS))(
  '%s names a network failure in words, and ends with 4:',
  (_name, args) => {
    it.each(FAILURES)('%s', async (_what, start, words) => {
      const { code, stdout, stderr } = await cli(args(await start()), folder);
      const said = stdout + stderr;
      expect(said).toMatch(words);
      expect(said).not.toMatch(/OpenSSL|SSL routines|fetch failed|ECONN|ENOTFOUND|EAI_AGAIN| at .*:\d+/);
      expect(code).toBe(4);
    });
  },
);

it('a host that hangs up before it is asked does not end the program without a word', async () => {
  const base = await http(rawHost((socket) => socket.destroy()));
  const { code, stdout } = await cli(['verify', base], folder);
  expect(stdout).toMatch(/cannot be fetched: the host (?:did not respond in time|closed the connection)/);
  expect(code).toBe(4);
});

it('a host that has closed an idle connection during long work is asked over a new one', async () => {
  const host = await closingHost();
  const source = httpSource(host.base);
  for (let round = 0; round < 30; round++) {
    const file = await source.get('SHA256SUMS');
    expect(Buffer.from(file?.bytes ?? []).toString()).toBe('ok');
    host.closeWhileBusy();
    // The work can end in any phase of the event loop.
    for (let turn = 10; turn <= round; turn += 10) await setImmediate();
  }
});
