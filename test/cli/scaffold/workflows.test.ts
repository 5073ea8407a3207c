import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REGISTRY_WORKFLOWS, readWorkflow, type Step, TEMPLATE } from '../../support/workflow.js';
import { checkWorkflows, jobsOf } from '../../support/workflow-checks.js';

const NAMES = ['attach', 'audit', 'check', 'checkpoint', 'comment', 'deploy', 'emergency', 'publish'];

checkWorkflows(REGISTRY_WORKFLOWS, NAMES, [
  ...['dependabot.yml', 'ISSUE_TEMPLATE/config.yml', 'ISSUE_TEMPLATE/listing.yml'],
]);

describe('a pull request from a fork', () => {
  it('cannot run code in the job that comments, because that job runs no code of the repository', () => {
    const { jobs, text } = readWorkflow(REGISTRY_WORKFLOWS, 'comment');
    expect(text).not.toContain('secrets.');
    expect(jobs['difference']?.permissions).toEqual({ contents: 'read', 'pull-requests': 'read' });
    const steps = jobs['comment']?.steps ?? [];
    expect(jobs['comment']?.permissions).toEqual({ 'pull-requests': 'write' });
    expect(steps.map(({ uses }) => uses?.split('@')[0])).toEqual(['actions/download-artifact', undefined]);
    expect(steps[1]?.run).toMatch(
      /^gh pr comment "\$NUMBER" --repo "\$GITHUB_REPOSITORY" [a-z -]+ comment\.md\n$/,
    );
  });

  it('cannot run code in the jobs that read its records: all other files come from the base branch', () => {
    for (const [name, job] of [
      ['check', 'records'],
      ['comment', 'difference'],
    ] as const) {
      const steps = readWorkflow(REGISTRY_WORKFLOWS, name).jobs[job]?.steps ?? [];
      const at = (wanted: (step: Step) => boolean) => steps.findIndex(wanted);
      const checkout = at(({ uses }) => uses?.startsWith('actions/checkout@') === true);
      expect(
        steps[checkout + 1]?.run
          ?.replaceAll(/^#.*\n/gm, '')
          .trim()
          .split('\n'),
      ).toEqual([
        'git read-tree --empty',
        'git clean -ffdxq',
        "git restore --source=HEAD^1 --staged --worktree -- . ':(exclude)issuers'",
        'git restore --source=HEAD --staged --worktree -- issuers',
      ]);
      expect(at(({ run = '' }) => run.includes('npm'))).toBeGreaterThan(checkout + 1);
    }
  });

  it('cannot use a key: each key is only in the steps that sign with it', () => {
    const users = NAMES.flatMap((name) =>
      jobsOf(REGISTRY_WORKFLOWS, name).flatMap(([job, { steps = [], environment }]) =>
        steps
          .filter(({ env }) => JSON.stringify(env ?? {}).includes('secrets.'))
          .map(({ name: step }) => `${name}/${job} (${environment}): ${step}`),
      ),
    );
    expect(users).toEqual([
      'attach/attach (registry): Attach',
      'attach/attach (registry): Ask the witnesses',
      'checkpoint/sign (checkpoint): Sign the checkpoint',
      'emergency/hold (checkpoint): Sign and save',
      'publish/build (registry): Build, sign and verify',
      'publish/build (registry): Ask the witnesses',
    ]);
  });
});

describe('a publication', () => {
  it('is never cancelled, and neither a checkpoint nor a hold waits for it', () => {
    for (const [name, group] of [
      ['publish', /^publish$/],
      ['attach', /^publish$/],
      ['checkpoint', /^checkpoint$/],
      ['emergency', /^emergency-\$\{\{ github\.run_id \}\}$/],
    ] as const) {
      expect(readWorkflow(REGISTRY_WORKFLOWS, name).concurrency).toEqual({
        group: expect.stringMatching(group),
        'cancel-in-progress': false,
      });
    }
  });

  it('runs the workflows of main, never those of a branch that somebody has pushed', () => {
    for (const name of NAMES) {
      const { push } = readWorkflow(REGISTRY_WORKFLOWS, name).on as { push?: { branches: string[] } };
      if (push !== undefined) expect(push.branches).toEqual(['main']);
    }
  });

  it('is not lost because witnesses are away: the job runs longer than it waits', () => {
    for (const [name, job, words] of [
      ['publish', 'build', 'checkpoint --cosign-wait'],
      ['attach', 'attach', 'checkpoint --cosign-wait'],
      ['checkpoint', 'sign', 'checkpoint --cosign-wait'],
    ] as const) {
      const { steps = [], 'timeout-minutes': minutes = 0 } =
        readWorkflow(REGISTRY_WORKFLOWS, name).jobs[job] ?? {};
      const step = steps.find(({ run }) => run?.includes(words));
      const wait = Number(/--cosign-wait (\d+)/.exec(JSON.stringify(step))?.[1]);
      expect(wait).toBeGreaterThan(0);
      expect(minutes * 60).toBeGreaterThanOrEqual(wait + 600);
    }
  });

  it('by a signed request goes the same way as a build from its signature on', () => {
    const steps = (name: string, job: string) => {
      const all = readWorkflow(REGISTRY_WORKFLOWS, name).jobs[job]?.steps ?? [];
      const saved = all.slice(all.findIndex((step) => step.name === 'Save what was signed'));
      return saved.map(({ run, ...step }) => ({ ...step, run: run?.replace(/save ".*"/, 'save') }));
    };
    expect(steps('attach', 'attach')).toEqual(steps('publish', 'build'));
    const { run } = readWorkflow(REGISTRY_WORKFLOWS, 'attach').jobs['attach']?.steps?.find(
      ({ name }) => name === 'Attach',
    ) ?? { run: '' };
    // With exit code 6, it waits for witnesses, of which none is asked before the branch has it.
    expect(run).toBe('npx passport-registry attach request --cosign-wait 0 || test $? = 6');
  });

  it('always follows what the URL shows', () => {
    for (const name of NAMES) expect(readWorkflow(REGISTRY_WORKFLOWS, name).text).not.toMatch(/--offline/);
  });

  it('saves the tree only after all other steps', () => {
    for (const [name, job] of [
      ['publish', 'build'],
      ['attach', 'attach'],
      ['checkpoint', 'sign'],
      ['emergency', 'hold'],
    ] as const) {
      const steps = readWorkflow(REGISTRY_WORKFLOWS, name).jobs[job]?.steps ?? [];
      expect(steps.at(-1)?.run).toContain('sh .github/published.sh save');
      for (const step of steps) expect(step.if).toBeUndefined();
    }
  });
});

it('CODEOWNERS names these paths', () => {
  const paths = readFileSync(join(TEMPLATE, '.github/CODEOWNERS'), 'utf8').match(/^\/\S+/gm);
  expect(paths).toEqual([
    '/issuers/',
    '/registry.yaml',
    '/root.json',
    '/package.json',
    '/package-lock.json',
    '/vendor/',
    '/.github/',
    '/CODEOWNERS',
    '/.npmrc',
    '/.gitattributes',
    '/.gitignore',
  ]);
});
