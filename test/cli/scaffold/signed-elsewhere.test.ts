import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { git } from '../../support/git.js';
import { areGood, record, SimulatedGithub } from '../../support/simulated-github.js';

let github: SimulatedGithub;
let head: () => string;

beforeAll(async () => {
  github = await SimulatedGithub.published();
  head = () => git(github.origin, 'rev-parse', 'published');
});

/** Puts a signed request on a branch, as the README says. */
async function push(name: string): Promise<void> {
  const { main } = github;
  const online = ['--config', JSON.stringify({ checkpoint: { public_key: '../online.json' } })];
  git(main, 'switch', '-q', 'main');
  git(main, 'checkout', '-q', '.');
  git(main, 'pull', '-q', 'origin', 'main');
  rmSync(join(main, 'request'), { recursive: true, force: true });
  await github.published('load');
  github.wait();
  await github.good(main, 'build', '--production', '--unsigned', 'request', ...online);
  await github.good(main, 'sign', 'request', '--key', '../root.pem', '--yes');
  git(main, 'switch', '-q', '-c', name);
  git(main, 'add', 'request');
  git(main, 'commit', '-q', '-m', 'Request');
  git(main, 'push', '-q', 'origin', name);
  git(main, 'switch', '-q', 'main');
}

describe('a request that was signed elsewhere', () => {
  it('is attached from its branch, with a checkpoint by the online key', async () => {
    github.pushToMain(record('harbour'));
    await push('signed-1');
    expect(areGood(await github.attach('signed-1'))).toBe(true);
    const tree = github.publishedTree();
    expect(existsSync(join(tree, 'issuers/harbour'))).toBe(true);
    await github.good(github.root, 'verify', tree, '--trust-anchor', 'registry/root.json');
    // The request is nowhere but on its branch.
    expect(git(github.origin, 'ls-tree', '--name-only', 'published')).toBe('tree');
  });

  it('is nothing but the name of a branch that has the folder', async () => {
    const before = head();
    for (const name of ['main', 'nowhere', '', '--upload-pack=touch x', '$(touch x)']) {
      const outcomes = await github.attach(name);
      expect(outcomes['Take the request from its branch']?.code).toBeGreaterThan(0);
      expect(outcomes['Attach']).toBeUndefined();
    }
    expect(head()).toBe(before);
  });
});
