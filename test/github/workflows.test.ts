import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/paths.js';
import { OWN_WORKFLOWS, readWorkflow } from '../support/workflow.js';
import { checkWorkflows, jobsOf, stepsOf } from '../support/workflow-checks.js';

const NAMES = ['release', 'soak', 'test'];

checkWorkflows(OWN_WORKFLOWS, NAMES);

describe('a pull request from a fork', () => {
  it('cannot use a secret or a token with write permission', () => {
    for (const name of NAMES) {
      const { on, text, permissions } = readWorkflow(OWN_WORKFLOWS, name);
      expect(text).not.toContain('pull_request_target');
      const events = typeof on === 'object' && on !== null ? Object.keys(on) : [String(on)];
      if (!events.includes('pull_request')) continue;
      expect(text).not.toContain('secrets.');
      expect(permissions).toEqual({ contents: 'read' });
      for (const [, job] of jobsOf(OWN_WORKFLOWS, name))
        expect([job.permissions, job.environment]).toEqual([undefined, undefined]);
    }
  });
});

describe('the workflow test', () => {
  it('keeps the screenshots of every run, also of one that failed, once', () => {
    const steps = stepsOf(OWN_WORKFLOWS, 'test');
    const [upload, ...others] = steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
    expect(others).toEqual([]);
    expect(upload).toMatchObject({
      // One of the versions of Node.js, because two artifacts cannot have the same name.
      if: 'matrix.node == 20 && !cancelled()',
      with: { path: 'test-results/screenshots/', 'if-no-files-found': 'error' },
    });
    // The tests write the screenshots before the step that keeps them.
    expect(steps.findIndex(({ run }) => run === 'npm test')).toBe(steps.indexOf(upload ?? {}) - 1);
  });
});

describe('the other files of .github', () => {
  it.each(['dependabot.yml', 'ISSUE_TEMPLATE/bug.yml', 'ISSUE_TEMPLATE/config.yml'])('%s is YAML', (file) => {
    expect(typeof parse(readFileSync(join(ROOT, '.github', file), 'utf8'))).toBe('object');
  });
});
