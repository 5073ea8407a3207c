import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { git } from '../../support/git.js';
import { withKeys } from '../../support/settings.js';
import { areGood, record, SimulatedGithub } from '../../support/simulated-github.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

let github: SimulatedGithub;
/** The clone of a second operator. */
let other: string;

beforeEach(async () => {
  github = await SimulatedGithub.published();
  other = join(temporaryFolder(), 'registry');
  git(github.root, 'clone', '-q', '--template=', '--branch', 'main', github.origin, other);
  for (const name of ['root.pem', 'online.pem']) cpSync(join(github.root, name), join(other, '..', name));
  github.wait();
});

const head = () => git(github.origin, 'rev-parse', 'published');
const ONLINE = withKeys({ checkpoint: '../online.pem' });
const hold = (clone: string) => github.good(clone, 'hold', 'aurora', ...ONLINE);
const suspend = (clone: string) =>
  github.good(clone, 'suspend', 'aurora', '--reason', 'leak', '--production', ...ONLINE);

/** Pushes a hold from the other clone. */
async function holdElsewhere(): Promise<string> {
  await github.published('load', '', other);
  await hold(other);
  await github.published('save', 'Hold', other);
  return head();
}

describe('two who publish at once through the branch', () => {
  it('the later one is refused by the push, loads, and publishes both changes', async () => {
    await github.published('load', '', other);
    github.pushToMain(record('harbour'));
    expect(areGood(await github.publish())).toBe(true);
    // This clone has neither the new record nor the new tree.
    github.wait();
    await suspend(other);
    const saved = head();
    for (const attempt of ['Emergency', 'Emergency, again']) {
      await expect(github.published('save', attempt, other)).rejects.toThrow(/rejected|non-fast-forward/);
      expect(head()).toBe(saved);
    }
    // The suspension is not on the branch, so `load` stops once, and names the issuer.
    await expect(github.published('load', '', other)).rejects.toThrow(/WARNING: aurora was suspended/);
    await github.published('load', '', other);
    git(other, 'stash', '-q');
    git(other, 'pull', '-q', 'origin', 'main');
    git(other, 'stash', 'pop', '-q');
    github.wait();
    await suspend(other);
    await github.published('save', 'Emergency', other);
    const { issuers } = JSON.parse(readFileSync(join(github.publishedTree(), 'issuers.json'), 'utf8'));
    expect(issuers.map((issuer: Record<string, string>) => [issuer['issuer_id'], issuer['status']])).toEqual([
      ['aurora', 'suspended'],
      ['harbour', 'active'],
    ]);
  });

  it('a tree that was not loaded is not replaced by what this machine has', async () => {
    await github.published('load', '', other);
    const next = ['--next-key', '../next.pem', '--yes', ...ONLINE];
    await github.good(other, 'keys', 'generate', '--no-passphrase', '--private', '../next.pem');
    await github.good(other, 'keys', 'rotate', ...next);
    await github.published('load');
    await hold(github.main);
    await github.published('save', 'Hold');
    const saved = head();
    await expect(github.published('save', 'Rotation', other)).rejects.toThrow(/rejected|non-fast-forward/);
    // The settings name the next key, under which the branch is no registry.
    await expect(github.published('load', '', other)).rejects.toThrow(/was not loaded/);
    await expect(github.published('save', 'Rotation', other)).rejects.toThrow(/load first/);
    expect(head()).toBe(saved);
  });

  it('a stage that waits goes over the branch to the other one, and away with it', async () => {
    const stageOf = (clone: string) => join(clone, '.dist.stage');
    await github.published('load');
    writeFiles(stageOf(github.main), { 'manifest.json': '{}' });
    await github.published('save', 'A stage');
    // Also with a load that stops because it names an issuer.
    await holdOnlyIn(other);
    await expect(github.published('load', '', other)).rejects.toThrow(/WARNING: aurora was held/);
    expect(readFileSync(join(stageOf(other), 'manifest.json'), 'utf8')).toBe('{}');
    rmSync(stageOf(other), { recursive: true });
    await github.published('save', 'Applied', other);
    rmSync(stageOf(github.main), { recursive: true });
    await github.published('load');
    expect(existsSync(stageOf(github.main))).toBe(false);
  });

  /** Signs a hold that is not saved. */
  async function holdOnlyIn(clone: string): Promise<void> {
    cpSync(join(github.main, 'dist'), join(clone, 'dist'), { recursive: true });
    await hold(clone);
  }
});

describe('published.sh in the hands of a tired operator', () => {
  it('save again after a push that did not get through pushes', async () => {
    const away = `${github.origin}.away`;
    await github.published('load');
    await hold(github.main);
    const before = head();
    renameSync(github.origin, away);
    await expect(github.published('save', 'Hold')).rejects.toThrow();
    renameSync(away, github.origin);
    await github.published('save', 'Hold');
    expect(git(github.origin, 'rev-parse', 'published^')).toBe(before);
  });

  it('save after a load that was killed, or had no network, replaces nothing', async () => {
    const away = `${github.origin}.away`;
    await github.published('load');
    const held = await holdElsewhere();
    const killing = temporaryFolder();
    writeFiles(killing, { npx: '#!/bin/sh\nkill -9 $PPID\n' });
    chmodSync(join(killing, 'npx'), 0o755);
    await expect(github.published('load', '', github.main, killing)).rejects.toThrow();
    await expect(github.published('save')).rejects.toThrow(/load first/);
    await github.published('load');
    renameSync(github.origin, away);
    await expect(github.published('load')).rejects.toThrow();
    renameSync(away, github.origin);
    await expect(github.published('save')).rejects.toThrow(/load first/);
    expect(head()).toBe(held);
  });

  it('save without a tree does not take the tree from the branch, and new does not replace the branch', async () => {
    await github.published('load');
    const before = head();
    rmSync(join(github.main, 'dist'), { recursive: true });
    await expect(github.published('save')).rejects.toThrow(/load first/);
    await github.published('new');
    await expect(github.published('save', 'New')).rejects.toThrow(/rejected|non-fast-forward/);
    expect(head()).toBe(before);
  });

  it('a stage that the branch does not have is moved away and named once', async () => {
    const stage = join(github.main, '.dist.stage');
    mkdirSync(stage);
    writeFiles(stage, { 'manifest.json': '{}' });
    await github.published('load');
    await github.published('save', 'A stage');
    writeFiles(stage, { 'manifest.json': '{ }' });
    await expect(github.published('load')).rejects.toThrow(/WARNING: a stage/);
    const [aside = ''] = readdirSync(github.main).filter((name) => name.startsWith('.dist.stage-'));
    const manifests = ['.dist.stage', aside].map((name) => join(github.main, name, 'manifest.json'));
    expect(manifests.map((file) => readFileSync(file, 'utf8'))).toEqual(['{}', '{ }']);
    await github.published('load');
  });

  it('a dirty work tree, hooks and settings of the machine change nothing', async () => {
    await github.published('load');
    await hold(github.main);
    writeFiles(github.main, { 'issuers/half.yaml': 'half', '.gitattributes': '* text eol=crlf\n' });
    git(github.main, 'add', 'issuers/half.yaml');
    const hooks = temporaryFolder();
    for (const name of ['pre-commit', 'commit-msg', 'post-checkout', 'pre-push']) {
      writeFiles(hooks, { [name]: `#!/bin/sh\ntouch ${join(hooks, 'ran')}\nexit 1\n` });
      chmodSync(join(hooks, name), 0o755);
    }
    git(github.main, 'config', 'core.hooksPath', hooks);
    git(github.main, 'config', 'core.autocrlf', 'true');
    await github.published('save', 'Hold');
    await github.published('load');
    expect(existsSync(join(hooks, 'ran'))).toBe(false);
    expect(git(github.origin, 'ls-tree', '--name-only', 'published')).toBe('tree');
    expect(git(github.main, 'diff', '--cached', '--name-only')).toBe('issuers/half.yaml');
    await github.good(github.root, 'verify', github.publishedTree(), '--trust-anchor', 'registry/root.json');
  });
});
