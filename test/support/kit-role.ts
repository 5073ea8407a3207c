import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Case, Role } from '../../build/conformance/cases/case.js';
import { startOurs } from '../../build/conformance/ours.js';
import { ChildProgram, type Program } from '../../build/conformance/runner/program.js';
import { run } from '../../build/conformance/runner/run.js';
import { kitOf } from './kit.js';
import { ROOT } from './paths.js';

/** The roles of the verifier in Python. */
export const PYTHON_ROLES = ['list', 'lookup', 'client', 'log'] as const satisfies readonly Role[];

/** Starts the verifier in Python. It writes nothing into the checkout. */
export const startPython = (): Program =>
  new ChildProgram(['python3', '-B', join(ROOT, 'conformance/python/conformance.py')]);

/** Shows all cases of a role to our verifiers. Each topic is a test. */
export async function describeRole(role: Role): Promise<void> {
  const cases = await kitOf(role);
  const topicOf = ({ id }: Case) => id.split('/').slice(0, 2).join('/');
  const topics = [...new Set(cases.map(topicOf))];

  describe('our verifiers pass', () => {
    it.each(topics)('%s, with every code', async (topic) => {
      const ofTopic = cases.filter((one) => topicOf(one) === topic);
      await expectToPass(ofTopic, startOurs);
    });
  });
}

/** Shows cases of one role to a program. Each fault is named by its case, with its rule. */
export async function expectToPass(cases: readonly Case[], start: () => Program): Promise<void> {
  const role = cases[0]?.role ?? 'list';
  const { results } = await run(cases, { role, start, xfails: new Set(), timeoutMs: 60_000 });
  const faults = results.flatMap(({ id, rule, outcome, message, otherCodes }) => {
    const fault = message ?? otherCodes;
    if (outcome === 'passed' && fault === undefined) return [];
    return [`${id} (rule ${rule}): ${fault ?? outcome}`];
  });
  expect(faults).toEqual([]);
  expect(results).toHaveLength(cases.length);
}
