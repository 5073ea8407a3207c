import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { importRootKey, openRegistry, RegistryError, type RootJwk } from '@passport-registry/verifier';
import { folderSource, verifyTree } from 'passport-registry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyOf, madeOnce } from '../../support/made-once.js';
import { CLI } from '../../support/paths.js';
import { plainHost } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { claimsOf } from '../../support/signed-tree.js';
import { signsFile } from '../../support/signing-command.js';
import { rounds } from '../../support/soak.js';
import { readTreeFile } from '../../support/statements.js';
import {
  cleanEnvironment,
  cli,
  cliAnswering,
  cliProcess,
  cliWith,
  commandLine,
  encryptedKey,
  filesBelow,
  filesOf,
  type Outcome,
  recordText,
  writeFiles,
} from '../../support/workspace.js';

let folder: string;
/** All output of all commands, in which no secret may be. */
let printed = '';

async function command(args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const outcome = await cli(args, folder, environment);
  printed += outcome.stdout + outcome.stderr;
  return outcome;
}

async function good(...args: string[]): Promise<Outcome> {
  const outcome = await command(args);
  expect([outcome.code, outcome.stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
  return outcome;
}

const path = (...steps: string[]) => join(folder, ...steps);
const text = (...steps: string[]) => readFileSync(path(...steps), 'utf8');
const jwk = (file: string): RootJwk & { kid: string } => JSON.parse(text(file));

async function key(name: string, ...args: string[]): Promise<void> {
  const { stdout } = await good('keys', 'generate', '--no-passphrase', '--private', `${name}.pem`, ...args);
  writeFiles(folder, { [`${name}.json`]: stdout });
}

const SETTINGS = 'root_key: root.json\nsigner: { key: root.pem }\n';
const ONLINE = 'checkpoint: { signer: { key: online.pem } }\n';

const IDS = ['alpha', 'beta'];

/** A published registry, with or without an online key. Each is made once, and copied. */
async function published({ online = true, ids = IDS } = {}): Promise<void> {
  const made = await madeOnce(`rotate-${online}-${ids.length}`, async (home) => {
    folder = home;
    for (const id of ids) writeFiles(home, { [`issuers/${id}.yaml`]: recordText(id) });
    mkdirSync(path('safe'));
    for (const name of ['root', 'online', 'stranger']) await key(name);
    writeFiles(home, { 'registry.yaml': online ? SETTINGS + ONLINE : SETTINGS });
    await good('build');
  });
  folder = copyOf(made);
}

const NEXT = ['--next-key', 'safe/next.pem', '--next-no-passphrase'];
const rotate = (...more: string[]) => command(['keys', 'rotate', '--yes', ...NEXT, ...more]);

/** How verifiers that pinned the outgoing key, and those that pinned the next key, see the tree. */
async function expectRotated(file = 'rotation/next.json'): Promise<void> {
  for (const pinned of ['root.json', file]) {
    const report = await verifyTree(folderSource(path('dist')), await importRootKey(jwk(pinned)));
    expect(report).toMatchObject({ ok: true, rootKey: jwk(file).kid });
    await openRegistry({ get: fileOf }, { rootKey: jwk(pinned), maxAge: 60 });
  }
}

const fileOf = async (name: string) =>
  existsSync(path('dist', name)) ? readFileSync(path('dist', name)) : undefined;

/** The bytes of all files of the tree. */
const treeNow = () => [...filesOf(path('dist'))].map(([name, bytes]) => `${name} ${bytes}`).join('\n');

async function expectRefused(words: string, code: number, ...more: string[]): Promise<void> {
  const before = treeNow();
  const outcome = await rotate(...more);
  expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(words)]);
  expect(treeNow()).toBe(before);
}

afterEach(() => {
  const secrets = [...filesOf(folder)]
    .filter(([name]) => name.endsWith('.pem'))
    .map(([, bytes]) => /-----\n([^-]{40})/.exec(String(bytes))?.[1] ?? 'no such text');
  for (const secret of secrets) expect(printed).not.toContain(secret);
  printed = '';
});

describe('passport-registry keys rotate', () => {
  it.each([true, false])('replaces the root key at once; with an online key: %s', async (online) => {
    await published({ online });
    writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
    const { code, stdout, stderr } = await rotate('--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({
        ...{ ok: true, done: false, outgoing: jwk('root.json').kid, next: jwk('rotation/next.json').kid },
        build: expect.objectContaining({ issuers: 3 }),
      }),
    ]);
    expect(stderr).toMatch(/to do {2}.* safe\/next\.pem/);
    expect(stderr).toMatch(/to do {2}build dist .*: 1 changed issuer\n/);
    expect(stderr).toContain(`checkpoint by the ${online ? 'online' : 'next'} key`);
    await expectRotated();
    expect(statSync(path('safe/next.pem')).mode & 0o777).toBe(0o600);
  });

  it('says what to change, changes no setting itself, and is done when it runs again', async () => {
    await published();
    const before = text('registry.yaml');
    const { stderr } = await rotate();
    expect(stderr).toContain(': cp rotation/next.json root.json\n');
    expect(stderr).toContain('signer: { key: safe/next.pem }');
    const { kid } = jwk('rotation/next.json');
    expect(stderr).toMatch(new RegExp(`${kid} .*${jwk('root.json').kid}`));
    expect(text('registry.yaml')).toBe(before);
    const tree = treeNow();
    const again = await rotate();
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining('The rotation of dist is complete'),
    ]);
    expect(again.stderr).toContain('cp rotation/next.json root.json');
    cpSync(path('rotation/next.json'), path('root.json'));
    writeFiles(folder, { 'registry.yaml': before.replace('root.pem', 'safe/next.pem') });
    const { code, stderr: updated } = await rotate();
    expect([code, updated]).toEqual([0, expect.not.stringContaining('cp ')]);
    expect(JSON.parse((await rotate('--json')).stdout)).toMatchObject({ ok: true, done: true, next: kid });
    expect(treeNow()).toBe(tree);
    rmSync(path('rotation'), { recursive: true });
    await good('build');
    await good('status', '--fail-on', 'warning');
    // The next rotation.
    const third = await command([
      'keys',
      'rotate',
      '--yes',
      '--next-key',
      'safe/third.pem',
      '--next-no-passphrase',
    ]);
    expect(third.code).toBe(0);
    expect(JSON.parse(String(readTreeFile(path('dist/keys/rotation.json'))))).toHaveLength(2);
  });

  it.each([
    ['yes', 0],
    ['y', 2],
    ['', 2],
  ])('asks on a terminal: %j', async (answer, code) => {
    await published();
    const stdin = Object.assign(Readable.from([`${answer}\n`]), { isTTY: true });
    expect(
      (await cliWith(['keys', 'rotate', ...NEXT], folder, { env: cleanEnvironment(), stdin })).code,
    ).toBe(code);
    expect(existsSync(path('safe/next.pem'))).toBe(code === 0);
    expect(existsSync(path('rotation'))).toBe(code === 0);
  });

  it('lifts no suspension that old records lack, and signs nothing', async () => {
    await published();
    const old = text('issuers/alpha.yaml');
    await good('suspend', 'alpha', '--reason', 'leak');
    writeFiles(folder, { 'issuers/alpha.yaml': old });
    await expectRefused('suspension-not-lifted', 1);
    expect([existsSync(path('safe/next.pem')), existsSync(path('rotation'))]).toEqual([false, false]);
  });

  it('goes over what a thief publishes only by --offline', async () => {
    await published();
    const host = copyOf(path('dist'));
    await good('suspend', 'alpha', '--reason', 'leak', '--out', host);
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha') });
    const url = await plainHost(host, 'index.html');
    writeFiles(folder, { 'registry.yaml': `${SETTINGS}${ONLINE}base_url: ${url}\n` });
    await expectRefused('`load`', 1);
    expect(existsSync(path('safe/next.pem'))).toBe(false);
    const outcome = await rotate('--offline');
    expect(outcome.code, outcome.stderr).toBe(0);
  });

  it('does nothing without a terminal and without --yes', async () => {
    await published();
    const { code, stderr } = await command(['keys', 'rotate', ...NEXT]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('pass --yes')]);
    expect([existsSync(path('safe/next.pem')), existsSync(path('rotation'))]).toEqual([false, false]);
  });

  it('never overwrites a key', async () => {
    await published();
    await key('safe/next');
    const before = text('safe/next.pem');
    expect((await rotate()).code).toBe(0);
    expect(text('safe/next.pem')).toBe(before);
    await expectRotated('safe/next.json');
  });

  it('makes a P-256 key, and takes a key from a variable', async () => {
    await published();
    const { code } = await command(
      ['keys', 'rotate', '--yes', ...NEXT, '--alg', 'P-256', '--key', 'env:ROOT'],
      {
        ROOT: text('root.pem'),
      },
    );
    expect([code, jwk('rotation/next.json').kty]).toEqual([0, 'EC']);
    await expectRotated();
  });

  it('lets the next root key sign checkpoints if the root key did', async () => {
    await published({ online: false });
    await good('build', ...withKeys({ checkpoint: 'root.pem' }));
    expect((await rotate()).stderr).toContain('with a checkpoint by the next key');
    await expectRotated();
  });

  it('names another online key if registry.yaml does', async () => {
    await published();
    expect((await rotate(...withKeys({ checkpoint: 'stranger.pem' }))).code).toBe(0);
    const { online } = claimsOf(readTreeFile(path('dist/publication.jwt'))) as { online: { keys: unknown } };
    expect(online.keys).toEqual([jwk('stranger.json')]);
    await expectRotated();
  });

  describe('with keys elsewhere', () => {
    it('uses signing commands for both keys', async () => {
      await published();
      await key('safe/next');
      const signer = `signer: { command: ${JSON.stringify(signsFile('root.pem'))} }\n`;
      writeFiles(folder, { 'registry.yaml': `root_key: root.json\n${signer}${ONLINE}` });
      const { code, stderr } = await command([
        ...['keys', 'rotate', '--yes'],
        ...['--next-root-key', 'safe/next.json', '--next-signer-command', signsFile('safe/next.pem')],
      ]);
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining('signer: { command: the command of the next key }'),
      ]);
      await expectRotated('safe/next.json');
    });

    it('signs no step to a key that the next signing command does not have', async () => {
      await published();
      await key('safe/next');
      // A planted file names the key of a stranger.
      writeFiles(folder, { 'rotation/next.json': text('stranger.json') });
      const args = ['keys', 'rotate', '--yes', '--next-signer-command', signsFile('safe/next.pem')];
      const unnamed = await command(args);
      expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('pass --next-root-key')]);
      const other = await command([...args, '--next-root-key', 'safe/next.json']);
      expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('belongs to a rotation to')]);
      const wrong = await command([...args, '--next-root-key', 'stranger.json']);
      expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('not valid for the payload')]);
      expect(existsSync(path('rotation/step.jwt'))).toBe(false);
    });

    it('judges the passphrase of a key to make before the operator reads a plan or answers', async () => {
      await published();
      writeFiles(folder, { short: 'correct\n' });
      const args = ['keys', 'rotate', '--next-key', 'safe/next.pem'];
      const short = await cliAnswering('yes', [...args, '--next-passphrase-file', 'short'], folder);
      expect([short.code, short.stderr]).toEqual([
        3,
        expect.stringMatching(/^passport-registry: the passphrase in short has fewer than 12 characters/),
      ]);
      const none = await command(args);
      expect([none.code, none.stderr]).toEqual([
        2,
        expect.stringMatching(/^passport-registry: .*--next-passphrase-file/),
      ]);
      expect(existsSync(path('safe/next.pem')) || existsSync(path('rotation'))).toBe(false);
    });

    it('asks for the passphrase of an encrypted next key only when it signs', async () => {
      await published();
      writeFiles(folder, { 'safe/next.pem': encryptedKey('secret') });
      const without = await rotate();
      expect([without.code, without.stderr]).toEqual([
        2,
        expect.stringContaining('there is no terminal to ask: give --next-passphrase-file'),
      ]);
      expect(existsSync(path('rotation/outgoing.json'))).toBe(false);
      writeFiles(folder, { pass: 'secret\n' });
      const { code, stderr } = await rotate('--next-passphrase-file', 'pass');
      expect([code, stderr]).toEqual([0, expect.stringContaining('to     an encrypted key')]);
      await expectRotated();
      printed += stderr;
      expect(printed).not.toContain('secret\n');
    });
  });
});

describe('a rotation that does not fit', () => {
  beforeEach(() => published());

  /** A rotation that was stopped before the build, because the online key is not there. */
  async function stoppedBeforeBuild(): Promise<void> {
    writeFiles(folder, { 'issuers/.gitkeep': '' });
    renameSync(path('dist'), path('kept'));
    cpSync(path('kept'), path('dist'), { recursive: true });
    expect((await rotate()).code).toBe(0);
    rmSync(path('dist'), { recursive: true });
    renameSync(path('kept'), path('dist'));
  }

  it.each<[string, () => Promise<void>, string, number]>([
    [
      'with a forged step',
      async () => {
        const step = text('rotation/step.jwt').trim();
        writeFiles(folder, { 'rotation/step.jwt': `${step.slice(0, -8)}AAAAAAAA` });
      },
      'step.jwt is not a step from',
      3,
    ],
    [
      'with a step by another key',
      async () => step('stranger.pem', 'rotation/next.json'),
      'step.jwt is not a step from',
      3,
    ],
    ['with a step to another key', async () => step('root.pem', 'stranger.json'), 'step.jwt leads to', 3],
    [
      'with an empty step',
      async () => writeFiles(folder, { 'rotation/step.jwt': '' }),
      'step.jwt is not a step',
      3,
    ],
    [
      'with another next key',
      async () => cpSync(path('stranger.pem'), path('safe/next.pem')),
      'but rotation belongs to a rotation to',
      3,
    ],
    [
      'with a next.json that is no key',
      async () => writeFiles(folder, { 'rotation/next.json': '{}' }),
      'next.json contains no public JWK',
      3,
    ],
    [
      'without the next key',
      async () => rmSync(path('safe/next.pem')),
      'does not exist, but rotation belongs',
      3,
    ],
    [
      'after the tree has got another root key',
      async () => {
        writeFiles(folder, { other: (await good('keys', 'step', '--next', 'stranger.json')).stdout });
        const args = ['--key', 'stranger.pem', '--root-key', 'stranger.json'];
        await good('build', ...args, '--rotation', 'other');
        writeFiles(folder, { 'registry.yaml': ONLINE });
      },
      'belongs to a rotation from',
      1,
    ],
  ])('%s is refused', async (_name, alter, words, code) => {
    await stoppedBeforeBuild();
    await alter();
    await expectRefused(words, code);
  });

  async function step(by: string, to: string): Promise<void> {
    const args = ['keys', 'step', '--key', by, '--root-key', by.replace('pem', 'json'), '--next', to];
    writeFiles(folder, { 'rotation/step.jwt': (await good(...args)).stdout });
  }

  it.each<[string, () => void, readonly string[], string, number]>([
    [
      'a root_key that is not the key of the tree',
      () => undefined,
      ['--root-key', 'stranger.json'],
      'but the root key of dist is',
      3,
    ],
    [
      'a tree that is not valid',
      () => writeFiles(folder, { 'dist/issuers/alpha': '{}' }),
      [],
      'dist is not valid',
      1,
    ],
    ['a change that a build refuses', () => rmSync(path('issuers/beta.yaml')), [], 'nothing was signed', 1],
    [
      'a key file in the tree',
      () => undefined,
      ['--next-key', 'dist/next.pem'],
      'where a build would remove it',
      2,
    ],
    [
      'a key file in the folder of the rotation',
      () => undefined,
      ['--next-key', 'rotation/next.pem'],
      'which is removed',
      2,
    ],
    [
      'the outgoing key as the next key',
      () => undefined,
      ['--next-key', 'root.pem'],
      'is the root key of dist already',
      3,
    ],
    [
      'a next key that is a public key',
      () => undefined,
      ['--next-key', 'stranger.json'],
      'is a public key',
      3,
    ],
    ['two next keys', () => undefined, ['--next-signer-command', 'false'], 'pass the next root key', 2],
  ])('with %s is refused before anything is signed', async (_name, alter, args, words, code) => {
    alter();
    await expectRefused(words, code, ...args);
    expect(existsSync(path('rotation/step.jwt'))).toBe(false);
    expect(existsSync(path('safe/next.pem'))).toBe(false);
  });

  it.each(['safe/next.pem', 'none/next.pem', 'link/next.pem'])(
    'with a next key to make in the git repository of the registry is refused: %s',
    async (file) => {
      mkdirSync(path('.git'));
      mkdirSync(`${folder}-links`);
      symlinkSync(path('safe'), path(`../${basename(folder)}-links/link`));
      const key = file.startsWith('link') ? path(`../${basename(folder)}-links/${file}`) : file;
      await expectRefused('is in the git repository', 2, '--next-key', key);
      expect([existsSync(path('rotation')), existsSync(path('safe/next.pem'))]).toEqual([false, false]);
    },
  );

  it('with a next key beside the git repository of the registry is not', async () => {
    mkdirSync(path('.git'));
    const outside = `${folder}-keys`;
    mkdirSync(outside);
    const { code, stderr } = await rotate('--next-key', join(outside, 'next.pem'), '--next-no-passphrase');
    expect([code, stderr]).toEqual([0, expect.stringContaining('verified')]);
  });

  it('to a key that was the root key before is refused, and nothing is signed', async () => {
    expect((await rotate()).code).toBe(0);
    writeFiles(folder, { 'root.json': text('rotation/next.json') });
    rmSync(path('rotation'), { recursive: true });
    const args = ['keys', 'rotate', '--yes', '--key', 'safe/next.pem', '--next-key', 'root.pem'];
    const { code, stderr } = await command(args);
    expect([code, stderr]).toEqual([3, expect.stringContaining('was the root key before')]);
    expect(existsSync(path('rotation/step.jwt'))).toBe(false);
  });

  it('with another outgoing key, or without one, makes and signs nothing', async () => {
    await expectRefused('but root.json is', 3, '--key', 'stranger.pem', '--root-key', 'root.json');
    writeFiles(folder, { 'registry.yaml': ONLINE });
    await expectRefused('but the outgoing root key is', 3, '--key', 'stranger.pem');
    await expectRefused('no signing key', 3);
    expect([existsSync(path('rotation')), existsSync(path('safe/next.pem'))]).toEqual([false, false]);
  });

  it('because there is no production tree is refused', async () => {
    rmSync(path('dist'), { recursive: true });
    const none = await rotate();
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('dist has no tree')]);
    writeFiles(folder, { 'registry.yaml': '' });
    await good('build');
    await expectRefused('a development key signed dist', 2);
  });

  it('goes on after the tree has got another list', async () => {
    await stoppedBeforeBuild();
    writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
    await good('build');
    expect((await rotate()).code).toBe(0);
    await expectRotated();
  });
});

const KILLS = rounds({ usual: 3, soak: 200 });

/** A file of the tree that a rotation replaces early. */
const SWITCHED = 'dist/keys/root.json';
/** The files that a rotation writes before. */
const STEPS = ['rotation/step.jwt', 'safe/next.pem', 'rotation/outgoing.json'];

describe('the place of the next key', () => {
  it.each(['rotation/next.pem', 'dist/next.pem'])(
    'is never %s, whether or not the key exists',
    async (file) => {
      await published();
      for (const exists of [false, true]) {
        if (exists) {
          await key('elsewhere');
          writeFiles(folder, { [file]: text('elsewhere.pem') });
        }
        const before = exists ? text(file) : undefined;
        const { code } = await command([
          'keys',
          'rotate',
          '--yes',
          '--next-key',
          file,
          '--next-no-passphrase',
        ]);
        expect(code).toBe(2);
        if (before !== undefined) expect(text(file)).toBe(before);
        expect(existsSync(path('rotation/step.jwt'))).toBe(false);
      }
    },
  );
});

describe('two rotations at once', () => {
  /** Runs `rotate` on a terminal, does something else at its question, and then answers yes. */
  async function rotateWhile(meanwhile: () => Promise<void>): Promise<Outcome> {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    let said = '';
    stderr.on('data', async (chunk: Buffer) => {
      const wasAsked = said.includes('Only yes does');
      said += chunk;
      if (wasAsked || !said.includes('Only yes does')) return;
      await meanwhile();
      stdin.write('yes\n');
    });
    const before = process.cwd();
    process.chdir(folder);
    try {
      const { main } = await commandLine();
      const code = await main(['keys', 'rotate', ...NEXT], {
        stdin,
        stdout,
        stderr,
        env: cleanEnvironment(),
      });
      printed += said;
      return { code, stdout: '', stderr: said };
    } finally {
      process.chdir(before);
    }
  }

  it('do not replace the key that the other one has made and published', async () => {
    await published();
    const { code, stderr } = await rotateWhile(async () => {
      expect((await rotate()).code).toBe(0);
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('something has changed since the plan')]);
    await expectRotated();
    const made = JSON.parse((await good('keys', 'public', 'safe/next.pem')).stdout);
    expect(made.kid).toBe(jwk('rotation/next.json').kid);
  });

  it.each([
    ['a key that was made at the question', async () => key('safe/next')],
    [
      'another key in place of the one that was shown',
      async () => {
        rmSync(path('safe/next.pem'));
        await key('safe/next');
      },
    ],
  ])('never sign a step to %s', async (_name, change) => {
    await published();
    if (_name.startsWith('another')) await key('safe/next');
    const tree = treeNow();
    const { code, stderr } = await rotateWhile(change);
    expect([code, stderr]).toEqual([2, expect.stringContaining('something has changed since the plan')]);
    expect(existsSync(path('rotation/step.jwt'))).toBe(false);
    expect(treeNow()).toBe(tree);
  });

  it('end with one key, which its file holds', async () => {
    await published();
    const both = [0, 1].map(() => cliProcess(['keys', 'rotate', '--yes', ...NEXT], folder));
    const codes = (await Promise.all(both)).map(({ code }) => code);
    expect(codes).toContain(0);
    const made = JSON.parse((await good('keys', 'public', 'safe/next.pem')).stdout);
    expect(made.kid).toBe(jwk('rotation/next.json').kid);
    await expectRotated();
  });
});

describe('a rotation that is stopped', () => {
  it('after any of its files continues there, and signs nothing twice', async () => {
    await published();
    renameSync(path('dist'), path('before'));
    cpSync(path('before'), path('dist'), { recursive: true });
    expect((await rotate()).code).toBe(0);
    renameSync(path('dist'), path('after'));
    renameSync(path('rotation'), path('whole'));
    const files = ['outgoing.json', 'next.json', 'step.jwt'];
    for (let made = 0; made <= files.length; made++) {
      rmSync(path('dist'), { recursive: true, force: true });
      rmSync(path('rotation'), { recursive: true, force: true });
      cpSync(path('before'), path('dist'), { recursive: true });
      for (const file of files.slice(0, made)) {
        writeFiles(folder, { [`rotation/${file}`]: text('whole', file) });
      }
      const { code, stderr } = await rotate();
      expect([made, code, stderr.match(/^done /gm)?.length]).toEqual([made, 0, 1 + Math.max(0, made - 2)]);
      for (const file of files.slice(0, made)) expect(text('rotation', file)).toBe(text('whole', file));
      await expectRotated();
    }
    // A build renames these files last, in this order, and can be killed before each of them.
    const last = ['issuers.sig', 'issuers.json', 'SHA256SUMS', 'statements.json'];
    const first = filesBelow(path('after')).filter((name) => !last.includes(name));
    for (let renamed = 0; renamed < last.length; renamed++) {
      rmSync(path('dist'), { recursive: true });
      cpSync(path('before'), path('dist'), { recursive: true });
      for (const name of [...first, ...last.slice(0, renamed)]) {
        writeFiles(folder, { [`dist/${name}`]: readFileSync(path('after', name)) });
      }
      cpSync(path('whole'), path('rotation'), { recursive: true });
      const { code, stderr } = await rotate();
      expect([renamed, code, stderr]).toEqual([renamed, 0, expect.stringContaining('done   sign the step')]);
      await expectRotated();
    }
  });

  it('before it wrote the key leaves an empty file, which is never removed or replaced', async () => {
    await published();
    writeFiles(folder, { 'safe/next.pem': '' });
    const { code, stderr } = await rotate();
    expect([code, stderr]).toEqual([3, expect.stringContaining('safe/next.pem is empty')]);
    expect(text('safe/next.pem')).toBe('');
    rmSync(path('safe/next.pem'));
    expect((await rotate()).code).toBe(0);
    await expectRotated();
  });

  it(`at any of ${KILLS} moments leaves what verifiers accept or refuse, and continues`, async () => {
    const ids = Array.from({ length: rounds({ usual: 50, soak: 200 }) }, (_one, index) => `issuer-${index}`);
    const outcomes = { accepted: 0, refused: 0, torn: 0 };
    for (let kill = 0; kill < KILLS; kill++) {
      await published({ ids });
      const sums = text('dist/SHA256SUMS');
      await killed(kill % 2 === 0 ? SWITCHED : (STEPS[((kill - 1) / 2) % STEPS.length] as string));
      const isAccepted = await openRegistry(
        { get: fileOf },
        { rootKey: jwk('root.json'), maxAge: 3600 },
      ).then(
        () => true,
        (error) => {
          expect(error).toBeInstanceOf(RegistryError);
          return false;
        },
      );
      outcomes[isAccepted ? 'accepted' : 'refused'] += 1;
      const report = await verifyTree(folderSource(path('dist')), await importRootKey(jwk('root.json')));
      if (!report.ok) outcomes.torn += 1;
      // Whoever verifies the whole tree accepts the old one or the new one.
      if (report.ok) expect(isAccepted).toBe(true);
      if (!existsSync(path('rotation/step.jwt')))
        expect([report.ok, text('dist/SHA256SUMS')]).toEqual([true, sums]);
      const secret = existsSync(path('safe/next.pem')) ? text('safe/next.pem') : '';
      const signed = existsSync(path('rotation/step.jwt')) ? text('rotation/step.jwt') : '';
      const { code, stderr } = await rotate();
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
      if (secret !== '') expect(text('safe/next.pem')).toBe(secret);
      if (signed !== '') expect(text('rotation/step.jwt')).toBe(signed);
      await expectRotated();
    }
    console.info(`killed ${KILLS} rotations: ${JSON.stringify(outcomes)}`);
  });

  const contentOf = (file: string) => (existsSync(path(file)) ? text(file) : undefined);

  /** Kills a rotation soon after it has written a file. */
  async function killed(after: string): Promise<void> {
    const before = contentOf(after);
    const child = spawn(process.execPath, [CLI, 'keys', 'rotate', '--yes', ...NEXT], {
      cwd: folder,
      env: cleanEnvironment(),
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    while (child.exitCode === null && contentOf(after) === before) await pause(1);
    const later = performance.now() + Math.random() * 4;
    if (after === SWITCHED) while (performance.now() < later);
    else await pause(Math.random() * 50);
    child.kill('SIGKILL');
    await ended;
  }

  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
});
