import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { listen, plainHost } from '../../support/serving.js';
import { cli, workspace, writeFiles } from '../../support/workspace.js';

let folder: string;
let tree: string;
beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  await cli(['build', '--key', 'key.pem'], folder);
  const { stdout } = await cli(['keys', 'public', 'key.pem'], folder);
  writeFiles(folder, { 'root.json': stdout, 'policy.json': '{"tiers":["certified"]}' });
  tree = await plainHost(`${folder}/dist`, '404.html');
});

/** Makes the pauses before another request, which are up to two seconds, a twentieth as long. Deadlines are longer. */
beforeAll(() => {
  const { setTimeout } = globalThis;
  const shortened = (run: () => void, after = 0) => setTimeout(run, after <= 2000 ? after / 20 : after);
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(shortened as typeof setTimeout);
  return () => spy.mockRestore();
});

let copies = 0;
const COMMANDS: Record<string, (base: string) => string[]> = {
  verify: (base) => ['verify', base, '--trust-anchor', 'root.json'],
  'verify --conformance': (base) => ['verify', base, '--trust-anchor', 'root.json', '--conformance'],
  mirror: (base) => ['mirror', base, `mirror-${copies++}`, '--trust-anchor', 'root.json'],
  monitor: (base) => ['monitor', base, '--trust-anchor', 'root.json'],
  resolve: (base) => ['resolve', 'alpha', '--policy', 'policy.json', '--trust-anchor', 'root.json', base],
  diff: (base) => ['diff', base, '--trust-anchor', 'root.json'],
};

type Fail = (request: IncomingMessage, response: ServerResponse, count: number) => boolean;

/** Serves the tree, unless `fail` answers the request. Counts all requests. */
async function host(fail: Fail): Promise<{ readonly base: string; readonly requests: () => number }> {
  let count = 0;
  const base = await listen(async (request, response) => {
    count += 1;
    if (fail(request, response, count)) return;
    const { status, headers, body } = await fetch(tree + request.url, { method: request.method ?? 'GET' });
    response.writeHead(status, { 'Content-Type': headers.get('content-type') ?? '' });
    response.end(body && Buffer.from(await new Response(body).arrayBuffer()));
  });
  return { base, requests: () => count };
}

const busy = (response: ServerResponse, retryAfter: string, status = 429) => {
  response.writeHead(status, { 'Retry-After': retryAfter }).end();
  return true;
};

const HOSTS: Readonly<Record<string, Fail>> = {
  'resets the first connection': (_request, response, count) => count === 1 && !!response.destroy(),
  'resets a connection in the middle of a file': (_request, response, count) => {
    if (count !== 2) return false;
    response.writeHead(200, { 'Content-Length': '100' }).write('{');
    setTimeout(() => response.destroy(), 200);
    return true;
  },
  'answers each fourth request with 429 and Retry-After: 1': (_request, response, count) =>
    count % 4 === 0 && busy(response, '1'),
  'answers three of four requests with 429': (_request, response, count) =>
    count % 4 !== 0 && busy(response, '1'),
  'is starting, until a date': (_request, response, count) =>
    count <= 2 && busy(response, new Date(Date.now() + 1000).toUTCString(), 503),
  'answers 502 at first': (_request, response, count) => {
    if (count === 1) response.writeHead(502).end();
    return count === 1;
  },
};

describe.each(Object.entries(COMMANDS))('%s reads a host that', (name, args) => {
  it.each(Object.entries(HOSTS))('%s', async (_what, fail) => {
    const { base } = await host(fail);
    const failed = await cli(args(base), folder);
    const good = await cli(args(tree), folder);
    const [said, expected] = [failed, good].map(({ stdout, stderr }) => stdout + stderr);
    expect([name, failed.code, said?.replaceAll(base, tree)]).toEqual([
      name,
      good.code,
      expect.stringContaining(failed.code === 0 ? '' : (expected?.split('\n')[0] ?? '')),
    ]);
    expect(said).not.toMatch(/cannot be fetched|responds with/);
  });
});

describe('a host that stays busy', () => {
  it('is given up at once if it asks to wait for longer than a minute, and says so', async () => {
    const { base, requests } = await host((_request, response) => busy(response, '3600'));
    const { code, stderr } = await cli(['mirror', base, 'never', '--trust-anchor', 'root.json'], folder);
    expect([code, requests()]).toEqual([4, 1]);
    expect(stderr).toContain('responds with 429, and asks to come back in 3600 s; given up after 1 request');
  });

  it('is given up once the pauses for one file would be longer than a minute together, and says so', async () => {
    const { base, requests } = await host((_request, response, count) =>
      busy(response, count === 1 ? '0' : '60'),
    );
    const { code, stderr } = await cli(['mirror', base, 'never', '--trust-anchor', 'root.json'], folder);
    expect([code, requests()]).toEqual([4, 2]);
    expect(stderr).toContain('given up after 2 requests: the limit is 60 s of pauses for one file');
  });

  it('says nothing of the issuer: `resolve` ends as for a host that is away', async () => {
    const { base } = await host((_request, response) => busy(response, '3600', 503));
    const args = ['resolve', 'alpha', '--policy', 'policy.json', '--trust-anchor', 'root.json', base];
    const { code, stderr } = await cli(args, folder);
    expect([code, stderr]).toEqual([4, expect.stringContaining('responded with status 503')]);
  });

  it('for one file is told as that, also if the registry need not have the file', async () => {
    const { base } = await host(
      (request, response) => request.url === '/about.json' && busy(response, '3600'),
    );
    const { code, stdout, stderr } = await cli(['verify', base, '--trust-anchor', 'root.json'], folder);
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining('about.json responds with 429')]);
  });

  it('is asked a limited number of times', async () => {
    const { base, requests } = await host((_request, response) => {
      response.writeHead(503).end();
      return true;
    });
    const { code, stderr } = await cli(['mirror', base, 'never', '--trust-anchor', 'root.json'], folder);
    expect([code, requests()]).toEqual([4, 3]);
    expect(stderr).toContain('responds with 503; given up after 3 requests');
  });
});
