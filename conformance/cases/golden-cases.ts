import type { Case } from './case.js';
import { GOLDEN_NAMES } from './goldens.js';
import { makeCase } from './make-case.js';

/** Every golden tree as it is: every role accepts it. */
export function* goldenCases(): Generator<Case> {
  for (const base of GOLDEN_NAMES) {
    yield makeCase({ id: `golden/${base}`, rule: '25', base, why: 'A tree as section 1 specifies.' });
  }
}
