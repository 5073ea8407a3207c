import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { HOSTS } from '../../support/hosts.js';
import { listen } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { sha256 } from '../../support/signed-tree.js';
import { cli, goodCli, recordText, workspace, writeFiles } from '../../support/workspace.js';

/** Ids that end in what hosts take for a type, a handler, a language or an encoding. */
const IDS = ['alpha', 'beta.example.com', 'a.exe', 'a.fr', 'a.js', 'a.php', 'a.sig', 'a.tgz', 'a.var', 'a.z'];

const ORIGIN = 'registry.example/log';

let folder: string;
let tree: string;

beforeAll(async () => {
  folder = await workspace([...IDS, ...Array.from({ length: 60 }, (_one, index) => `issuer-${index}`)]);
  // Nobody answers there.
  writeFiles(folder, {
    'registry.yaml': 'base_url: http://127.0.0.1:9\nlogo: logo.svg\n',
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>',
  });
  await cli(['keys', 'generate', '--no-passphrase', '--private', 'log.pem'], folder);
  const keys = ['--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem', log: 'log.pem' })];
  const build = (...more: string[]) =>
    goodCli(['build', ...keys, ...withKeys({ origin: ORIGIN }), '--offline', ...more], folder);
  await build('--first');
  writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
  await build();
  // Longer paths, as a log with many entries has them.
  writeFiles(folder, { 'dist/log/tile/0/x001/000': 'x', 'dist/log/tile/entries/x001/x234/067': 'x' });
  writeFiles(folder, { 'root.json': (await cli(['keys', 'public', 'key.pem'], folder)).stdout });
  chmodSync(folder, 0o755);
  tree = join(folder, 'dist');
});

for (const [name, { program, start }] of Object.entries(HOSTS)) {
  describeWith([program], `the host ${name}`, () => {
    let base: string;

    beforeAll(async () => {
      base = await start(tree);
    });

    it('serves a registry that verifies, in every way that is asked of hosts', async () => {
      const { code, stdout } = await cli(
        ['verify', base, '--trust-anchor', 'root.json', '--conformance'],
        folder,
      );
      expect(stdout.match(/^(?:FAILED|warning|skipped (?!rotation|.*: the tree has no )).*/gm)).toBeNull();
      expect(code).toBe(0);
    });

    it.each(IDS)('serves %s as it is, as JSON', async (id) => {
      const { status, headers } = await fetch(`${base}/issuers/${id}`, {
        redirect: 'manual',
        headers: { 'Accept-Encoding': 'identity' },
      });
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^application\/json\b/);
      expect([headers.get('content-encoding'), headers.get('content-language')]).toEqual([null, null]);
    });

    it.each([
      ['/schemas/issuer.schema.json', 'public, max-age=3600'],
      ['/keys/root.json', 'public, max-age=60, must-revalidate'],
      ['/SHA256SUMS', 'public, max-age=60, must-revalidate'],
      ['/issuers/alpha', 'public, max-age=60, must-revalidate'],
    ])('lets caches keep %s as long as they should', async (path, expected) => {
      expect((await fetch(`${base}${path}`)).headers.get('cache-control')).toBe(expected);
    });

    it('serves the statement and the sums with their types, for a short time', async () => {
      const sums = readdirSync(join(tree, 'sums')).filter((name) => !name.startsWith('.'));
      expect(sums.length).toBeGreaterThan(8);
      for (const [path, type] of [
        ['statements.json', /^application\/json$/],
        ...sums.map((name) => [`sums/${name}`, /^text\/plain(?:; charset=utf-8)?$/i] as const),
      ] as const) {
        const { status, headers } = await fetch(`${base}/${path}`);
        expect([path, status, headers.get('cache-control')]).toEqual([
          path,
          200,
          'public, max-age=60, must-revalidate',
        ]);
        expect(headers.get('content-type')).toMatch(type);
        expect(headers.get('access-control-allow-origin')).toBe('*');
      }
      expect((await fetch(`${base}/sums/0000`)).status).toBe(404);
    });

    it.each([
      ['log/checkpoint', 'text/plain'],
      ['log/tile/0/000.p/1', 'application/octet-stream'],
      ['log/tile/0/000.p/2', 'application/octet-stream'],
      ['log/tile/0/x001/000', 'application/octet-stream'],
      ['log/tile/entries/000.p/2', 'application/octet-stream'],
      ['log/tile/entries/x001/x234/067', 'application/octet-stream'],
      ['log/statements/1.jwt', 'application/jwt'],
    ])('serves %s of the log with its type, and lets caches keep what never changes', async (path, type) => {
      const { status, headers } = await fetch(`${base}/${path}`, { redirect: 'manual' });
      const isImmutable = type !== 'text/plain';
      expect([status, headers.get('content-type')?.split(';')[0], headers.get('cache-control')]).toEqual([
        200,
        type,
        isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=60, must-revalidate',
      ]);
      expect(headers.get('access-control-allow-origin')).toBe('*');
    });

    it('serves the lists that are named by their hash as JSON, for ever, and no folder of the log', async () => {
      const [list] = readdirSync(join(tree, 'lists'));
      const { headers } = await fetch(`${base}/lists/${list}`);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      for (const path of ['log/tile/0/000', 'log/tile/0/000.p/3', 'log/statements/2.jwt'])
        expect([path, (await fetch(`${base}/${path}`)).status]).toEqual([path, 404]);
      for (const path of ['log/', 'log/tile/0/', 'log/tile/0/000.p/'])
        expect([path, (await fetch(`${base}/${path}`)).ok]).toEqual([path, false]);
    });

    it('ignores the hash that a client appends to get past a cache', async () => {
      const answer = await fetch(`${base}/sums/root?${'0'.repeat(64)}`, { redirect: 'manual' });
      expect([answer.status, await answer.text()]).toEqual([
        200,
        readFileSync(join(tree, 'sums/root'), 'utf8'),
      ]);
    });

    it('has a page for people at its address, which no other page may frame', async () => {
      const { status, headers } = await fetch(`${base}/`, { redirect: 'manual' });
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^text\/html\b/);
      const [, policy = ''] =
        /http-equiv="Content-Security-Policy" content="([^"]+)"/i.exec(
          readFileSync(join(tree, 'index.html'), 'utf8'),
        ) ?? [];
      expect(policy).toContain('script-src');
      expect(headers.get('content-security-policy')).toBe(
        `${policy.replaceAll('&#39;', "'")}; frame-ancestors 'none'`,
      );
    });

    it('runs no script of a logo that somebody opens by itself', async () => {
      const { headers } = await fetch(`${base}/assets/logo.svg`);
      expect(headers.get('content-security-policy')).toBe("default-src 'none'");
      expect(headers.get('content-type')).toBe('image/svg+xml');
    });

    it.each([
      ['/assets/registry.js', 'text/javascript'],
      ['/assets/registry.css', 'text/css'],
      ['/assets/icon.svg', 'image/svg+xml'],
      ['/changes.json', 'application/json'],
    ])('serves %s to the page', async (path, type) => {
      const { status, headers } = await fetch(base + path);
      expect(status).toBe(200);
      expect(headers.get('content-type')?.split(';')[0]).toBe(type);
      expect(headers.get('cache-control')).toBe('public, max-age=60, must-revalidate');
      expect(headers.get('content-security-policy')).toBeNull();
    });

    it('serves the parts of the page as scripts, which browsers otherwise refuse to run', async () => {
      const parts = readdirSync(join(tree, 'assets/parts'));
      expect(parts.length).toBeGreaterThan(0);
      for (const name of parts) {
        const { status, headers } = await fetch(`${base}/assets/parts/${name}`);
        expect([name, status, headers.get('content-type')?.split(';')[0]]).toEqual([
          name,
          200,
          expect.stringMatching(/^(?:text|application)\/javascript$/),
        ]);
      }
      expect((await fetch(`${base}/assets/parts/none.js`)).status).toBe(404);
    });

    it('serves a page for people where a file is missing, which says that this proves nothing', async () => {
      const page = await fetch(`${base}/issuers/nobody.example`, { redirect: 'manual' });
      expect(page.status).toBe(404);
      // Pages gives it the type of what stands at such paths.
      if (name !== 'Cloudflare Pages') expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      expect(await page.text()).toContain('the signed list decides');
    });
  });
}

/** The list of a tiny registry, and the path that its hash names. */
const LIST = '{"issuers":[{"issuer_id":"a"},{"issuer_id":"b.c"}]}';
const NAMED = `/lists/${sha256(Buffer.from(LIST))}.json`;
const FOR_EVER = 'public, max-age=31536000, immutable';
/** The files of it that caches keep for a short time only. */
const CHANGING = ['issuers.json', 'issuers.sig', 'statements.json', 'sums/root', 'sums/3'];
const SHORT_CACHE = CHANGING.map((path) => `recommended short cache ${path}`);

type Answer = { status: number; headers: Record<string, string>; body: string };

describe('a host that does not conform', () => {
  /** Serves a tiny registry rightly, but for what is changed. */
  async function host(
    change: (path: string, answer: Answer, request: IncomingMessage) => void,
  ): Promise<string> {
    const good: Record<string, [type: string, body: string]> = {
      '/issuers.json': ['application/json', LIST],
      '/issuers.sig': ['text/plain', 'sig'],
      '/statements.json': ['application/json', '{}'],
      '/sums/root': ['text/plain', `${'0'.repeat(64)}  sums/3\n`],
      '/sums/3': ['text/plain; charset=utf-8', `${'0'.repeat(64)}  issuers/a\n`],
      [NAMED]: ['application/json', LIST],
      '/keys/root.json': ['application/json', '{}'],
      '/issuers/a': ['application/json', '{}'],
      '/issuers/b.c': ['application/json', '{}'],
      '/': ['text/html', 'a page'],
    };
    return listen((request: IncomingMessage, response: ServerResponse) => {
      const path = request.url ?? '';
      const [type, body] = good[path] ?? ['text/html', 'nothing here'];
      const answer: Answer = {
        status: good[path] === undefined ? 404 : request.headers['if-none-match'] === '"1"' ? 304 : 200,
        headers: {
          'Content-Type': type,
          ETag: '"1"',
          'Cache-Control': path === NAMED ? FOR_EVER : 'max-age=60',
          'Access-Control-Allow-Origin': '*',
          'X-Content-Type-Options': 'nosniff',
        },
        body,
      };
      change(path, answer, request);
      response.writeHead(answer.status, answer.headers).end(answer.status === 304 ? undefined : answer.body);
    });
  }

  /** Adds a log to what the host serves. */
  const withLog =
    (change: (path: string, answer: Answer) => void) =>
    (path: string, answer: Answer, { headers }: IncomingMessage) => {
      const forever = { 'Cache-Control': FOR_EVER };
      const files: Record<string, [type: string, body: string, headers?: Record<string, string>]> = {
        '/log/checkpoint': ['text/plain', `${ORIGIN}\n257\nroot\n`],
        '/log/tile/0/001.p/1': ['application/octet-stream', 'tile', forever],
        '/log/tile/entries/001.p/1': ['application/octet-stream', 'bundle', forever],
        '/log/statements/256.jwt': ['application/jwt', 'a.b.c', forever],
      };
      const [type, body, more] = files[path] ?? [];
      if (type !== undefined && body !== undefined) {
        answer.status = headers['if-none-match'] === '"1"' ? 304 : 200;
        Object.assign(answer.headers, { 'Content-Type': type, ...more });
        answer.body = body;
      }
      change(path, answer);
    };

  const failures = async (base: string) => {
    const { stdout } = await cli(['verify', base, '--conformance', '--json'], folder);
    const { answers } = JSON.parse(stdout).conformance;
    return (answers as Record<'demand' | 'check' | 'path' | 'result', string>[])
      .filter(({ result }) => result === 'failed')
      .map(({ demand, check, path }) => `${demand} ${check} ${path}`);
  };

  it('is told from one that does', async () => {
    expect(await failures(await host(() => undefined))).toEqual([]);
  });

  it.each<[string, Parameters<typeof host>[0], string[]]>([
    [
      'gives ids no type',
      (path, { headers }) => path.startsWith('/issuers/') && delete headers['Content-Type'],
      ['required type issuers/a', 'required type issuers/b.c'],
    ],
    [
      'takes the end of an id for a type',
      (path, { headers }) => path.endsWith('.c') && Object.assign(headers, { 'Content-Type': 'text/x-c' }),
      ['required type issuers/b.c'],
    ],
    [
      'redirects ids',
      (path, answer) =>
        path.startsWith('/issuers/') &&
        answer.status === 200 &&
        Object.assign(answer, { status: 301, headers: { Location: `${path}/` } }),
      ['required status issuers/a', 'required status issuers/b.c'],
    ],
    [
      'answers to everything with a page',
      (path, answer) =>
        answer.status === 404 && !path.endsWith('.jwt') && Object.assign(answer, { status: 200 }),
      [
        'required unknown id issuers/no-such-issuer-0123456789abcdef',
        'required unknown id issuers/no-such-issuer.example.com',
        'recommended not listed issuers/',
        'recommended not listed keys/',
        'recommended not listed lists/',
        'recommended not listed schemas/',
        'recommended not listed sums/',
      ],
    ],
    [
      'lists its folders',
      (path, answer) => path.endsWith('/') && Object.assign(answer, { status: 200 }),
      [
        'recommended not listed issuers/',
        'recommended not listed keys/',
        'recommended not listed lists/',
        'recommended not listed schemas/',
        'recommended not listed sums/',
      ],
    ],
    [
      'lets caches keep the list for an hour',
      (path, { headers }) =>
        path === '/issuers.json' && Object.assign(headers, { 'Cache-Control': 'max-age=3600' }),
      SHORT_CACHE,
    ],
    [
      'says nothing about caches',
      (path, { headers }) => path === '/issuers.sig' && delete headers['Cache-Control'],
      SHORT_CACHE,
    ],
    [
      'is closed to browsers',
      (path, { headers }) => path === '/issuers.json' && delete headers['Access-Control-Allow-Origin'],
      ['recommended cross-origin issuers.json'],
    ],
    [
      'sends the whole file again',
      (path, answer) =>
        path === '/issuers.json' && answer.status === 304 && Object.assign(answer, { status: 200 }),
      ['recommended conditional issuers.json'],
    ],
    [
      'has no versions',
      (path, { headers }) => path === '/keys/root.json' && delete headers['ETag'],
      ['recommended conditional keys/root.json'],
    ],
    [
      'does not know HEAD',
      (path, answer, { method }) =>
        path === '/issuers.sig' && method === 'HEAD' && Object.assign(answer, { status: 405 }),
      ['recommended HEAD issuers.sig'],
    ],
    [
      'lists its root where the page should be',
      (path, { headers }) => path === '/' && Object.assign(headers, { 'Content-Type': 'application/xml' }),
      ['recommended page ./'],
    ],
    [
      'has no list',
      (path, answer) => path === '/issuers.json' && Object.assign(answer, { status: 404 }),
      ['required status issuers.json'],
    ],
    [
      'gives sums another type',
      (path, { headers }) =>
        path.startsWith('/sums/') && Object.assign(headers, { 'Content-Type': 'application/octet-stream' }),
      ['required type sums/root', 'required type sums/3'],
    ],
    [
      'has no leaf',
      (path, answer) => path === '/sums/3' && Object.assign(answer, { status: 404 }),
      ['required status sums/3'],
    ],
    [
      'lets caches keep a leaf for an hour',
      (path, { headers }) =>
        path === '/sums/3' && Object.assign(headers, { 'Cache-Control': 'max-age=3600' }),
      SHORT_CACHE,
    ],
    [
      'gives the statements the type of text',
      (path, { headers }) =>
        path === '/statements.json' && Object.assign(headers, { 'Content-Type': 'text/plain' }),
      ['required type statements.json'],
    ],
    [
      'lists the sums',
      (path, answer) => path === '/sums/' && Object.assign(answer, { status: 200 }),
      ['recommended not listed sums/'],
    ],
  ])('because it %s', async (name, change, expected) => {
    const found = await failures(await host(change));
    expect(expected.filter((one) => !found.includes(one))).toEqual([]);
    if (!/^has no (?:list|leaf)$/.test(name)) expect(found).toEqual(expected);
  });

  it.each<[string, (path: string, answer: Answer) => unknown, string[]]>([
    ['is right', () => undefined, []],
    [
      'gives tiles the type of text',
      (path, { headers }) =>
        path.startsWith('/log/tile/') && Object.assign(headers, { 'Content-Type': 'text/plain' }),
      ['required type log/tile/0/001.p/1', 'required type log/tile/entries/001.p/1'],
    ],
    [
      'has no statement',
      (path, answer) => path === '/log/statements/256.jwt' && Object.assign(answer, { status: 404 }),
      ['required status log/statements/256.jwt', 'recommended long cache log/statements/256.jwt'],
    ],
    [
      'lets caches keep the head for a day',
      (path, { headers }) =>
        path === '/log/checkpoint' && Object.assign(headers, { 'Cache-Control': 'max-age=86400' }),
      [...SHORT_CACHE, 'recommended short cache log/checkpoint'],
    ],
    [
      'lets caches keep tiles for a minute',
      (path, { headers }) =>
        path.startsWith('/log/tile/') && Object.assign(headers, { 'Cache-Control': 'max-age=60' }),
      ['recommended long cache log/tile/0/001.p/1', 'recommended long cache log/tile/entries/001.p/1'],
    ],
    [
      'lists the log',
      (path, answer) => path === '/log/' && Object.assign(answer, { status: 200 }),
      ['recommended not listed log/'],
    ],
  ])('with a log: %s', async (_name, change, expected) => {
    expect((await failures(await host(withLog(change)))).toSorted()).toEqual(expected.toSorted());
  });

  it('is refused by the command line, as data and as a table', async () => {
    const base = await host((path, { headers }) => path === '/issuers.sig' && delete headers['Content-Type']);
    const { code, stdout, stderr } = await cli(['verify', base, '--conformance', '--json'], folder);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).conformance.ok).toBe(false);
    expect(stderr).toMatch(/^FAILED {2}type +issuers\.sig +none, expected text\/plain$/m);
    expect((await cli(['verify', 'dist', '--conformance'], folder)).code).toBe(2);
  });
});
