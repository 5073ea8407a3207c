import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  followUrl,
  type UrlAnswer,
  type UrlQuestion,
} from '../../../build/generator/publishing/follow-url.js';
import type { PublishedTree } from '../../../build/generator/tree/published-tree.js';
import { readPublished } from '../../../build/generator/verification/read-published.js';
import { copyOf } from '../../support/made-once.js';
import { ROOT } from '../../support/paths.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { claimsOf, setStatement, statementIn } from '../../support/statements.js';
import { timeLimitsByHand } from '../../support/time-limits.js';
import {
  cli,
  clockAhead,
  filesOf,
  keyedWorkspace,
  recordText,
  temporaryFolder,
  writeFiles,
} from '../../support/workspace.js';

/** The keys and the records of a registry, and several trees of it, by name. Nothing that made them has asked a host. */
let home: string;
let trees: string;
let folder: string;
let host: RegistryHost;

const ONLINE = 'checkpoint: { signer: { key: online.pem }, public_key: online.json }';
const settings = (base: string) =>
  `root_key: key.json\nsigner: { key: key.pem }\n${base === '' ? '' : `base_url: ${base}\n`}${ONLINE}\n`;

async function json(args: readonly string[], minutes = 60) {
  const { code, stdout, stderr } = await cli([...args, '--json'], folder, clockAhead(minutes));
  return { code, stderr, ...JSON.parse(stdout) };
}

async function good(args: readonly string[], minutes: number): Promise<void> {
  const { code, stderr } = await cli(args, folder, clockAhead(minutes));
  expect(code, stderr).toBe(0);
}

const copy = (from: string, to: string) => {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
};
const tree = (name: string) => join(trees, name);
const dist = () => join(folder, 'dist');

const record = (name: string) =>
  writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { contact: `${name}@beta.internal` }) });

/** Builds a tree over another one, with another contact of an issuer. */
async function buildOver(before: string, name: string, minutes: number): Promise<void> {
  copy(tree(before), tree(name));
  record(name);
  await good(['build', '--production', '--out', tree(name)], minutes);
}

/** Signs a hold over a copy of a tree. */
async function holdOver(before: string, name: string, id: string, minutes: number): Promise<void> {
  copy(tree(before), tree(name));
  await good(['hold', id, '--out', tree(name)], minutes);
}

beforeAll(async () => {
  shortenRetries();
  folder = await keyedWorkspace(['alpha', 'beta'], 'online', 'other', 'next', 'another');
  trees = temporaryFolder();
  writeFiles(folder, { 'registry.yaml': settings('') });
  const rootKey = readFileSync(join(folder, 'key.json'), 'utf8');
  await good(['build', '--production', '--out', tree('first')], -10);
  await buildOver('first', 'second', -9);
  await buildOver('first', 'fork', -8);
  await buildOver('second', 'third', -7);
  await holdOver('second', 'alpha held', 'alpha', -6);
  await holdOver('second', 'beta held later', 'beta', -5);
  record('second');
  copy(tree('second'), tree('rotated'));
  const rotate = ['keys', 'rotate', '--yes', '--next-key', 'next.pem'];
  await good([...rotate, '--out', tree('rotated')], -4);
  // The other trees keep the key.
  writeFiles(folder, { 'registry.yaml': settings(''), 'key.json': rootKey });
  const other = ['--key', 'other.pem', '--root-key', 'other.json'];
  await good(['build', '--production', '--out', tree('foreign'), ...other], -3);
  copy(tree('second'), tree('damaged'));
  const checkpoint = statementIn(tree('damaged'), 'checkpoint');
  setStatement(tree('damaged'), 'checkpoint', `${checkpoint.slice(0, -8)}AAAAAAAA`);
  home = folder;
});

beforeEach(async () => {
  host = await registryHost();
});

/** Begins with a copy of a tree, and a change that is not published. */
function begin(published?: string): void {
  folder = copyOf(home);
  writeFiles(folder, { 'registry.yaml': settings(host.base) });
  if (published !== undefined) copy(tree(published), dist());
  record('next');
}

/** Lets the host serve a tree, or answer like a host that has none. */
function serve(shown: string): void {
  host.files = existsSync(tree(shown)) ? filesOf(tree(shown)) : new Map();
  host.intercept = (path, _request, response) => {
    if (!path.startsWith('statements.json')) return false;
    if (shown === 'status 500') response.writeHead(500).end();
    else if (shown === 'a redirect') response.writeHead(302, { Location: '/elsewhere.json' }).end();
    else if (shown === 'a page') response.writeHead(200).end('<!doctype html>');
    else if (shown === 'cut')
      response.writeHead(200, { 'Content-Length': 4000 }).write('{', () => response.destroy());
    else if (shown === 'silence') return true;
    else return false;
    return true;
  };
}

/** What the URL shows to a tree with the second publication: sentences (a) to (d) of rule follows-url, in order. */
const SHOWN = {
  follows: ['second', 'first'],
  absent: ['nothing'],
  unreadable: ['status 500', 'a redirect', 'a page', 'cut', 'damaged', 'foreign'],
  other: ['third', 'fork', 'rotated'],
} as const;

describe('the rule about the registry’s URL', () => {
  const read = new Map<string, PublishedTree>();
  beforeAll(async () => {
    for (const name of readdirSync(trees))
      if (name !== 'damaged') read.set(name, (await readPublished(tree(name))) as PublishedTree);
  });

  // What this machine has read at the URL stands in the current folder.
  beforeEach(() => process.chdir(temporaryFolder()));
  afterEach(() => process.chdir(ROOT));

  /** Asks before the root key of the second tree signs over a tree; undefined for a first list. */
  const ask = (published: string | undefined, question: UrlQuestion = {}) => {
    const { rootKey } = read.get('second') as PublishedTree;
    const next = { rootKey, published: published === undefined ? undefined : read.get(published) };
    return followUrl(next, { baseUrl: host.base, ...question });
  };
  /** Asserts that nothing may be signed, with a message that names some facts. */
  async function assertRefused(answer: Promise<UrlAnswer>, code: string, ...facts: readonly string[]) {
    const error = await answer.catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code });
    for (const fact of facts) expect((error as Error).message).toContain(fact);
  }

  it.each(SHOWN.follows)('lets a key sign where the URL shows the %s', async (shown) => {
    serve(shown);
    const { iat } = claimsOf(statementIn(tree(shown), 'checkpoint'));
    expect(await ask('second')).toMatchObject({
      checkpoint: { issuedAt: Number(iat) * 1000 },
      note: undefined,
    });
    expect(host.log).toEqual([expect.stringMatching(/^statements\.json\?[\w-]{20,} 200$/)]);
  });

  it.each(SHOWN.absent)('lets a key sign where the URL shows %s, with a note', async (shown) => {
    serve(shown);
    expect(await ask('second')).toEqual({
      note: expect.stringContaining(`${host.base} serves no registry`),
    });
  });

  it.each(SHOWN.unreadable)('lets a checkpoint alone be signed where the URL shows %s', async (shown) => {
    serve(shown);
    const note = expect.stringContaining(`${host.base} does not show`);
    expect(await ask('second', { onlyCheckpoint: true })).toEqual({ note });
    await assertRefused(ask('second'), 'ERR_IO_FAILED', host.base, '--offline');
  });

  it.each([
    ['third', 3],
    ['fork', 2],
    ['rotated', 3],
  ] as const)('lets nothing be signed where the URL shows the %s', async (shown, sequence) => {
    serve(shown);
    for (const onlyCheckpoint of [false, true])
      await assertRefused(
        ask('second', { onlyCheckpoint }),
        'ERR_ALREADY_PUBLISHED',
        host.base,
        `publication ${sequence}`,
        '`load`',
      );
  });

  it('asks nobody with --offline', async () => {
    serve('third');
    expect(await ask('second', { offline: true })).toEqual({ note: undefined });
    expect(host.log).toEqual([]);
  });

  it('counts a URL that is silent as unreadable', async () => {
    serve('silence');
    const endLimits = timeLimitsByHand();
    const { intercept } = host;
    host.intercept = (...asked) => {
      const isSilent = intercept(...asked);
      endLimits(5000);
      return isSilent;
    };
    await assertRefused(ask('second'), 'ERR_IO_FAILED');
  });

  it('lets a rotated tree follow the earlier key, but not what that key has signed since', async () => {
    serve('second');
    expect(await ask('rotated')).toMatchObject({ note: undefined });
    serve('third');
    await assertRefused(ask('rotated'), 'ERR_IO_FAILED');
  });

  it.each([...SHOWN.absent, ...SHOWN.unreadable.filter((shown) => shown !== 'damaged')])(
    'lets a first list be signed only with --first where the URL shows %s',
    async (shown) => {
      serve(shown);
      for (const offline of [false, true])
        await assertRefused(ask(undefined, { offline }), 'ERR_USAGE', host.base, '--first');
      expect(await ask(undefined, { first: true })).toEqual({ note: expect.stringContaining(host.base) });
      expect(await ask(undefined, { first: true, offline: true })).toEqual({ note: undefined });
    },
  );

  it.each([...SHOWN.follows, ...SHOWN.other, 'damaged'])(
    'lets no first list be signed where the URL shows the %s, which its root key or one that follows has signed',
    async (shown) => {
      serve(shown);
      await assertRefused(ask(undefined, { first: true }), 'ERR_ALREADY_PUBLISHED');
    },
  );

  it('asks nobody of a registry without a URL', async () => {
    expect(await ask(undefined, { baseUrl: undefined })).toEqual({});
  });

  it.each(['first', 'second', 'nothing', 'status 500'])(
    'remembers what the URL has shown, also if it shows %s now',
    async (shown) => {
      serve('third');
      await assertRefused(ask('second'), 'ERR_ALREADY_PUBLISHED');
      serve(shown);
      for (const onlyCheckpoint of [false, true])
        await assertRefused(
          ask('second', { onlyCheckpoint }),
          'ERR_ALREADY_PUBLISHED',
          'does not follow publication 3',
        );
      expect(await ask('second', { offline: true })).toEqual({
        note: expect.stringContaining('does not follow publication 3'),
      });
    },
  );

  it('names with --offline whom this machine has seen on hold', async () => {
    serve('alpha held');
    await ask('second');
    expect(await ask('second', { offline: true })).toEqual({
      note: expect.stringContaining('second does not hold alpha'),
    });
  });

  it('names whom the tree holds, and the newer checkpoint at the URL does not', async () => {
    serve('beta held later');
    expect(await ask('alpha held')).toMatchObject({
      checkpoint: { hold: ['beta'] },
      note: expect.stringMatching(/newer checkpoint than .* which does not hold alpha/),
    });
    serve('alpha held');
    expect(await ask('beta held later')).toMatchObject({
      note: expect.stringMatching(/beta held later has a newer .* which does not hold alpha/),
    });
  });
});

const COMMANDS = {
  build: ['build', '--production'],
  unsigned: ['build', '--unsigned', 'request'],
  suspend: ['suspend', 'beta', '--reason', 'x', '--production'],
  rotate: ['keys', 'rotate', '--yes', '--next-key', 'another.pem'],
  checkpoint: ['checkpoint'],
  hold: ['hold', 'beta'],
} as const;

/** Whether a command has signed something, or written a request. */
const state = () => [
  existsSync(dist()) ? readFileSync(join(dist(), 'statements.json'), 'utf8') : '',
  existsSync(join(folder, 'request')),
];

describe.each(Object.entries(COMMANDS))('%s', (name, command) => {
  beforeEach(() => begin('second'));

  it('is refused, and leaves all as it is, where the URL shows the third, but not with --offline', async () => {
    serve('third');
    const before = state();
    expect(await json(command)).toMatchObject({ code: 1, error: { code: 'ERR_ALREADY_PUBLISHED' } });
    expect(state()).toEqual(before);
    const asked = host.log.length;
    expect(await json([...command, '--offline'])).toMatchObject({ code: 0 });
    expect(host.log).toHaveLength(asked);
  });

  it('goes on, and says so, where the URL shows nothing', async () => {
    serve('nothing');
    const { code, stderr } = await json(command);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${host.base} serves no registry`)]);
  });

  it('goes on where the URL cannot be read only if it signs a checkpoint alone', async () => {
    serve('status 500');
    const before = state();
    const { code, stderr, error } = await json(command);
    if (name === 'checkpoint' || name === 'hold') {
      expect([code, stderr]).toEqual([0, expect.stringContaining(`${host.base} does not show`)]);
      return;
    }
    expect([code, error.code]).toEqual([4, 'ERR_IO_FAILED']);
    expect(state()).toEqual(before);
  });
});

describe('a build', () => {
  it('by a development key asks nobody, nor does its checkpoint', async () => {
    begin();
    serve('third');
    writeFiles(folder, { 'registry.yaml': `base_url: ${host.base}\n` });
    for (const args of [
      ['build', '--out', 'preview'],
      ['checkpoint', 'preview'],
    ])
      expect(await json(args)).toMatchObject({ code: 0 });
    expect(host.log).toEqual([]);
  });

  it('of a first list needs --first, also as a request', async () => {
    begin();
    for (const command of [COMMANDS.build, COMMANDS.unsigned])
      expect(await json(command)).toMatchObject({ code: 2, error: { code: 'ERR_USAGE' } });
    expect(state()).toEqual(['', false]);
    expect(await json([...COMMANDS.unsigned, '--first'])).toMatchObject({ code: 0 });
    expect(await json([...COMMANDS.build, '--first'])).toMatchObject({ code: 0 });
  });
});

describe('a new checkpoint', () => {
  const checkpointOf = (name: string) => {
    const { iat, hold = [] } = claimsOf(statementIn(name, 'checkpoint'));
    return { iat: Number(iat), hold };
  };

  it.each([
    ['checkpoint', COMMANDS.checkpoint, ['alpha']],
    ['hold', COMMANDS.hold, ['alpha', 'beta']],
    ['build of the same records', COMMANDS.build, ['alpha']],
    ['suspend', COMMANDS.suspend, ['alpha']],
    ['rotate', COMMANDS.rotate, ['alpha']],
  ])('by %s keeps a hold at the URL that the tree has never seen', async (_name, command, hold) => {
    begin('second');
    record('second');
    serve('alpha held');
    expect(await json(command, 20)).toMatchObject({ code: 0 });
    expect(checkpointOf(dist()).hold).toEqual(hold);
    // A build of the same records signs nothing: the tree gets the checkpoint of the URL.
    const least = checkpointOf(tree('alpha held')).iat + (command === COMMANDS.build ? 0 : 1);
    expect(checkpointOf(dist()).iat).toBeGreaterThanOrEqual(least);
  });

  it('keeps a hold that the URL has over an earlier publication', async () => {
    begin('third');
    serve('alpha held');
    expect(await json(COMMANDS.checkpoint, 20)).toMatchObject({ code: 0 });
    expect(checkpointOf(dist()).hold).toEqual(['alpha']);
  });

  it('ends a hold that only the URL has', async () => {
    begin('second');
    serve('alpha held');
    expect(await json(['hold', '--end', 'alpha', '--false-alarm'], 20)).toMatchObject({ code: 0, hold: [] });
  });

  it('has the holds of the newer one, and names whom the tree held', async () => {
    begin('alpha held');
    serve('beta held later');
    const { code, hold, warnings } = await json(['checkpoint'], 20);
    expect([code, hold, warnings]).toEqual([0, ['beta'], [expect.stringContaining('alpha')]]);
    // The tree is the newer one from then on.
    expect(await json(['hold', '--end', 'beta', '--false-alarm'], 21)).toMatchObject({ code: 0 });
    expect(await json(['checkpoint'], 22)).toMatchObject({ code: 0, hold: [] });
  });

  it('by a build of the same records has the holds of both if they were signed in the same second', async () => {
    begin('second');
    record('second');
    const clock = Math.floor(Date.now() / 1000) * 1000 + 999;
    const now = Date.now;
    try {
      Date.now = () => clock;
      copy(dist(), tree('same second'));
      await good(['hold', 'alpha', '--offline'], 30);
      await good(['hold', 'beta', '--offline', '--out', tree('same second')], 30);
    } finally {
      Date.now = now;
    }
    expect(checkpointOf(dist()).iat).toBe(checkpointOf(tree('same second')).iat);
    serve('same second');
    expect(await json(COMMANDS.build, 40)).toMatchObject({ code: 0 });
    expect(checkpointOf(dist()).hold).toEqual(['alpha', 'beta']);
  });

  it('in a request keeps them, and a request of before is refused', async () => {
    begin('second');
    writeFiles(folder, { 'registry.yaml': settings(host.base).replace(ONLINE, '') });
    const sign = async (request: string, minutes: number) => {
      expect(await json(['build', '--unsigned', request], minutes)).toMatchObject({ code: 0 });
      const signing = ['sign', request, '--yes', '--memory', `${request}-memory`];
      expect(await json(signing, minutes)).toMatchObject({ code: 0 });
    };
    serve('second');
    await sign('before', 4);
    serve('alpha held');
    expect(await json(['attach', 'before'], 11)).toMatchObject({
      code: 2,
      error: { code: 'ERR_REQUEST_OUTDATED', message: expect.stringContaining('checkpoint') },
    });
    await sign('after', 12);
    expect(await json(['attach', 'after'], 13)).toMatchObject({ code: 0 });
    expect(checkpointOf(dist()).hold).toEqual(['alpha']);
  });
});
