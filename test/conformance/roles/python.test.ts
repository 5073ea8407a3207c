import { it } from 'vitest';
import type { Role } from '../../../build/conformance/cases/case.js';
import { describeWithPython } from '../../support/components.js';
import { kitOf } from '../../support/kit.js';
import { expectToPass, PYTHON_ROLES, startPython } from '../../support/kit-role.js';

/** How many programs share the cases of a role: most of the time of these two passes in pauses and deadlines. */
const PROGRAMS: Partial<Record<Role, number>> = { client: 4, lookup: 3 };

describeWithPython('the verifier in Python passes', () => {
  it.each(PYTHON_ROLES)('all cases of the role %s, with every code', async (role) => {
    const cases = await kitOf(role);
    const count = PROGRAMS[role] ?? 1;
    const shares = Array.from({ length: count }, (_one, share) =>
      cases.filter((_case, at) => at % count === share),
    );
    await Promise.all(shares.map((share) => expectToPass(share, startPython)));
  });
});
