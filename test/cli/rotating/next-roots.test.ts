import { createPrivateKey } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TrustAnchor } from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, expectCommandError } from '../../support/expect-command-error.js';
import { copyOf, madeOnce } from '../../support/made-once.js';
import { operatorIn } from '../../support/operator.js';
import { serve } from '../../support/serving.js';
import { signFiles } from '../../support/signing-request.js';
import { claimsOf, statementIn } from '../../support/statements.js';
import {
  cliProcess,
  filesOf,
  keyPair,
  type Outcome,
  recordText,
  writeFiles,
} from '../../support/workspace.js';

let folder: string;
const { at: path, run: command, good, tree: treeNow } = operatorIn(() => folder);
const text = (...steps: string[]) => readFileSync(path(...steps), 'utf8');
const kid = (name: string): string => JSON.parse(text(`${name}.json`)).kid;
const KEYS = ['root', 'first', 'second', 'third', 'fourth', 'thief'] as const;
const signedBy = (name: string) => ['--key', `${name}.pem`, '--root-key', `${name}.json`];

/** Writes registry.yaml with keys that can follow the root key. */
const settings = (...next: string[]) =>
  writeFiles(folder, {
    'registry.yaml': `root_key: root.json\nsigner: { key: root.pem }\n${next.length === 0 ? '' : `next_roots: [${next.map((name) => `"${kid(name)}"`).join(', ')}]\n`}`,
  });

/** Writes a trust anchor of the first root key. */
function anchor(...next: string[]): string[] {
  const trusted: TrustAnchor = {
    root: JSON.parse(text('root.json')),
    ...(next.length > 0 && { next_roots: next.map(kid) }),
  };
  writeFiles(folder, { 'anchor.json': JSON.stringify(trusted) });
  return ['--trust-anchor', 'anchor.json'];
}

/** Rotates by the keys of options. The settings are written anew, because a rotation changes them. */
async function rotate(by: string, to: string, ...more: string[]): Promise<Outcome> {
  const next = ['--next-key', `${to}.pem`, ...more];
  const outcome = await command('keys', 'rotate', '--yes', ...signedBy(by), ...next);
  for (const name of KEYS) cpSync(join(template, `${name}.json`), path(`${name}.json`));
  return outcome;
}
const commit = (...next: string[]) => ['--commit', ...next];
const steps = (): string[] => JSON.parse(statementIn(path('dist'), 'rotation'));
const committed = () => steps().map((step) => claimsOf(Buffer.from(step))['next_roots']);
/** Rotates as somebody who does not know the settings of the operator. */
function stranger(by: string, to: string, ...more: string[]): Promise<Outcome> {
  writeFiles(folder, { 'empty.yaml': '' });
  return rotate(by, to, '--config', 'empty.yaml', ...more);
}

/** Publishes a request that somebody has made and signed who does not know the settings of the operator. */
async function attachStep(by: string, to: string): Promise<Outcome> {
  rmSync(path('request'), { recursive: true, force: true });
  writeFiles(folder, { 'empty.yaml': '' });
  const asked = ['keys', 'rotate', '--unsigned', 'request', '--root-key', `${by}.json`];
  await good(...asked, '--next-root-key', `${to}.json`, '--config', 'empty.yaml');
  signFiles(folder, { key: to, outgoing: by });
  return command('attach', 'request', '--root-key', `${by}.json`);
}

let template: string;
beforeEach(async () => {
  template = await madeOnce('next-roots', async (made) => {
    folder = made;
    writeFiles(made, { 'issuers/alpha.yaml': recordText('alpha') });
    for (const name of KEYS) await keyPair(made, name);
    settings();
    await good('build');
  });
  folder = copyOf(template);
});

describe('rotate, if the root key is committed', () => {
  /** What is refused leaves the tree and the folder as they were. */
  async function expectRefused(code: ErrorCode, fact: string, ...args: Parameters<typeof rotate>) {
    const before = [treeNow(), [...filesOf(folder).keys()]];
    expectCommandError(await rotate(...args, '--json'), code, fact);
    expect([treeNow(), [...filesOf(folder).keys()]]).toEqual(before);
  }

  it('refuses any other next key before anything is signed', async () => {
    settings('first', 'second');
    await expectRefused('ERR_KEY_REJECTED', `${kid('first')} or ${kid('second')}`, 'root', 'thief');
    const asked = ['keys', 'rotate', '--unsigned', 'request', '--root-key', 'root.json'];
    const requested = await command(...asked, '--next-root-key', 'thief.json', '--json');
    expectCommandError(requested, 'ERR_KEY_REJECTED', `not to ${kid('thief')}`);
    expect(existsSync(path('request'))).toBe(false);
  });

  it('refuses an encrypted key when its passphrase has shown which key it is', async () => {
    settings('first');
    const protection = { cipher: 'aes-256-cbc', passphrase: 'secret' };
    const pem = createPrivateKey(text('thief.pem')).export({ type: 'pkcs8', format: 'pem', ...protection });
    writeFiles(folder, { 'hidden.pem': String(pem) });
    chmodSync(path('hidden.pem'), 0o600);
    writeFiles(folder, { pass: 'secret' });
    const before = treeNow();
    const refused = await rotate('root', 'hidden', '--next-passphrase-file', 'pass', '--json');
    expectCommandError(refused, 'ERR_KEY_REJECTED', `committed to ${kid('first')}`, kid('thief'));
    expect(treeNow()).toEqual(before);
  });

  it('follows a chain of commitments, which verifiers obey from any key on', async () => {
    settings('first', 'second');
    const one = await rotate('root', 'first', '--json', ...commit('third.json', kid('fourth')));
    expect([one.code, JSON.parse(one.stdout)]).toMatchObject([
      0,
      { next: kid('first'), nextRoots: [kid('third'), kid('fourth')].sort() },
    ]);
    expect(one.stderr).toContain(`then   ${kid('third')} or ${kid('fourth')}\n`);
    expect(text('registry.yaml')).not.toContain('next_roots');
    settings();
    // The first commitment is spent: the second key was for the first root key only.
    const committedTo = [kid('third'), kid('fourth')].sort().join(' or ');
    await expectRefused('ERR_KEY_REJECTED', committedTo, 'first', 'second');
    const two = await rotate('first', 'third');
    expect([two.code, two.stderr]).toEqual([0, expect.stringContaining(`then   ${kid('fourth')}\n`)]);
    expect(committed()).toEqual([[kid('third'), kid('fourth')], [kid('fourth')]]);
    for (const trust of [anchor('first', 'second'), anchor('first'), anchor()]) {
      expect((await command('verify', 'dist', ...trust)).code).toBe(0);
    }
    const refused = await command('verify', 'dist', ...anchor('second'));
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringContaining(`${kid('second')}, not by ${kid('first')}`),
    ]);
  });

  it('commits to the keys that are left, and to none when none is left, in words', async () => {
    settings('first', 'second', 'third');
    expect((await rotate('root', 'second')).code).toBe(0);
    settings();
    expect((await rotate('second', 'first')).code).toBe(0);
    const last = await rotate('first', 'third');
    expect(last.stderr).toContain('then   any key may follow');
    expect(committed()).toEqual([[kid('first'), kid('third')], [kid('third')], undefined]);
    expect((await rotate('third', 'thief')).code).toBe(0);
    expect((await command('verify', 'dist', ...anchor('second'))).code).toBe(0);
  });

  it.each<[string, string[], ErrorCode, () => string]>([
    [
      'four keys',
      ['second.json', 'third.json', 'fourth.json', 'thief.json'],
      'ERR_USAGE',
      () => 'name 1 to 3 different keys',
    ],
    ['a key twice', ['second.json', 'second.json'], 'ERR_USAGE', () => 'name 1 to 3 different keys'],
    ['the next key', ['first.json'], 'ERR_KEY_REJECTED', () => kid('first')],
    ['the outgoing key', ['root.json'], 'ERR_KEY_REJECTED', () => kid('root')],
    ['a private key', ['second.pem'], 'ERR_KEY_REJECTED', () => 'second.pem'],
    ['a file that is not there', ['none.json'], 'ERR_IO_FAILED', () => 'none.json'],
  ])('commits not to %s', async (_name, keys, code, fact) => {
    settings('first');
    await expectRefused(code, fact(), 'root', 'first', ...commit(...keys));
  });

  it('commits not to a root key of long ago', async () => {
    expect((await rotate('root', 'first')).code).toBe(0);
    writeFiles(folder, { 'registry.yaml': '' });
    await expectRefused('ERR_KEY_REJECTED', kid('root'), 'first', 'second', ...commit('root.json'));
  });

  it('refuses next_roots of registry.yaml that belong to an earlier root key', async () => {
    settings('first');
    expect((await rotate('root', 'first')).code).toBe(0);
    settings('first');
    await expectRefused('ERR_USAGE', 'next_roots', 'first', 'second');
  });

  it('takes thumbprints that look like options', async () => {
    const given = [`-${'A'.repeat(42)}`, 'second.json', `--${'A'.repeat(41)}`];
    const { code, stdout } = await rotate('root', 'first', '--json', '--commit', ...given);
    const expected = given.map((each) => (each === 'second.json' ? kid('second') : each)).sort();
    expect([code, JSON.parse(stdout).nextRoots]).toEqual([0, expected]);
  });
});

describe('attach', () => {
  it('refuses a step to a key that is not committed in registry.yaml', async () => {
    settings('first');
    const before = treeNow();
    const refused = await attachStep('root', 'thief');
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('may be followed only by')]);
    expect(treeNow()).toEqual(before);
    expect((await attachStep('root', 'first')).code).toBe(0);
  });
});

describe('whoever knows the next root keys', () => {
  /** The thief of the root key, who does not know the settings of the operator, publishes another tree. */
  async function stolen(): Promise<string> {
    const made = await madeOnce('next-roots-stolen', async (home) => {
      cpSync(folder, home, { recursive: true });
      folder = home;
      expect((await stranger('root', 'thief')).code).toBe(0);
    });
    folder = copyOf(made);
    return serve(path('dist'));
  }

  it.each<[string, (url: string) => string[]]>([
    ['verify', () => ['verify', 'dist']],
    ['verify a host', (url) => ['verify', url, '--any-content-type']],
    ['mirror', (url) => ['mirror', url, 'mirror']],
    ['mirror status', (url) => ['mirror', 'status', url]],
    ['diff', (url) => ['diff', 'dist', url]],
    ['resolve', (url) => ['resolve', 'alpha', '--policy', 'policy.json', url]],
    ['resolve from a folder', () => ['resolve', 'alpha', '--policy', 'policy.json', 'dist']],
  ])('%s refuses the registry of a thief', async (_name, args) => {
    const url = await stolen();
    writeFiles(folder, { 'policy.json': '{"tiers":["certified"]}' });
    const deceived = await command(...args(url), ...anchor());
    expect(deceived.code, deceived.stdout + deceived.stderr).toBe(0);
    rmSync(path('mirror'), { recursive: true, force: true });
    const { code, stdout, stderr } = await command(...args(url), ...anchor('first', 'second'));
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining('may be followed only by')]);
    expect(existsSync(path('mirror/current'))).toBe(false);
  });

  it('a mirror keeps the first commitment that it has seen, also in another process', async () => {
    expect((await stranger('root', 'first', ...commit('second.json'))).code).toBe(0);
    const url = await serve(path('dist'));
    const args = ['mirror', url, 'mirror', ...anchor()];
    expect((await cliProcess(args, folder)).code).toBe(0);
    const mirror = () => command(...args);
    rmSync(path('dist'), { recursive: true });
    cpSync(join(template, 'dist'), path('dist'), { recursive: true });
    expect((await stranger('root', 'first', ...commit('thief.json'))).code).toBe(0);
    const other = await mirror();
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('has two valid successors')]);
    expect((await stranger('first', 'thief')).code).toBe(0);
    expect((await mirror()).code).toBe(1);
  });
});

describe('status', () => {
  const rootKey = async () => {
    const { parts } = JSON.parse((await command('status', '--offline', '--json')).stdout);
    return parts.find(({ part }: { part: string }) => part === 'root key');
  };

  it('shows which keys can follow the root key', async () => {
    settings();
    expect(await rootKey()).toMatchObject({ level: 'ok', nextRoots: [] });
    settings('first', 'second');
    expect(await rootKey()).toMatchObject({ level: 'ok', nextRoots: [kid('first'), kid('second')] });
    expect((await rotate('root', 'first', ...commit('third.json'))).code).toBe(0);
    writeFiles(folder, { 'registry.yaml': 'root_key: first.json\nsigner: { key: first.pem }\n' });
    const fact = expect.stringContaining(`only ${kid('third')} `);
    expect(await rootKey()).toMatchObject({ level: 'ok', nextRoots: [kid('third')], fact });
  });

  it('refuses next_roots in registry.yaml that contain the root key, unless a step has committed it', async () => {
    const current = 'root_key: root.json\nsigner: { key: root.pem }\n';
    writeFiles(folder, { 'registry.yaml': `${current}next_roots: ["${kid('root')}"]\n` });
    expect((await rootKey()).level).toBe('error');
    settings();
    expect((await stranger('root', 'first', ...commit('third.json'))).code).toBe(0);
    const next = 'root_key: first.json\nsigner: { key: first.pem }\n';
    writeFiles(folder, { 'registry.yaml': `${next}next_roots: ["${kid('first')}"]\n` });
    expect(await rootKey()).toMatchObject({ level: 'ok', nextRoots: [kid('third')] });
  });
});
