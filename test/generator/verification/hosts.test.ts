import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkConformance } from '../../../build/generator/verification/check-host.js';
import { describeWith } from '../../support/components.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { HOSTS } from '../../support/hosts.js';
import { listen } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { sha256 } from '../../support/sha256.js';
import { cli, goodCli, recordText, workspace, writeFiles } from '../../support/workspace.js';

/** Ids that end in what hosts take for a type, a handler, a language or an encoding. */
const IDS = [
  'alpha',
  'beta.example.com',
  'a.exe',
  'a.fr',
  'a.js',
  'a.json',
  'a.php',
  'a.sig',
  'a.tgz',
  'a.var',
  'a.z',
];

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

const SHORT = 'public, max-age=60, must-revalidate';
const FOR_EVER = 'public, max-age=31536000, immutable';
const SCRIPT = expect.stringMatching(/^(?:text|application)\/javascript$/);

/** A file of each kind, with its type and how long caches may keep it. */
const TYPES = {
  'issuers/alpha': ['application/json', SHORT],
  'keys/root.json': ['application/json', SHORT],
  'statements.json': ['application/json', SHORT],
  'changes.json': ['application/json', SHORT],
  'sums/root': ['text/plain', SHORT],
  'sums/0': ['text/plain', SHORT],
  SHA256SUMS: ['text/plain', SHORT],
  'schemas/issuer.schema.json': ['application/json', 'public, max-age=3600'],
  'assets/registry.js': [SCRIPT, SHORT],
  'assets/registry.css': ['text/css', SHORT],
  'assets/icon.svg': ['image/svg+xml', SHORT],
  'log/checkpoint': ['text/plain', SHORT],
  'log/tile/0/000.p/1': ['application/octet-stream', FOR_EVER],
  'log/tile/0/x001/000': ['application/octet-stream', FOR_EVER],
  'log/tile/entries/000.p/2': ['application/octet-stream', FOR_EVER],
  'log/tile/entries/x001/x234/067': ['application/octet-stream', FOR_EVER],
  'log/statements/1.jwt': ['application/jwt', FOR_EVER],
};

/** Files and folders of which a host shows nothing. */
const OTHER_PATHS = [
  ...['sums/0000', 'assets/parts/none.js', 'log/tile/0/000', 'log/tile/0/000.p/3', 'log/statements/2.jwt'],
  ...['log/', 'log/tile/0/', 'log/tile/0/000.p/'],
];

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

    it('serves every id as it is, as JSON', async () => {
      for (const id of IDS) {
        const { status, headers } = await fetch(`${base}/issuers/${id}`, {
          redirect: 'manual',
          headers: { 'Accept-Encoding': 'identity' },
        });
        expect([id, status, headers.get('content-type')?.split(';')[0]]).toEqual([
          id,
          200,
          'application/json',
        ]);
        expect([headers.get('content-encoding'), headers.get('content-language')]).toEqual([null, null]);
      }
    });

    it('serves each kind of file with its type, for as long as caches may keep it', async () => {
      const [part, list] = ['assets/parts', 'lists'].map(
        (path) => `${path}/${readdirSync(join(tree, path))[0]}`,
      );
      const types = { ...TYPES, [`${part}`]: [SCRIPT, SHORT], [`${list}`]: ['application/json', FOR_EVER] };
      for (const [path, [type, caches]] of Object.entries(types)) {
        const { status, headers } = await fetch(`${base}/${path}`, { redirect: 'manual' });
        expect([path, status, headers.get('cache-control')]).toEqual([path, 200, caches]);
        expect([path, headers.get('content-type')?.split(';')[0]]).toEqual([path, type]);
        expect([path, headers.get('content-security-policy')]).toEqual([path, null]);
      }
    });

    it('serves nothing at other paths', async () => {
      for (const path of OTHER_PATHS)
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

/** The answers of a host that conforms: type, body, and how long caches may keep it. */
const CONFORMING: Record<string, [type: string, body: string, caches?: string]> = {
  '/issuers.json': ['application/json', LIST],
  '/issuers.sig': ['text/plain', 'sig'],
  '/statements.json': ['application/json', '{}'],
  '/sums/root': ['text/plain', `${'0'.repeat(64)}  sums/3\n`],
  '/sums/3': ['text/plain; charset=utf-8', `${'0'.repeat(64)}  issuers/a\n`],
  [NAMED]: ['application/json', LIST, FOR_EVER],
  '/keys/root.json': ['application/json', '{}'],
  '/issuers/a': ['application/json', '{}'],
  '/issuers/b.c': ['application/json', '{}'],
  '/': ['text/html', 'a page'],
  '/log/checkpoint': ['text/plain', `${ORIGIN}\n257\nroot\n`],
  '/log/tile/0/001.p/1': ['application/octet-stream', 'tile', FOR_EVER],
  '/log/tile/entries/001.p/1': ['application/octet-stream', 'bundle', FOR_EVER],
  '/log/statements/256.jwt': ['application/jwt', 'a.b.c', FOR_EVER],
};

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What a host does with an answer. */
type Change = (path: string, answer: Answer, request: IncomingMessage) => void;

/** Serves a tiny registry rightly, but for what is changed. */
function hostThat(change: Change): Promise<string> {
  return listen((request, response) => {
    const path = request.url ?? '';
    const [type, body, caches = 'max-age=60'] = CONFORMING[path] ?? ['text/html', 'nothing here'];
    const isHeld = request.headers['if-none-match'] === '"1"';
    const answer: Answer = {
      status: CONFORMING[path] === undefined ? 404 : isHeld ? 304 : 200,
      headers: {
        'Content-Type': type,
        ETag: '"1"',
        'Cache-Control': caches,
        'Access-Control-Allow-Origin': '*',
        'X-Content-Type-Options': 'nosniff',
      },
      body,
    };
    change(path, answer, request);
    response.writeHead(answer.status, answer.headers).end(answer.status === 304 ? undefined : answer.body);
  });
}

/** Sends another header with some files. */
const sends =
  (paths: RegExp, name: string, value: string): Change =>
  (path, { headers }) => {
    if (paths.test(path)) headers[name] = value;
  };

/** Sends no such header with some files. */
const lacks =
  (paths: RegExp, name: string): Change =>
  (path, { headers }) => {
    if (paths.test(path)) delete headers[name];
  };

/** Answers some paths with another status. @param usual - only where this would be the status */
const answers =
  (paths: RegExp, status: number, usual?: number): Change =>
  (path, answer) => {
    if (paths.test(path) && (usual ?? answer.status) === answer.status) answer.status = status;
  };

const CHANGING = ['issuers.json', 'issuers.sig', 'statements.json', 'sums/root', 'sums/3', 'log/checkpoint'];
/** Files that change together are kept for the same short time, or all of them are wrong. */
const SHORT_CACHE = CHANGING.map((path) => `recommended short cache ${path}`);
const LISTED = ['issuers', 'keys', 'lists', 'log', 'schemas', 'sums'].map(
  (folder) => `recommended not listed ${folder}/`,
);
const TILES = ['log/tile/0/001.p/1', 'log/tile/entries/001.p/1'];

describe('a host conforms', () => {
  it.each<[string, Change, string[]]>([
    ['if it is right', () => undefined, []],
    [
      'if it has no log',
      (path, answer) => {
        if (path.startsWith('/log/')) Object.assign(answer, { status: 404, body: '' });
      },
      [],
    ],
    [
      'unless it gives ids no type',
      lacks(/^\/issuers\//, 'Content-Type'),
      ['required type issuers/a', 'required type issuers/b.c'],
    ],
    [
      'unless it takes the end of an id for a type',
      sends(/\.c$/, 'Content-Type', 'text/x-c'),
      ['required type issuers/b.c'],
    ],
    [
      'unless it redirects ids',
      answers(/^\/issuers\//, 301, 200),
      ['required status issuers/a', 'required status issuers/b.c'],
    ],
    [
      'unless it answers with a page where there is no file',
      answers(/./, 200, 404),
      [
        'required unknown id issuers/no-such-issuer-0123456789abcdef',
        'required unknown id issuers/no-such-issuer.example.com',
        ...LISTED,
      ],
    ],
    ['unless it lists its folders', answers(/.\/$/, 200), LISTED],
    [
      'unless caches may keep the list for an hour',
      sends(/^\/issuers\.json/, 'Cache-Control', 'max-age=3600'),
      SHORT_CACHE,
    ],
    [
      'unless caches may keep the head of the log for a day',
      sends(/^\/log\/checkpoint/, 'Cache-Control', 'max-age=86400'),
      SHORT_CACHE,
    ],
    ['unless it says nothing about caches', lacks(/^\/issuers\.sig/, 'Cache-Control'), SHORT_CACHE],
    [
      'unless caches may keep tiles for a minute only',
      sends(/^\/log\/tile/, 'Cache-Control', 'max-age=60'),
      TILES.map((path) => `recommended long cache ${path}`),
    ],
    ['if caches may keep the lists for a day', sends(/^\/lists\//, 'Cache-Control', 'max-age=86400'), []],
    [
      'unless it is closed to browsers',
      lacks(/^\/issuers\.json/, 'Access-Control-Allow-Origin'),
      ['recommended cross-origin issuers.json'],
    ],
    [
      'unless it sends the whole file again',
      answers(/^\/issuers\.json/, 200, 304),
      ['recommended conditional issuers.json'],
    ],
    ['unless it has no versions', lacks(/^\/keys/, 'ETag'), ['recommended conditional keys/root.json']],
    [
      'unless it does not know HEAD',
      (path, answer, { method }) => {
        if (path === '/issuers.sig' && method === 'HEAD') answer.status = 405;
      },
      ['recommended HEAD issuers.sig'],
    ],
    [
      'unless it lists its root where the page should be',
      sends(/^\/$/, 'Content-Type', 'application/xml'),
      ['recommended page ./'],
    ],
    ['unless it has no list', answers(/^\/issuers\.json/, 404), ['required status issuers.json']],
    ['unless it has no leaf', answers(/^\/sums\/3/, 404), ['required status sums/3']],
    [
      'unless it has no statement of the log',
      answers(/^\/log\/statements/, 404),
      ['required status log/statements/256.jwt', 'recommended long cache log/statements/256.jwt'],
    ],
    [
      'unless it gives sums another type',
      sends(/^\/sums\//, 'Content-Type', 'application/octet-stream'),
      ['required type sums/root', 'required type sums/3'],
    ],
    [
      'unless it gives the statements the type of text',
      sends(/^\/statements/, 'Content-Type', 'text/plain'),
      ['required type statements.json'],
    ],
    [
      'unless it gives tiles the type of text',
      sends(/^\/log\/tile/, 'Content-Type', 'text/plain'),
      TILES.map((path) => `required type ${path}`),
    ],
  ])('%s', async (_name, change, failures) => {
    const { ok, answers: found } = await checkConformance(await hostThat(change));
    const failed = found
      .filter(({ result }) => result === 'failed')
      .map(({ demand, check, path }) => `${demand} ${check} ${path}`);
    expect(failed.toSorted()).toEqual(failures.toSorted());
    expect(ok).toBe(!failures.some((failure) => failure.startsWith('required')));
  });

  it('in the report of `verify --conformance`, too', async () => {
    const base = await hostThat(lacks(/^\/keys/, 'ETag'));
    const { stdout } = await cli(['verify', base, '--conformance', '--json'], folder);
    expect(JSON.parse(stdout).conformance).toEqual(await checkConformance(base));
  });

  it('or not, which no folder shows', async () => {
    const outcome = await cli(['verify', 'dist', '--conformance', '--json'], folder);
    expectCommandError(outcome, 'ERR_USAGE', '--conformance');
  });
});
