import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cosigningService } from '../../support/cosigning-service.js';
import { git } from '../../support/git.js';
import { noteSigner } from '../../support/note-keys.js';
import { withKeys } from '../../support/settings.js';
import { areGood, record, SimulatedGithub } from '../../support/simulated-github.js';

let github: SimulatedGithub;
let head: () => string;

beforeAll(async () => {
  github = await SimulatedGithub.create();
  head = () => git(github.origin, 'rev-parse', 'published');
  github.pushToMain(record('aurora'));
  await github.publishByHand();
});

/** Puts a request on a branch, signed or not, as the README says. */
async function push(name: string, isSigned: boolean, more: readonly string[] = []): Promise<void> {
  const { main } = github;
  const online = ['--config', JSON.stringify({ checkpoint: { public_key: '../online.json' } })];
  git(main, 'switch', '-q', 'main');
  git(main, 'checkout', '-q', '.');
  git(main, 'pull', '-q', 'origin', 'main');
  rmSync(join(main, 'request'), { recursive: true, force: true });
  await github.published('load');
  github.wait();
  await github.good(main, 'build', '--production', '--unsigned', 'request', ...online, ...more);
  if (isSigned) await github.good(main, 'sign', 'request', '--key', '../root.pem', '--yes');
  git(main, 'switch', '-q', '-c', name);
  git(main, 'add', 'request');
  git(main, 'commit', '-q', '-m', 'Request');
  git(main, 'push', '-q', 'origin', name);
  git(main, 'switch', '-q', 'main');
}

describe('a request that was signed elsewhere', () => {
  it('is attached from its branch, with a checkpoint by the online key', async () => {
    github.pushToMain(record('harbour'));
    await push('signed-1', true);
    expect(areGood(await github.attach('signed-1'))).toBe(true);
    const tree = github.publishedTree();
    expect(existsSync(join(tree, 'issuers/harbour'))).toBe(true);
    await github.good(github.root, 'verify', tree, '--trust-anchor', 'registry/root.json');
    // The request is nowhere but on its branch.
    expect(git(github.origin, 'ls-tree', '--name-only', 'published')).toBe('tree');
  });

  it('is refused without its signature, and when another publication has overtaken it', async () => {
    github.pushToMain(record('later'));
    await push('unsigned', false);
    await push('overtaken', true);
    const saved = head();
    expect((await github.attach('unsigned'))['Attach']?.code).toBeGreaterThan(0);
    expect(head()).toBe(saved);
    github.pushToMain(record('faster'));
    github.wait();
    expect(areGood(await github.publish())).toBe(true);
    const published = head();
    const { Attach: attach, ...rest } = await github.attach('overtaken');
    expect([attach?.code, rest['Save what was signed'], head()]).toEqual([1, undefined, published]);
  });

  it('waits on the branch while a witness is away, and is published when it has cosigned', async () => {
    let isAway = true;
    const witness = noteSigner('witness.example', 'witness');
    const now = () => (isAway ? undefined : Math.floor(Date.now() / 1000));
    const log = {
      origin: 'registry.example/log',
      signer: { key: 'env:LOG_KEY' },
      public_key: 'log.json',
      witnesses: [{ key: witness.vkey, service: await cosigningService(witness, now) }],
      quorum: 1,
    };
    const { root, main } = github;
    const generate = ['keys', 'generate', '--no-passphrase', '--private', 'log.pem'];
    const publicKey = await github.good(root, ...generate);
    const settings = git(github.origin, 'show', 'main:registry.yaml').replace(/^log: .*$/m, '');
    const file = `${settings}\nlog: ${JSON.stringify(log)}\n`;
    github.pushToMain({ 'registry.yaml': file, 'log.json': publicKey, ...record('waiting') });
    await push('waiting', true, withKeys({ log: '../log.pem' }));
    const outcomes = await github.attach('waiting', readFileSync(join(root, 'log.pem'), 'utf8'));
    expect(areGood(outcomes)).toBe(true);
    const isPublished = () => existsSync(join(github.publishedTree(), 'issuers/waiting'));
    expect(isPublished()).toBe(false);
    expect(existsSync(join(github.publishedTree(), '../stage'))).toBe(true);
    isAway = false;
    github.wait();
    expect(areGood(await github.checkpoint())).toBe(true);
    expect(isPublished()).toBe(true);
    expect(existsSync(join(main, 'request'))).toBe(false);
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
