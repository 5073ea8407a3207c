import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { git } from '../../support/git.js';
import { record, SimulatedGithub } from '../../support/simulated-github.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

let github: SimulatedGithub;
let other: string;

beforeEach(async () => {
  github = await SimulatedGithub.create();
  github.pushToMain(record('aurora'));
  await github.publishByHand();
  other = join(temporaryFolder(), 'registry');
  git(github.root, 'clone', '-q', '--template=', '--branch', 'main', github.origin, other);
  github.wait();
});

const head = () => git(github.origin, 'rev-parse', 'published');
const hold = (clone: string) =>
  github.good(clone, 'hold', 'aurora', '--online-key', join(github.root, 'online.pem'));

/** Pushes a hold from the other clone. */
async function holdElsewhere(): Promise<string> {
  await github.published('load', '', other);
  await hold(other);
  await github.published('save', 'Hold', other);
  return head();
}

describe('published.sh in the hands of a tired operator', () => {
  it('save again after a push that was refused is refused again', async () => {
    await github.published('load');
    await github.good(github.main, 'checkpoint', '--online-key', '../online.pem');
    const held = await holdElsewhere();
    for (const attempt of [1, 2]) {
      await expect(github.published('save', `${attempt}`)).rejects.toThrow(/rejected|non-fast-forward/);
      expect(head()).toBe(held);
    }
  });

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

  it('save after a load that was killed, or failed, replaces nothing', async () => {
    await github.published('load');
    const held = await holdElsewhere();
    const kill = { npx: '#!/bin/sh\nkill -9 $PPID\n' };
    const fail = { npx: '#!/bin/sh\nexit 1\n' };
    for (const programs of [kill, fail]) {
      const bin = temporaryFolder();
      writeFiles(bin, programs);
      chmodSync(join(bin, 'npx'), 0o755);
      await expect(github.published('load', '', github.main, bin)).rejects.toThrow();
      await expect(github.published('save')).rejects.toThrow(/load first/);
      expect(head()).toBe(held);
    }
    // The branch is away: nothing is fetched, and nothing is left of the load before.
    await github.published('load');
    renameSync(github.origin, `${github.origin}.away`);
    await expect(github.published('load')).rejects.toThrow();
    renameSync(`${github.origin}.away`, github.origin);
    await expect(github.published('save')).rejects.toThrow(/load first/);
    await github.published('load');
    await github.published('save');
    expect(head()).toBe(held);
  });

  it('save without a tree does not take the tree from the branch', async () => {
    await github.published('load');
    const before = head();
    rmSync(join(github.main, 'dist'), { recursive: true });
    await expect(github.published('save')).rejects.toThrow(/load first/);
    expect(head()).toBe(before);
  });

  it('new does not replace a branch, and load needs one', async () => {
    const before = head();
    await github.published('new');
    await expect(github.published('save', 'New')).rejects.toThrow(/rejected|non-fast-forward/);
    expect(head()).toBe(before);
    git(github.origin, 'update-ref', '-d', 'refs/heads/published');
    await expect(github.published('load')).rejects.toThrow(/published/);
    await expect(github.published('save')).rejects.toThrow(/load first/);
  });

  it('a stage that the branch does not have is moved away and named once, and none is taken in part', async () => {
    const stage = join(github.main, '.dist.stage');
    const manifest = () => readFileSync(join(stage, 'manifest.json'), 'utf8');
    mkdirSync(stage);
    writeFiles(stage, { 'manifest.json': '{}', one: '1' });
    await github.published('load');
    await github.published('save', 'A stage');
    // What a killed command leaves has no manifest.
    rmSync(join(stage, 'manifest.json'));
    await github.published('load');
    expect(manifest()).toBe('{}');
    writeFiles(stage, { 'manifest.json': '{ }' });
    await expect(github.published('load')).rejects.toThrow(/WARNING: a stage/);
    expect(manifest()).toBe('{}');
    const aside = readdirSync(github.main).filter((name) => name.startsWith('.dist.stage-'));
    expect(aside.map((name) => readFileSync(join(github.main, name, 'manifest.json'), 'utf8'))).toEqual([
      '{ }',
    ]);
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
