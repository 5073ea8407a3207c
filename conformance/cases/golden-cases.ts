import type { Case } from './case.js';
import { GOLDEN_NAMES } from './goldens.js';
import { makeCase } from './make-case.js';

/** Every golden tree as it is: every role accepts it. */
export function* goldenCases(): Generator<Case> {
  for (const base of GOLDEN_NAMES) {
    yield makeCase({
      id: `golden/${base}`,
      rule: 'roles',
      base,
      why: 'A tree with the files that the protocol specifies.',
    });
  }
}
