import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { cosigningService } from '../../support/cosigning-service.js';
import { git } from '../../support/git.js';
import { noteSigner } from '../../support/note-keys.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { areGood, record, SimulatedGithub } from '../../support/simulated-github.js';
import { writeFiles } from '../../support/workspace.js';

describe('the workflows of a registry that is published already', () => {
  let github: SimulatedGithub;
  let root: string;
  let main: string;
  let origin: string;

  beforeAll(async () => {
    github = await SimulatedGithub.published();
    ({ root, main, origin } = github);
  });

  it('publish nothing wrong while the operator rotates the root key, and then with the next key', async () => {
    const outgoing = readFileSync(join(main, 'root.json'), 'utf8');
    git(main, 'checkout', '-q', '.');
    git(main, 'pull', '-q', 'origin', 'main');
    await github.published('load');
    const rotation = ['--next-key', '../next.pem', '--yes', ...withKeys({ checkpoint: '../online.pem' })];
    await github.good(main, 'keys', 'generate', '--no-passphrase', '--private', '../next.pem');
    await github.good(main, 'keys', 'rotate', ...rotation);
    const next = readFileSync(join(main, 'root.json'), 'utf8');
    git(main, 'checkout', '-q', '.');
    await github.published('save', 'New root key');
    const saved = git(origin, 'rev-parse', 'published');
    const expectStopped = async (words: string) => {
      const { 'Build, sign and verify': build, ...rest } = await github.publish();
      expect([build?.code, build?.stderr, rest['Save the tree']]).toEqual([
        1,
        expect.stringContaining(words),
        undefined,
      ]);
      expect(git(origin, 'rev-parse', 'published')).toBe(saved);
    };
    github.pushToMain(record('between'));
    await expectStopped('`keys rotate`');
    // Also with the next key, until its public half is merged.
    github.keys.ROOT_KEY = readFileSync(join(root, 'next.pem'), 'utf8');
    await expectStopped('root.json');
    // Checkpoints go on.
    expect(areGood(await github.checkpoint())).toBe(true);
    github.pushToMain({ 'root.json': next });
    expect(areGood(await github.publish())).toBe(true);
    const tree = github.publishedTree();
    expect(existsSync(join(tree, 'issuers/between'))).toBe(true);
    writeFiles(root, { 'outgoing.json': outgoing, 'next.json': next });
    for (const key of ['outgoing.json', 'next.json'])
      await github.good(root, 'verify', tree, '--trust-anchor', key);
  });

  /** Publishes with the key of the log. */
  const publishLogged = () =>
    github.publish({
      expressions: { ...github.secrets, 'secrets.LOG_KEY': readFileSync(join(root, 'log.pem'), 'utf8') },
    });

  it('begin a log with a witness, and publish also while the witness is away', async () => {
    await github.good(root, 'keys', 'generate', '--no-passphrase', '--private', 'log.pem');
    let isAway = false;
    const witness = noteSigner('witness.example', 'witness');
    const service = await cosigningService(witness, () =>
      isAway ? undefined : Math.floor(Date.now() / 1000),
    );
    const log = {
      origin: 'registry.example/log',
      signer: { key: 'env:LOG_KEY' },
      quorum: 1,
      witnesses: [{ key: witness.vkey, service }],
    };
    git(main, 'pull', '-q', 'origin', 'main');
    const settings = readFileSync(join(main, 'registry.yaml'), 'utf8');
    const logged = { 'registry.yaml': `${settings}log: ${JSON.stringify(log)}\n` };
    github.pushToMain({ ...logged, ...record('witnessed') });
    const first = await publishLogged();
    expect(areGood(first)).toBe(true);
    const good = (...args: string[]) => github.good(root, ...args);
    const pin = ['--witness', witness.vkey, '--quorum', '1', '--trust-anchor', 'anchor.json'];
    const thumbprint = JSON.parse(readFileSync(join(main, 'root.json'), 'utf8')).kid;
    await good('pin', await serve(github.publishedTree()), '--thumbprint', thumbprint, ...pin);
    await good('verify', github.publishedTree(), '--trust-anchor', 'anchor.json');
    // A publication waits on the branch, until the checkpoint of a later run completes it.
    isAway = true;
    github.pushToMain(record('unwitnessed'));
    const second = await publishLogged();
    expect(areGood(second)).toBe(true);
    expect(second['Ask the witnesses']?.stderr).toContain('witness.example');
    expect(existsSync(join(github.publishedTree(), 'issuers/unwitnessed'))).toBe(false);
    expect(existsSync(join(github.publishedTree(), '../stage'))).toBe(true);
    // A hold does not wait with it, and is not lost when it goes on.
    expect(areGood(await github.emergency('hold', 'aurora'))).toBe(true);
    const holdOfBranch = () =>
      decodeJwt(JSON.parse(git(origin, 'show', 'published:tree/statements.json')).checkpoint)['hold'];
    expect(holdOfBranch()).toEqual(['aurora']);
    expect(existsSync(join(github.publishedTree(), '../stage'))).toBe(true);
    isAway = false;
    github.wait();
    expect(areGood(await github.checkpoint())).toBe(true);
    expect(holdOfBranch()).toEqual(['aurora']);
    expect(existsSync(join(github.publishedTree(), 'issuers/unwitnessed'))).toBe(true);
    expect(existsSync(join(github.publishedTree(), '../stage'))).toBe(false);
    await good('verify', github.publishedTree(), '--trust-anchor', 'anchor.json');
  });
});
