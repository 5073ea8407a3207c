import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { git } from '../../support/git.js';
import { serve } from '../../support/serving.js';
import { areGood, record, SimulatedGithub } from '../../support/simulated-github.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

let github: SimulatedGithub;
/** The clone of a second operator. */
let other: string;

beforeEach(async () => {
  github = await SimulatedGithub.create();
  github.pushToMain(record('aurora'));
  git(github.main, 'pull', '-q', 'origin', 'main');
  await github.published('new');
  await github.good(github.main, 'build', '--production', '--first');
  await github.published('save', 'First list');
  other = join(temporaryFolder(), 'registry');
  git(github.root, 'clone', '-q', '--template=', '--branch', 'main', github.origin, other);
  for (const name of ['root.pem', 'online.pem', 'online.json'])
    cpSync(join(github.root, name), join(other, '..', name));
  cpSync(join(github.main, 'registry.yaml'), join(other, 'registry.yaml'));
});

const listOf = (tree: string) => readFileSync(join(tree, 'issuers.json'), 'utf8');

describe('two who publish at once through the branch', () => {
  it('the later one is refused by the push, loads, and publishes both changes', async () => {
    await github.published('load', '', other);
    expect(listOf(join(other, 'dist'))).toBe(listOf(github.publishedTree()));
    github.pushToMain(record('harbour'));
    github.wait();
    expect(areGood(await github.publish())).toBe(true);
    // This clone has neither the new record nor the new tree.
    github.wait();
    await github.good(other, 'suspend', 'aurora', '--reason', 'leak', '--production');
    const saved = git(github.origin, 'rev-parse', 'published');
    await expect(github.published('save', 'Emergency', other)).rejects.toThrow(/rejected|non-fast-forward/);
    expect(git(github.origin, 'rev-parse', 'published')).toBe(saved);
    // The suspension is not on the branch, so `load` stops once, and names the issuer.
    await expect(github.published('load', '', other)).rejects.toThrow(/WARNING: aurora was suspended/);
    await github.published('load', '', other);
    git(other, 'stash', '-q');
    git(other, 'pull', '-q', 'origin', 'main');
    git(other, 'stash', 'pop', '-q');
    github.wait();
    await github.good(other, 'suspend', 'aurora', '--reason', 'leak', '--production');
    await github.published('save', 'Emergency', other);
    const { issuers } = JSON.parse(listOf(github.publishedTree()));
    expect(issuers.map((issuer: Record<string, string>) => [issuer['issuer_id'], issuer['status']])).toEqual([
      ['aurora', 'suspended'],
      ['harbour', 'active'],
    ]);
  });

  it('a tree that was not loaded is not replaced by what this machine has', async () => {
    await github.published('load', '', other);
    const key = ['--next-key', '../next.pem'];
    await github.good(other, 'keys', 'generate', '--no-passphrase', '--private', '../next.pem');
    await github.good(other, 'keys', 'rotate', ...key, '--yes');
    github.wait();
    await github.good(github.main, 'hold', 'aurora');
    await github.published('save', 'Hold');
    const saved = git(github.origin, 'rev-parse', 'published');
    await expect(github.published('save', 'Rotation', other)).rejects.toThrow(/rejected|non-fast-forward/);
    // The settings name the next key, under which the branch is no registry.
    await expect(github.published('load', '', other)).rejects.toThrow(/was not loaded/);
    await expect(github.published('save', 'Rotation', other)).rejects.toThrow();
    expect(git(github.origin, 'rev-parse', 'published')).toBe(saved);
  });

  it('a stage on the branch stays with a load that names issuers', async () => {
    const stage = join(github.main, '.dist.stage');
    mkdirSync(stage);
    writeFiles(stage, { 'manifest.json': '{}' });
    await github.published('save', 'A stage');
    rmSync(stage, { recursive: true });
    await github.good(github.main, 'hold', 'aurora');
    await expect(github.published('load')).rejects.toThrow(/WARNING: aurora was held/);
    expect(readFileSync(join(stage, 'manifest.json'), 'utf8')).toBe('{}');
  });

  it('a branch that was put back is refused while the host shows the newer tree', async () => {
    const old = git(github.origin, 'rev-parse', 'published');
    github.pushToMain(record('harbour'));
    github.wait();
    expect(areGood(await github.publish())).toBe(true);
    const url = await serve(github.publishedTree());
    git(github.main, 'pull', '-q', 'origin', 'main');
    const settings = readFileSync(join(github.main, 'registry.yaml'), 'utf8');
    github.pushToMain({ 'registry.yaml': settings.replace(/^base_url: .*$/m, `base_url: ${url}`) });
    git(github.origin, 'update-ref', 'refs/heads/published', old);
    github.pushToMain(record('later'));
    const { 'Build, sign and verify': build } = await github.publish();
    expect([build?.code, build?.stderr]).toEqual([1, expect.stringContaining('`load`')]);
    expect(git(github.origin, 'rev-parse', 'published')).toBe(old);
  });

  it('a stage that waits goes over the branch to the other one, and away with it', async () => {
    const stage = join(github.main, '.dist.stage');
    mkdirSync(stage);
    writeFiles(stage, { 'manifest.json': '{}' });
    await github.published('save', 'A stage');
    await github.published('load', '', other);
    expect(readFileSync(join(other, '.dist.stage/manifest.json'), 'utf8')).toBe('{}');
    rmSync(join(other, '.dist.stage'), { recursive: true });
    await github.published('save', 'Applied', other);
    rmSync(stage, { recursive: true });
    await github.published('load');
    expect(existsSync(stage)).toBe(false);
  });
});
