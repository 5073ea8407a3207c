import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { git } from '../../support/git.js';
import { areGood, codes, record, SimulatedGithub } from '../../support/simulated-github.js';
import type { Job, Outcomes } from '../../support/workflow.js';
import { writeFiles } from '../../support/workspace.js';

let github: SimulatedGithub;

beforeEach(async () => {
  github = await SimulatedGithub.published();
  github.wait();
});

const head = () => git(github.origin, 'rev-parse', 'published');

/** What the branch says: its issuers with their status, and whom the checkpoint holds. */
function branch(): { readonly issuers: Record<string, string>; readonly hold: unknown } {
  const { issuers } = JSON.parse(git(github.origin, 'show', 'published:tree/issuers.json'));
  const { checkpoint } = JSON.parse(git(github.origin, 'show', 'published:tree/statements.json'));
  return {
    issuers: Object.fromEntries(
      issuers.map((issuer: Record<string, string>) => [issuer['issuer_id'], issuer['status']]),
    ),
    hold: decodeJwt(checkpoint)['hold'],
  };
}

/** Runs a job up to a step. Returns what runs the rest. */
async function paused(job: Job, before: string): Promise<() => Promise<Outcomes>> {
  const { steps = [] } = job;
  const at = steps.findIndex(({ name }) => name === before);
  const folder = github.runnerFolder();
  expect(areGood(await github.run({ steps: steps.slice(0, at) }, { folder }))).toBe(true);
  return () => github.run({ steps: steps.slice(at) }, { folder });
}

const pausedPublish = () => paused(github.job('publish', 'build'), 'Save what was signed');

describe('what runs at once', () => {
  it('two merges within a minute: the later push is refused, and its next run has both', async () => {
    github.pushToMain(record('first'));
    const first = await pausedPublish();
    github.pushToMain(record('second'));
    github.wait();
    const second = await pausedPublish();
    expect(areGood(await first())).toBe(true);
    const saved = head();
    expect(codes(await second())).toEqual({ 'Save what was signed': 1 });
    expect([head(), Object.keys(branch().issuers)]).toEqual([saved, ['aurora', 'first']]);
    github.wait();
    expect(areGood(await github.publish())).toBe(true);
    expect(Object.keys(branch().issuers)).toEqual(['aurora', 'first', 'second']);
  });

  it('cron beside a publication: its push is refused, and loses nothing', async () => {
    github.pushToMain(record('first'));
    const cron = await paused(github.job('checkpoint', 'sign'), 'Save the tree');
    github.wait();
    expect(areGood(await github.publish())).toBe(true);
    const saved = head();
    expect(codes(await cron())).toEqual({ 'Save the tree': 1 });
    expect([head(), Object.keys(branch().issuers)]).toEqual([saved, ['aurora', 'first']]);
  });

  it('a hold beside a publication stays, in whatever the next run publishes', async () => {
    github.pushToMain(record('first'));
    const publication = await pausedPublish();
    expect(areGood(await github.emergency('hold', 'aurora'))).toBe(true);
    expect(codes(await publication())).toEqual({ 'Save what was signed': 1 });
    expect(branch()).toEqual({ issuers: { aurora: 'active' }, hold: ['aurora'] });
    github.wait();
    expect(areGood(await github.publish())).toBe(true);
    expect(branch()).toEqual({ issuers: { aurora: 'active', first: 'active' }, hold: ['aurora'] });
  });

  it('a hold whose push is refused is signed again over what was pushed', async () => {
    const once = join(github.root, 'once');
    const hook = join(github.origin, 'hooks/update');
    const other = git(github.origin, 'commit-tree', '-p', 'published', '-m', 'Other', 'published^{tree}');
    // Somebody else is faster, once.
    writeFiles(github.origin, {
      'hooks/update': `#!/bin/sh\ntest -e ${once} || { touch ${once}; unset GIT_QUARANTINE_PATH; git update-ref refs/heads/published ${other}; exit 1; }\n`,
    });
    chmodSync(hook, 0o755);
    expect(areGood(await github.emergency('hold', 'aurora'))).toBe(true);
    expect(existsSync(once)).toBe(true);
    expect(git(github.origin, 'rev-parse', 'published^')).toBe(other);
    expect(branch().hold).toEqual(['aurora']);
  });
});
