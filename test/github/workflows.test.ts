import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/paths.js';
import { OWN_WORKFLOWS, readWorkflow } from '../support/workflow.js';
import { checkWorkflows, jobsOf } from '../support/workflow-checks.js';

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

describe('the other files of .github', () => {
  it.each(['dependabot.yml', 'ISSUE_TEMPLATE/bug.yml', 'ISSUE_TEMPLATE/config.yml'])('%s is YAML', (file) => {
    expect(typeof parse(readFileSync(join(ROOT, '.github', file), 'utf8'))).toBe('object');
  });
});
