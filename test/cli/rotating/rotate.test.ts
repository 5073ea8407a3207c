import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { importRootKey, openRegistry, type RootJwk } from '@passport-registry/verifier';
import { decodeProtectedHeader } from 'jose';
import { folderSource, verifyTree } from 'passport-registry';
import { beforeEach, describe, expect, it } from 'vitest';
import { dying } from '../../support/dying-disk.js';
import { type ErrorCode, expectCommandError } from '../../support/expect-command-error.js';
import { fractions } from '../../support/fast-check.js';
import { copyOf, madeOnce } from '../../support/made-once.js';
import { operatorIn } from '../../support/operator.js';
import { withKeys } from '../../support/settings.js';
import { signsFile } from '../../support/signing-command.js';
import { rounds } from '../../support/soak.js';
import { claimsOf, readTreeFile } from '../../support/statements.js';
import {
  ageLock,
  cleanEnvironment,
  cliAnswering,
  cliProcess,
  commandLine,
  encryptedKey,
  keyPair,
  type Outcome,
  recordText,
  writeFiles,
} from '../../support/workspace.js';

let folder: string;
const { at: path, good, run: command, tree: treeNow } = operatorIn(() => folder);

const text = (...steps: string[]) => readFileSync(path(...steps), 'utf8');
const jwk = (file: string): RootJwk & { kid: string } => JSON.parse(text(file));

const SETTINGS = 'root_key: root.json\nsigner: { key: root.pem }\n';
const ONLINE = 'checkpoint: { signer: { key: online.pem } }\n';

/** Stands for the thumbprint of a key. */
const THUMBPRINT = 'THUMBPRINT';

/** A published registry, with or without an online key. Each is made once, and copied. */
async function published({ online = true } = {}): Promise<void> {
  const made = await madeOnce(`rotate-${online}`, async (home) => {
    folder = home;
    for (const id of ['alpha', 'beta']) writeFiles(home, { [`issuers/${id}.yaml`]: recordText(id) });
    mkdirSync(path('safe'));
    for (const name of ['root', 'online', 'stranger', 'safe/next', 'safe/third']) await keyPair(home, name);
    writeFiles(home, { 'registry.yaml': online ? SETTINGS + ONLINE : SETTINGS });
    await good('build');
    cpSync(path('root.json'), path('old.json'));
  });
  folder = copyOf(made);
}

const NEXT = ['--next-key', 'safe/next.pem'];
const rotate = (...more: string[]) => command('keys', 'rotate', '--yes', ...NEXT, ...more);

/** How verifiers that pinned the outgoing key, and those that pinned the next key, see the tree, and what the settings name. */
async function expectRotated(from = 'old.json'): Promise<void> {
  for (const pinned of [from, 'root.json']) {
    const report = await verifyTree(folderSource(path('dist')), await importRootKey(jwk(pinned)));
    expect(report).toMatchObject({ ok: true, rootKey: jwk('root.json').kid });
    await openRegistry({ get: fileOf }, { rootKey: jwk(pinned), maxAge: 60 });
  }
  expect(jwk('root.json').kid).not.toBe(jwk(from).kid);
  expect((await command('build')).code).toBe(0);
}

const fileOf = async (name: string) =>
  existsSync(path('dist', name)) ? readFileSync(path('dist', name)) : undefined;

/** Rotates, which must be refused, and must leave the tree as it is. @param fact - what the message must name */
async function expectRefused(code: ErrorCode, fact: string, ...more: string[]): Promise<void> {
  const before = treeNow();
  expectCommandError(await rotate('--json', ...more), code, fact);
  expect(treeNow()).toEqual(before);
}

describe('passport-registry keys rotate', () => {
  it.each([true, false])('replaces the root key at once; with an online key: %s', async (online) => {
    await published({ online });
    writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
    const before = text('safe/next.pem');
    const { code, stdout, stderr } = await rotate('--json');
    const { kid } = jwk('root.json');
    expect([text('safe/next.pem'), kid]).toEqual([before, jwk('safe/next.json').kid]);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({
        ok: true,
        done: false,
        outgoing: jwk('old.json').kid,
        next: kid,
        changed: ['registry.yaml', 'root.json'],
        build: expect.objectContaining({ issuers: 3, rootKey: kid }),
      }),
    ]);
    expect(stderr).toContain(`1 changed issuer, and a checkpoint by the ${online ? 'online' : 'next'} key`);
    await expectRotated();
  });

  it('is done when it runs again, and lets another rotation follow', async () => {
    await published();
    expect((await rotate()).code).toBe(0);
    const tree = treeNow();
    const settings = text('registry.yaml');
    const { code, stdout } = await rotate('--json');
    const { kid } = jwk('root.json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { ok: true, done: true, outgoing: jwk('old.json').kid, next: kid, changed: [] },
    ]);
    expect([treeNow(), text('registry.yaml')]).toEqual([tree, settings]);
    await good('status', '--fail-on', 'warning');
    const third = ['keys', 'rotate', '--yes', '--next-key', 'safe/third.pem'];
    expect((await command(...third)).code).toBe(0);
    expect(JSON.parse(String(readTreeFile(path('dist/keys/rotation.json'))))).toHaveLength(2);
    await expectRotated();
  });

  it.each([
    ['yes', 0],
    ['y', 2],
  ])('asks on a terminal: %j', async (answer, code) => {
    await published();
    expect((await cliAnswering(answer, ['keys', 'rotate', ...NEXT], folder)).code).toBe(code);
  });

  it('does nothing without a terminal and without --yes', async () => {
    await published();
    const { code, stderr } = await command('keys', 'rotate', ...NEXT);
    expect([code, stderr]).toEqual([2, expect.stringContaining('pass --yes')]);
  });

  it('takes a P-256 key', async () => {
    await published();
    await keyPair(folder, 'safe/p256', '--alg', 'P-256');
    expect((await rotate('--next-key', 'safe/p256.pem')).code).toBe(0);
    expect(jwk('root.json').kty).toBe('EC');
    await expectRotated();
  });

  it('lets the root key sign the checkpoint where the online key is not at hand', async () => {
    await published();
    rmSync(path('online.pem'));
    writeFiles(folder, {
      'registry.yaml': `${SETTINGS}checkpoint: { public_key: online.json, signer: { key: online.pem } }\n`,
    });
    await expectRefused('ERR_KEY_REJECTED', '--checkpoint-by-root');
    expect((await rotate('--checkpoint-by-root')).code).toBe(0);
    const { kid } = jwk('root.json');
    expect(decodeProtectedHeader(String(readTreeFile(path('dist/checkpoint.jwt'))))).toMatchObject({ kid });
  });

  it('names another online key if registry.yaml does', async () => {
    await published();
    expect((await rotate(...withKeys({ checkpoint: 'stranger.pem' }))).code).toBe(0);
    const { online } = claimsOf(readTreeFile(path('dist/publication.jwt'))) as { online: { keys: unknown } };
    expect(online.keys).toEqual([jwk('stranger.json')]);
  });

  describe('with keys elsewhere', () => {
    it('uses a signing command for the outgoing key', async () => {
      await published();
      const signer = `signer: { command: ${JSON.stringify(signsFile('root.pem'))} }\n`;
      writeFiles(folder, { 'registry.yaml': `root_key: root.json\n${signer}${ONLINE}` });
      const { code, stderr } = await rotate();
      expect([code, stderr]).toEqual([0, expect.stringContaining('changed    registry.yaml, root.json')]);
      await expectRotated();
    });

    it('asks for the passphrase of an encrypted next key only when it signs', async () => {
      await published();
      writeFiles(folder, { 'safe/next.pem': encryptedKey('secret') });
      const without = await rotate();
      expect([without.code, without.stderr]).toEqual([
        2,
        expect.stringContaining('there is no terminal to ask: give --next-passphrase-file'),
      ]);
      writeFiles(folder, { pass: 'secret\n' });
      const { code, stderr } = await rotate('--next-passphrase-file', 'pass');
      expect([code, stderr]).toEqual([0, expect.stringContaining('to     an encrypted key')]);
      // The settings name the file of the passphrase, too.
      await expectRotated();
    });
  });
});

describe('the settings after a rotation', () => {
  it('name the next key, and keep comments, order and spacing', async () => {
    await published();
    const before = [
      '# Our registry.',
      'name:   Nordic   # as on the page',
      '',
      '# logo: logo.svg',
      '',
      '# Of these, one follows.',
      'next_roots:',
      `  - ${THUMBPRINT}  # in the safe`,
      'root_key: root.json # public',
      'signer:',
      '    key: root.pem # private',
      'checkpoint: { signer: { key: online.pem } }',
      '',
    ];
    writeFiles(folder, {
      'registry.yaml': before.join('\n').replace(THUMBPRINT, jwk('safe/next.json').kid),
    });
    expect((await rotate()).code).toBe(0);
    const after = before
      .filter((line) => !/^next_roots|THUMBPRINT|in the safe/.test(line))
      .join('\n')
      .replace('root.pem', 'safe/next.pem');
    expect(text('registry.yaml')).toBe(after);
    await expectRotated();
  });

  it('name the next key as the one that signs checkpoints if the root key did', async () => {
    await published({ online: false });
    writeFiles(folder, { 'registry.yaml': `${SETTINGS}checkpoint: { signer: { key: root.pem } }\n` });
    await good('build');
    expect((await rotate()).stderr).toContain('a checkpoint by the next key');
    expect(text('registry.yaml')).toContain('checkpoint: { signer: { key: safe/next.pem } }');
    expect(claimsOf(readTreeFile(path('dist/publication.jwt')))).not.toHaveProperty('online');
    await expectRotated();
  });

  it.each<[string, string, string]>([
    [
      'a key in a variable',
      'root_key: root.json\nsigner: { key: env:ROOT }\n',
      'into the variable of signer.key, env:ROOT',
    ],
    ['no public key', 'signer: { key: root.pem }\n', '--root-key'],
    ['no signer', 'root_key: root.json\n', 'name the next key with --key'],
  ])('with %s leave something to the operator, in words', async (_name, settings, words) => {
    await published({ online: false });
    writeFiles(folder, { 'registry.yaml': settings });
    const key = /root\.pem/.test(settings) ? [] : ['--key', 'root.pem'];
    const { code, stderr } = await rotate(...key);
    expect([code, stderr]).toEqual([0, expect.stringContaining(words)]);
  });

  it('of an unusual form are left to the operator', async () => {
    await published();
    const settings = `{root_key: root.json, signer: {key: root.pem}, next_roots: [${jwk('safe/next.json').kid}]}\n`;
    writeFiles(folder, { 'registry.yaml': settings });
    const { code, stderr } = await rotate();
    expect([code, stderr]).toEqual([0, expect.stringContaining('registry.yaml has an unusual form')]);
    expect(text('registry.yaml')).toBe(settings);
  });

  it('that a killed rotation has left are changed when it runs again', async () => {
    await published();
    const before = [text('registry.yaml'), text('root.json')] as const;
    expect((await rotate()).code).toBe(0);
    const after = [text('registry.yaml'), text('root.json')];
    for (const settings of [before[0], after[0] as string]) {
      writeFiles(folder, { 'registry.yaml': settings, 'root.json': before[1] });
      const { code, stdout } = await rotate('--json');
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { done: true, outgoing: jwk('old.json').kid }]);
      expect([text('registry.yaml'), text('root.json')]).toEqual(after);
    }
  });
});

describe('a rotation that does not fit', () => {
  beforeEach(() => published());

  it.each<[string, readonly string[], ErrorCode, () => string]>([
    [
      'a root_key that is not that of the tree',
      ['--root-key', 'stranger.json'],
      'ERR_KEY_REJECTED',
      () => `dist is ${jwk('old.json').kid}`,
    ],
    [
      'the outgoing key as the next key',
      ['--next-key', 'root.pem'],
      'ERR_KEY_REJECTED',
      () => jwk('old.json').kid,
    ],
    ['a next key that is a public key', ['--next-key', 'stranger.json'], 'ERR_KEY_REJECTED', () => 'public'],
    ['a next key that is not there', ['--next-key', 'none.pem'], 'ERR_USAGE', () => 'none.pem'],
  ])('with %s is refused before anything is signed', async (_name, args, code, fact) => {
    await expectRefused(code, fact(), ...args);
  });

  it('with a tree that is not valid is refused before anything is signed', async () => {
    writeFiles(folder, { 'dist/issuers/alpha': '{}' });
    await expectRefused('ERR_TREE_REJECTED', 'issuers/alpha');
  });

  it('with a change that a build refuses is refused before anything is signed', async () => {
    rmSync(path('issuers/beta.yaml'));
    const before = treeNow();
    const { code, stdout } = await rotate('--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { diagnostics: [{ rule: 'record-removed' }] }]);
    expect(treeNow()).toEqual(before);
  });

  it.each(['safe/next.pem', 'link/next.pem'])(
    'with a next key in the git repository of the registry is refused: %s',
    async (file) => {
      mkdirSync(path('.git'));
      mkdirSync(`${folder}-links`);
      symlinkSync(path('safe'), path(`../${basename(folder)}-links/link`));
      const key = file.startsWith('link') ? path(`../${basename(folder)}-links/${file}`) : file;
      await expectRefused('ERR_USAGE', `${key} is in the git repository`, '--next-key', key);
    },
  );

  it('with a next key beside the git repository of the registry is not', async () => {
    mkdirSync(path('.git'));
    const outside = `${folder}-keys`;
    renameSync(path('safe'), outside);
    const { code } = await rotate('--next-key', join(outside, 'next.pem'));
    expect(code).toBe(0);
    await expectRotated();
  });

  it('to a key that was the root key before is refused, and nothing is published', async () => {
    expect((await rotate()).code).toBe(0);
    await expectRefused('ERR_KEY_REJECTED', jwk('old.json').kid, '--next-key', 'root.pem');
  });

  it('with another outgoing key, or without one, signs nothing', async () => {
    const other = ['--key', 'stranger.pem'];
    const { kid } = jwk('root.json');
    await expectRefused('ERR_KEY_REJECTED', `root.json is ${kid}`, ...other, '--root-key', 'root.json');
    writeFiles(folder, { 'registry.yaml': ONLINE });
    await expectRefused('ERR_KEY_REJECTED', `outgoing root key is ${kid}`, ...other);
    await expectRefused('ERR_KEY_REJECTED', '--key');
  });

  it('because there is no production tree is refused', async () => {
    rmSync(path('dist'), { recursive: true });
    await expectRefused('ERR_USAGE', 'dist has no tree');
    writeFiles(folder, { 'registry.yaml': '' });
    await good('build');
    await expectRefused('ERR_USAGE', 'a development key signed dist');
  });
});

describe('two rotations at once', () => {
  /** Runs `rotate` on a terminal, does something else at its question, and then answers yes. */
  async function rotateWhile(meanwhile: () => Promise<void>): Promise<Outcome> {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stdout = new PassThrough();
    const stderr = new PassThrough();
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
      return { code, stdout: '', stderr: said };
    } finally {
      process.chdir(before);
    }
  }

  it.each<[string, () => Promise<unknown>]>([
    ['another rotation', () => rotate()],
    ['another key in the file', async () => cpSync(path('safe/third.pem'), path('safe/next.pem'))],
  ])('go on only with what the operator has confirmed: %s came between', async (_name, meanwhile) => {
    await published();
    const { code, stderr } = await rotateWhile(async () => {
      await meanwhile();
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('something has changed since the plan')]);
    await good('verify', 'dist', '--trust-anchor', 'old.json');
  });

  it('end with one key, which its file holds', async () => {
    await published();
    const both = [0, 1].map(() => cliProcess(['keys', 'rotate', '--yes', ...NEXT], folder));
    const codes = (await Promise.all(both)).map(({ code }) => code);
    expect(codes).toContain(0);
    const made = JSON.parse((await good('keys', 'public', 'safe/next.pem')).stdout);
    expect(made.kid).toBe(jwk('root.json').kid);
    await expectRotated();
  });
});

const KILLS = rounds({ usual: 6, soak: 200 });

describe('a rotation that is killed', () => {
  it(`at any of ${KILLS} moments is published or not, and the same command completes it`, async () => {
    const killed = (after: number) => dying({ after, losesPower: false }, () => rotate());
    await published();
    const { changes } = await killed(Number.POSITIVE_INFINITY);
    const outcomes = { before: 0, committed: 0, published: 0 };
    for (const fraction of fractions(KILLS)) {
      await published();
      expect(await killed(Math.floor(fraction * (changes - 1)))).toMatchObject({ isDead: true });
      const secret = text('safe/next.pem');
      const isCommitted = existsSync(path('.dist.stage/manifest.json'));
      ageLock(path('dist'));
      const { code, stdout, stderr } = await rotate('--json');
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
      const { done } = JSON.parse(stdout);
      // What was committed is published, and nothing else.
      if (isCommitted) expect(done).toBe(true);
      outcomes[isCommitted ? 'committed' : done ? 'published' : 'before'] += 1;
      expect(text('safe/next.pem')).toBe(secret);
      expect(JSON.parse(String(readTreeFile(path('dist/keys/rotation.json'))))).toHaveLength(1);
      await expectRotated();
    }
    console.info(`killed ${KILLS} rotations: ${JSON.stringify(outcomes)}`);
  });
});
