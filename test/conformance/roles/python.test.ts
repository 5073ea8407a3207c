import { it } from 'vitest';
import { describeWithPython } from '../../support/components.js';
import { kitOf } from '../../support/kit.js';
import { expectToPass, PYTHON_ROLES, startPython } from '../../support/kit-role.js';

describeWithPython('the verifier in Python passes', () => {
  it.each(PYTHON_ROLES)('all cases of the role %s, with every code', async (role) => {
    await expectToPass(await kitOf(role), startPython);
  });
});
