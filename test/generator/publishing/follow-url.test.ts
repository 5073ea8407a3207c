import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { claimsOf, readTreeFile, setStatement, statementIn } from '../../support/statements.js';
import { timeLimitsByHand } from '../../support/time-limits.js';
import { cli, clockAhead, filesOf, keyedWorkspace, recordText, writeFiles } from '../../support/workspace.js';

/** A folder with several trees of a registry, by name. None of the commands that made them has asked a host. */
let made: string;
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
  rmSync(join(folder, to), { recursive: true, force: true });
  cpSync(join(folder, from), join(folder, to), { recursive: true });
};

const record = (name: string) =>
  writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { contact: `${name}@beta.internal` }) });

/** Builds a tree over another one, with another contact of an issuer. */
async function buildOver(before: string, name: string, minutes: number): Promise<void> {
  copy(before, name);
  record(name);
  await good(['build', '--production', '--out', name], minutes);
}

beforeAll(async () => {
  shortenRetries();
  folder = await keyedWorkspace(['alpha', 'beta'], 'online', 'other', 'next', 'another');
  writeFiles(folder, { 'registry.yaml': settings('') });
  const rootKey = readFileSync(join(folder, 'key.json'), 'utf8');
  await good(['build', '--production', '--out', 'first'], 0);
  await buildOver('first', 'second', 2);
  await buildOver('first', 'fork', 3);
  await buildOver('second', 'third', 4);
  record('second');
  copy('second', 'rotated');
  const rotate = ['keys', 'rotate', '--yes', '--next-key', 'next.pem'];
  await good([...rotate, '--out', 'rotated'], 5);
  copy('rotated/keys/root.json', 'next.json');
  // The other trees keep the key.
  writeFiles(folder, { 'registry.yaml': settings(''), 'key.json': rootKey });
  await good(
    ['build', '--production', '--out', 'foreign', '--key', 'other.pem', '--root-key', 'other.json'],
    6,
  );
  copy('second', 'damaged');
  const checkpoint = statementIn(join(folder, 'damaged'), 'checkpoint');
  setStatement(join(folder, 'damaged'), 'checkpoint', `${checkpoint.slice(0, -8)}AAAAAAAA`);
  made = folder;
});

beforeEach(async () => {
  folder = copyOf(made);
  host = await registryHost();
  writeFiles(folder, { 'registry.yaml': settings(host.base) });
});

/** Lets the host serve a tree, or answer like a host that has none. */
function serve(shown: string): void {
  host.files = existsSync(join(folder, shown)) ? filesOf(join(folder, shown)) : new Map();
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

const COMMANDS = {
  build: ['build', '--production'],
  unsigned: ['build', '--unsigned', 'request'],
  suspend: ['suspend', 'beta', '--reason', 'x', '--production'],
  rotate: ['keys', 'rotate', '--yes', '--next-key', 'another.pem'],
  checkpoint: ['checkpoint'],
  hold: ['hold', 'beta'],
} as const;

const isCheckpoint = (name: string) => name === 'checkpoint' || name === 'hold';

/** Whether a command has signed something, or written a request. */
const state = () => [
  existsSync(join(folder, 'dist')) ? readFileSync(join(folder, 'dist/statements.json'), 'utf8') : '',
  existsSync(join(folder, 'request')),
];

/** What the URL shows to a tree with the second publication: sentences (a) to (d) of rule follows-url, in order. */
const SHOWN = {
  follows: ['second', 'first'],
  absent: ['nothing'],
  unreadable: ['status 500', 'a redirect', 'a page', 'cut', 'damaged', 'foreign'],
  other: ['third', 'fork', 'rotated'],
} as const;

/**
 * One rule answers all commands: every command where the URL shows the first of a kind, and for the others a list and a
 * hold, which alone may go on without an answer.
 */
const cases = (kind: keyof typeof SHOWN) => {
  const [first, ...others] = SHOWN[kind];
  const names = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];
  return [
    ...names.map((name) => [first, name] as const),
    ...others.flatMap((shown) => (['build', 'hold'] as const).map((name) => [shown, name] as const)),
  ];
};

describe('over the second publication', () => {
  beforeEach(() => {
    copy('second', 'dist');
    record('next');
  });

  it.each(cases('follows'))('where the URL shows the %s, %s goes on', async (shown, name) => {
    serve(shown);
    const { code, stderr } = await json(COMMANDS[name]);
    expect(code, stderr).toBe(0);
    expect(host.log).toContainEqual(expect.stringMatching(/^statements\.json\?[\w-]{20,} 200$/));
    expect(stderr).not.toContain(host.base);
  });

  it.each(cases('absent'))('where the URL shows %s, %s goes on, and says so', async (shown, name) => {
    serve(shown);
    const { code, stderr } = await json(COMMANDS[name]);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${host.base} serves no registry`)]);
  });

  it.each(cases('unreadable'))('where the URL shows %s, %s goes on or is refused', async (shown, name) => {
    serve(shown);
    const before = state();
    const { code, stderr, error } = await json(COMMANDS[name]);
    if (isCheckpoint(name)) {
      expect([code, stderr]).toEqual([0, expect.stringContaining(`${host.base} does not show`)]);
      return;
    }
    expect([code, error.code, error.message]).toEqual([
      4,
      'ERR_IO_FAILED',
      expect.stringContaining('--offline'),
    ]);
    expect(state()).toEqual(before);
    expect(await json([...COMMANDS[name], '--offline'])).toMatchObject({ code: 0 });
  });

  it.each(cases('other'))('where the URL shows the %s, %s is refused', async (shown, name) => {
    serve(shown);
    const before = state();
    const { code, error } = await json(COMMANDS[name]);
    expect([code, error.code, error.message]).toEqual([
      1,
      'ERR_ALREADY_PUBLISHED',
      expect.stringContaining('`load`'),
    ]);
    expect(state()).toEqual(before);
    const asked = host.log.length;
    expect(await json([...COMMANDS[name], '--offline'])).toMatchObject({ code: 0 });
    expect(host.log).toHaveLength(asked);
  });

  it('a URL that is silent counts as unreadable', async () => {
    serve('silence');
    const endLimits = timeLimitsByHand();
    const { intercept } = host;
    host.intercept = (...asked) => {
      const isSilent = intercept(...asked);
      endLimits(5000);
      return isSilent;
    };
    expect(await json(COMMANDS.build)).toMatchObject({ code: 4, error: { code: 'ERR_IO_FAILED' } });
  });

  it('a development key asks nobody', async () => {
    serve('third');
    writeFiles(folder, { 'registry.yaml': `base_url: ${host.base}\n` });
    for (const args of [['build'], ['checkpoint', 'preview']])
      expect(await json([...args, ...(args[0] === 'build' ? ['--out', 'preview'] : [])])).toMatchObject({
        code: 0,
      });
    expect(host.log).toEqual([]);
  });
});

it('a rotated tree follows the earlier key of its registry, but not what that key has signed since', async () => {
  copy('rotated', 'dist');
  const next = ['--key', 'next.pem', '--root-key', 'next.json'];
  serve('second');
  expect(await json(['build', '--production', ...next])).toMatchObject({ code: 0 });
  serve('third');
  expect(await json(['build', '--production', ...next])).toMatchObject({ code: 4 });
});

describe('a first list', () => {
  const build = COMMANDS.build;

  it.each([...SHOWN.absent, ...SHOWN.unreadable.filter((shown) => shown !== 'damaged')])(
    'needs --first where the URL shows %s',
    async (shown) => {
      serve(shown);
      for (const more of [[], ['--offline']]) {
        for (const command of [build, COMMANDS.unsigned]) {
          const { code, error } = await json([...command, ...more]);
          expect([code, error.code, error.message]).toEqual([
            2,
            'ERR_USAGE',
            expect.stringContaining('--first'),
          ]);
        }
      }
      expect(state()).toEqual(['', false]);
      expect(await json([...build, '--first'])).toMatchObject({ code: 0 });
    },
  );

  it('is refused, also with --first, where the URL shows a list of its root key or of a key that follows', async () => {
    for (const shown of [...SHOWN.follows, ...SHOWN.other]) {
      serve(shown);
      const { code, error } = await json([...build, '--first']);
      expect([code, error.code]).toEqual([1, 'ERR_ALREADY_PUBLISHED']);
    }
    expect(state()).toEqual(['', false]);
  });

  it('needs nothing without base_url', async () => {
    writeFiles(folder, { 'registry.yaml': settings('') });
    expect(await json(build)).toMatchObject({ code: 0 });
  });
});

describe('what this machine has read at the URL', () => {
  it.each(['first', 'second', 'nothing'])('counts, also if the URL shows %s now', async (shown) => {
    copy('second', 'dist');
    serve('third');
    expect(await json(COMMANDS.build)).toMatchObject({ code: 1 });
    serve(shown);
    for (const command of [COMMANDS.build, COMMANDS.hold]) {
      const { code, error } = await json(command);
      const facts = [1, 'ERR_ALREADY_PUBLISHED', expect.stringContaining('does not follow publication 3')];
      expect([code, error.code, error.message]).toEqual(facts);
    }
    const { code, notes } = await json([...COMMANDS.build, '--offline']);
    expect([code, notes]).toEqual([0, expect.arrayContaining([expect.stringContaining('publication 3')])]);
  });

  it('is said with --offline, too, where a hold would be lost', async () => {
    copy('second', 'dist');
    copy('second', 'url');
    await good(['hold', 'alpha', '--offline', '--out', 'url'], 60);
    serve('url');
    copy('second', 'dist');
    expect(await json(COMMANDS.hold, 61)).toMatchObject({ code: 0, hold: ['alpha', 'beta'] });
    copy('second', 'dist');
    const { code, warnings } = await json([...COMMANDS.hold, '--offline'], 62);
    expect([code, warnings]).toEqual([
      0,
      expect.arrayContaining([expect.stringContaining('does not hold alpha')]),
    ]);
  });
});

describe('a new checkpoint', () => {
  const checkpointOf = (tree = 'dist') => {
    const { iat, hold = [] } = claimsOf(readTreeFile(join(folder, tree, 'checkpoint.jwt')));
    return { iat, hold };
  };
  /** Signs over a copy of a tree without asking. */
  const elsewhere = async (tree: string, args: readonly string[], minutes: number) =>
    good([...args, '--offline', ...(args[0] === 'checkpoint' ? [tree] : ['--out', tree])], minutes);

  beforeEach(() => {
    copy('second', 'dist');
    copy('second', 'url');
  });

  it.each([
    ['checkpoint', COMMANDS.checkpoint, ['alpha']],
    ['hold', COMMANDS.hold, ['alpha', 'beta']],
    ['build of the same records', COMMANDS.build, ['alpha']],
    ['suspend', COMMANDS.suspend, ['alpha']],
    ['rotate', COMMANDS.rotate, ['alpha']],
  ])('by %s keeps a hold at the URL that the tree has never seen', async (_name, command, hold) => {
    await elsewhere('url', ['hold', 'alpha'], 10);
    serve('url');
    expect(await json(command, 20)).toMatchObject({ code: 0 });
    expect(checkpointOf().hold).toEqual(hold);
    // A build of the same records signs nothing: the tree gets the checkpoint of the URL.
    const least = Number(checkpointOf('url').iat) + (command === COMMANDS.build ? 0 : 1);
    expect(checkpointOf().iat).toBeGreaterThanOrEqual(least);
  });

  it('ends a hold that only the URL has', async () => {
    await elsewhere('url', ['hold', 'alpha'], 10);
    serve('url');
    expect(await json(['hold', '--end', 'alpha', '--false-alarm'], 20)).toMatchObject({ code: 0, hold: [] });
  });

  it('has the holds of the newer one, and names whom the tree held', async () => {
    await elsewhere('dist', ['hold', 'beta'], 10);
    await elsewhere('url', ['hold', 'alpha'], 11);
    serve('url');
    const { code, hold, warnings } = await json(['checkpoint'], 20);
    expect([code, hold, warnings]).toEqual([0, ['alpha'], [expect.stringContaining('beta')]]);
    // The tree is the newer one from then on.
    expect(await json(['hold', '--end', 'alpha', '--false-alarm'], 21)).toMatchObject({ code: 0 });
    expect(await json(['checkpoint'], 22)).toMatchObject({ code: 0, hold: [] });
  });

  it.each([
    ['checkpoint', COMMANDS.checkpoint],
    ['build of the same records', COMMANDS.build],
  ])('by %s has the holds of both if they were signed in the same second', async (_name, command) => {
    const clock = Math.floor(Date.now() / 1000) * 1000 + 999;
    const now = Date.now;
    try {
      for (const [tree, id] of [
        ['dist', 'alpha'],
        ['url', 'beta'],
      ] as const) {
        Date.now = () => clock;
        await elsewhere(tree, ['hold', id], 30);
      }
    } finally {
      Date.now = now;
    }
    expect(checkpointOf('dist').iat).toBe(checkpointOf('url').iat);
    serve('url');
    expect(await json(command, 40)).toMatchObject({ code: 0 });
    expect(checkpointOf().hold).toEqual(['alpha', 'beta']);
  });

  it('keeps a hold that was signed at the URL while the next publication was built', async () => {
    await elsewhere('url', ['hold', 'alpha'], 10);
    serve('url');
    copy('third', 'dist');
    expect(await json(['checkpoint'], 20)).toMatchObject({ code: 0, hold: ['alpha'] });
  });

  it('in a request keeps them, and a request of before is refused', async () => {
    const byRoot = settings(host.base).replace(ONLINE, '');
    writeFiles(folder, { 'registry.yaml': byRoot });
    copy('second', 'dist');
    serve('url');
    writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
    const sign = async (request: string, minutes: number) => {
      expect(await json(['build', '--unsigned', request], minutes)).toMatchObject({ code: 0 });
      expect(await json(['sign', request, '--yes', '--memory', `${request}-memory`], minutes)).toMatchObject({
        code: 0,
      });
    };
    await sign('before', 9);
    await elsewhere('url', ['hold', 'alpha'], 10);
    serve('url');
    const { code, error } = await json(['attach', 'before'], 11);
    expect([code, error.code, error.message]).toEqual([
      2,
      'ERR_REQUEST_OUTDATED',
      expect.stringContaining('the published checkpoint is newer'),
    ]);
    await sign('after', 12);
    expect(await json(['attach', 'after'], 13)).toMatchObject({ code: 0 });
    expect(checkpointOf().hold).toEqual(['alpha']);
  });
});
