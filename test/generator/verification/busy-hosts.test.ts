import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
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

let copies = 0;
const COMMANDS: Record<string, (base: string) => string[]> = {
  verify: (base) => ['verify', base, '--root-key', 'root.json'],
  'verify --conformance': (base) => ['verify', base, '--root-key', 'root.json', '--conformance'],
  mirror: (base) => ['mirror', base, `mirror-${copies++}`, '--root-key', 'root.json'],
  monitor: (base) => ['monitor', base, '--root-key', 'root.json'],
  resolve: (base) => ['resolve', 'alpha', '--policy', 'policy.json', '--root-key', 'root.json', base],
  diff: (base) => ['diff', base, '--root-key', 'root.json'],
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

const IN_THE_MIDDLE = 'resets a connection in the middle of a file';
const HOSTS: Readonly<Record<string, Fail>> = {
  'resets the first connection': (_request, response, count) => count === 1 && !!response.destroy(),
  [IN_THE_MIDDLE]: (_request, response, count) => {
    if (count !== 2) return false;
    response.writeHead(200, { 'Content-Length': '100' }).write('{');
    setTimeout(() => response.destroy(), 10);
    return true;
  },
  'answers each fourth request with 429 and Retry-After: 1': (_request, response, count) =>
    count % 4 === 0 && busy(response, '1'),
  'is starting, until a date': (_request, response, count) =>
    count <= 2 && busy(response, new Date(Date.now() + 1000).toUTCString(), 503),
  'answers 502 at first': (_request, response, count) => {
    if (count === 1) response.writeHead(502).end();
    return count === 1;
  },
};

describe.each(Object.entries(COMMANDS))('%s reads a host that', (name, args) => {
  // A client does not ask again for the rest of a file: it takes the next source.
  const hosts = Object.entries(HOSTS).filter(([what]) => name !== 'resolve' || what !== IN_THE_MIDDLE);
  it.each(hosts)('%s', async (_what, fail) => {
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
    const { code, stderr } = await cli(['mirror', base, 'never', '--root-key', 'root.json'], folder);
    expect([code, requests()]).toEqual([4, 1]);
    expect(stderr).toContain('responds with 429, and asks to come back in 3600 s');
  });

  it('is asked a limited number of times', async () => {
    const { base, requests } = await host((_request, response) => {
      response.writeHead(503).end();
      return true;
    });
    const { code } = await cli(['mirror', base, 'never', '--root-key', 'root.json'], folder);
    expect([code, requests()]).toEqual([4, 3]);
  });
});
