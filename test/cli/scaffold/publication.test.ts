import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { git } from '../../support/git.js';
import { serve } from '../../support/serving.js';
import { areGood, codes, record, SimulatedGithub } from '../../support/simulated-github.js';
import type { Outcomes, Step } from '../../support/workflow.js';
import { cli, writeFiles } from '../../support/workspace.js';

describe('the workflows of a new registry, from its first record to a verified registry', () => {
  let github: SimulatedGithub;
  let origin: string;

  beforeAll(async () => {
    github = await SimulatedGithub.create();
    origin = github.origin;
  });

  const verify = async (tree: string) =>
    (await cli(['verify', tree, '--trust-anchor', 'registry/root.json'], github.root)).code;

  it('publish nothing while there is no record, and say what to do', async () => {
    const { 'Build, sign and verify': build, ...rest } = await github.publishFirst();
    expect([build?.code, rest['Save the tree']]).toEqual([1, undefined]);
    expect(build?.stderr).toContain('passport-registry new');
    expect(git(origin, 'branch', '--list', 'published')).toBe('');
  });

  it('accept a valid record: new, check, diff', async () => {
    const outcomes = await github.pullRequest('aurora', (folder) =>
      cli(['new', 'aurora', '--issuer-url', 'https://aurora.internal'], folder),
    );
    expect(codes(outcomes)).toEqual({
      'Use the records of the pull request, and all other files of the base': 0,
      'Check every record': 0,
      'Check the change against the rules for changes': 0,
    });
    github.merge('aurora');
  });

  it('sign no first list unasked', async () => {
    const outcomes = await github.publish();
    expect(codes(outcomes)).toEqual({ 'Load the published tree': 128 });
    expect(git(origin, 'branch', '--list', 'published')).toBe('');
  });

  it('make the branch with the first publication, which a run by hand asks for', async () => {
    const outcomes = await github.publishFirst();
    expect(areGood(outcomes)).toBe(true);
    expect(git(origin, 'rev-list', '--count', 'published')).toBe('2');
    expect(await verify(github.publishedTree())).toBe(0);
  });

  it('go on from a tree that the operator saved by hand, with an online key and a checkpoint', async () => {
    await github.publishByHand();
    expect(git(origin, 'log', '--format=%s', 'published')).toMatch(
      /^Checkpoints\nRecords of .*\nA new registry$/,
    );
  });

  it('build, sign, commit and verify the merged records', async () => {
    github.pushToMain(record('harbour'));
    const outcomes = await github.publish();
    expect(areGood(outcomes)).toBe(true);
    expect(git(origin, 'rev-list', '--count', 'published')).toBe('4');
    const tree = github.publishedTree();
    expect(existsSync(join(tree, 'issuers/harbour'))).toBe(true);
    expect(existsSync(join(tree, '.htaccess'))).toBe(true);
    expect(await verify(tree)).toBe(0);
    for (const { stdout, stderr } of Object.values(outcomes)) {
      for (const key of Object.values(github.keys)) expect(stdout + stderr).not.toContain(key.split('\n')[1]);
    }
  });

  it('sign a checkpoint later, and change no other file', async () => {
    const before = git(origin, 'rev-parse', 'published');
    github.wait();
    expect(areGood(await github.checkpoint())).toBe(true);
    expect(git(origin, 'diff', '--name-only', before, 'published')).toBe('tree/statements.json');
  });

  const holdOfBranch = () => {
    const { checkpoint } = JSON.parse(git(origin, 'show', 'published:tree/statements.json'));
    return decodeJwt(checkpoint)['hold'];
  };

  it('hold an issuer by hand, keep the hold with every checkpoint, and release the issuer', async () => {
    const result = async (outcomes: Outcomes) => ({ codes: codes(outcomes), hold: holdOfBranch() });
    const held = { codes: { 'Sign and save': 0 }, hold: ['aurora', 'harbour'] };
    expect(await result(await github.emergency('hold', 'harbour aurora'))).toEqual(held);
    github.wait();
    expect(areGood(await github.checkpoint())).toBe(true);
    expect(holdOfBranch()).toEqual(held.hold);
    // Only the hold stops this issuer.
    expect((await result(await github.emergency('end-hold', 'harbour'))).hold).toEqual(held.hold);
    const ended = await result(await github.emergency('false-alarm', 'harbour aurora'));
    expect(ended).toEqual({ codes: { 'Sign and save': 0 }, hold: undefined });
  });

  it('take what is typed for ids, and neither for options nor for commands nor for files', async () => {
    await github.emergency('hold', 'harbour');
    const before = git(origin, 'rev-parse', 'published');
    for (const [action, typed] of [
      ...['--all', '$(exit 4)', 'harbour;true', '*', ' '].map((ids) => ['false-alarm', ids] as const),
      ['', 'harbour'],
    ] as const) {
      const { 'Sign and save': step } = await github.emergency(action, typed);
      expect([typed, step?.code]).not.toEqual([typed, 0]);
      expect(git(origin, 'rev-parse', 'published')).toBe(before);
    }
  });

  it('verify the live registry, and open an issue if its list is not the published one', async () => {
    const registry = await serve(github.publishedTree());
    const verifyLive = async (folder: string) => {
      const play = github.checkout(folder);
      const use = async (step: Step) => {
        await play(step);
        if (existsSync(join(folder, 'registry.yaml')) && !existsSync(join(folder, 'published')))
          writeFiles(folder, { 'registry.yaml': `base_url: ${registry}\nroot_key: root.json\n` });
      };
      return github.run(github.job('deploy', 'verify'), { folder, use, expressions: {} });
    };
    const live = await verifyLive(github.runnerFolder());
    expect(codes(live), live['Verify the live registry']?.stderr).toEqual({
      'Verify the live registry': 0,
    });
    // A new publication that the host never receives.
    github.pushToMain(record('later'));
    await github.publish();
    const folder = github.runnerFolder();
    expect(codes(await verifyLive(folder))).toEqual({ 'Verify the live registry': 1, 'Open an issue': 0 });
    expect(readFileSync(`${folder}.gh`, 'utf8')).toContain('issue create --repo owner/registry');
  });

  it('publish nothing without the root key, or with another key', async () => {
    const before = git(origin, 'rev-parse', 'published');
    github.pushToMain(record('last'));
    const online = { 'secrets.ONLINE_KEY': github.keys.ONLINE_KEY };
    for (const expressions of [online, { ...online, 'secrets.ROOT_KEY': github.keys.ONLINE_KEY }]) {
      const { 'Build, sign and verify': build, ...rest } = await github.publish({ expressions });
      expect([build?.code, build?.stderr]).toEqual([
        1,
        expect.stringMatching(/is not set|the signing key is/),
      ]);
      expect(rest['Save the tree']).toBeUndefined();
    }
    expect(git(origin, 'rev-parse', 'published')).toBe(before);
  });
});
