import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Case, Role } from '../../build/conformance/cases/case.js';
import { startOurs } from '../../build/conformance/ours.js';
import { ChildProgram, type Program } from '../../build/conformance/runner/program.js';
import { run } from '../../build/conformance/runner/run.js';
import { describeWithPython } from './components.js';
import { kitOf } from './kit.js';
import { ROOT } from './paths.js';

/** Starts the verifier in Python. It writes nothing into the checkout. */
export const startPython = (): Program =>
  new ChildProgram(['python3', '-B', join(ROOT, 'conformance/python/conformance.py')]);

/** The roles of the verifier in Python. */
export const PYTHON_ROLES = ['list', 'lookup', 'client', 'log'] as const satisfies readonly Role[];

/** Shows all cases of a role to our verifiers, topic by topic, and all together to the verifier in Python if it has the role. */
export async function describeRole(role: Role): Promise<void> {
  const cases = await kitOf(role);
  const topicOf = ({ id }: Case) => id.split('/').slice(0, 2).join('/');

  describe('our verifiers pass', () => {
    it.each([...new Set(cases.map(topicOf))])('%s, with every code', async (topic) => {
      await expectToPass(
        cases.filter((one) => topicOf(one) === topic),
        startOurs,
      );
    });
  });

  if (PYTHON_ROLES.some((one) => one === role)) {
    describeWithPython('the verifier in Python passes', () => {
      it(`the role ${role}, with every code`, () => expectToPass(cases, startPython));
    });
  }
}

async function expectToPass(cases: readonly Case[], start: () => Program): Promise<void> {
  const role = cases[0]?.role as Role;
  const { results } = await run(cases, { role, start, xfails: new Set(), timeoutMs: 60_000 });
  const faults = results.filter(
    ({ outcome, otherCodes }) => outcome !== 'passed' || otherCodes !== undefined,
  );
  expect(
    faults.map(
      ({ id, rule, outcome, message, otherCodes }) =>
        `${id} (rule ${rule}): ${message ?? otherCodes ?? outcome}`,
    ),
  ).toEqual([]);
  expect(results).toHaveLength(cases.length);
}
