import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Role } from '../../build/conformance/cases/case.js';
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

/** Shows all cases of a role to our verifiers, and to the one in Python if it has the role. */
export function describeRole(role: Role): void {
  describe(`all cases of the role ${role}`, () => {
    it('pass with our verifiers, with every code', () => expectAllToPass(role, startOurs));

    if (PYTHON_ROLES.some((one) => one === role)) {
      describeWithPython('with the verifier in Python', () => {
        it('pass with every code', () => expectAllToPass(role, startPython));
      });
    }
  });
}

async function expectAllToPass(role: Role, start: () => Program): Promise<void> {
  const cases = await kitOf(role);
  const { results } = await run(cases, { role, start, xfails: new Set(), timeoutMs: 60_000 });
  const faults = results.flatMap(({ id, rule, outcome, message, otherCodes }) =>
    outcome === 'passed' && otherCodes === undefined
      ? []
      : [`${id} (rule ${rule}): ${message ?? otherCodes ?? outcome}`],
  );
  expect(faults).toEqual([]);
  expect(results).toHaveLength(cases.length);
}
