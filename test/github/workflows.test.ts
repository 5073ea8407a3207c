import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { OWN_WORKFLOWS, readWorkflow } from '../support/workflow.js';
import { checkWorkflows, stepsOf } from '../support/workflow-checks.js';

const NAMES = ['release', 'soak', 'test'];

checkWorkflows(OWN_WORKFLOWS, NAMES, [
  ...['dependabot.yml', 'ISSUE_TEMPLATE/bug.yml', 'ISSUE_TEMPLATE/config.yml'],
]);

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
    expect(steps.findIndex(({ run }) => run === '.ci/run')).toBe(steps.indexOf(upload ?? {}) - 1);
  });

  it('installs every program that the tests use, without which a test fails', () => {
    const script = (name: string) => readFileSync(join(ROOT, '.ci', name), 'utf8');
    expect(script('run')).toContain('REQUIRE_COMPONENTS=1 npm test\n');
    expect(script('run')).toContain('.ci/components || exit 1\n');
    expect(readWorkflow(OWN_WORKFLOWS, 'soak').text).toContain('.ci/components\n');
  });
});

describe('the workflow soak', () => {
  it('keeps the seed of the random values, and names it in an issue if it fails', () => {
    const { soak, report } = readWorkflow(OWN_WORKFLOWS, 'soak').jobs;
    const run = soak?.steps?.find(({ name }) => name === 'Soak');
    expect(run?.env?.['PROPERTY_SEED']).toContain('github.run_id');
    // With another shell, the exit code would be that of the last program of a pipe.
    expect(run).toMatchObject({ shell: 'bash', run: expect.stringContaining('npm run soak') });
    expect(report).toMatchObject({ needs: 'soak', if: 'failure()', permissions: { issues: 'write' } });
    expect(report?.steps?.[0]?.env?.['SEED']).toBe(run?.env?.['PROPERTY_SEED']);
  });
});
