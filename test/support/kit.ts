import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Case, Role } from '../../build/conformance/cases/case.js';
import { kitCases } from '../../build/conformance/kit/index.js';
import { madeOnce } from './made-once.js';
import { writeFiles } from './workspace.js';

/** The cases of the kit for a role. Each is signed, which takes seconds for all, so that the first file makes them for all. */
export async function kitOf(role: Role): Promise<Case[]> {
  const folder = await madeOnce(`kit-${role}`, async (made) =>
    // JSON would lose a claim that is undefined, with which a case takes the claim away.
    writeFiles(made, { cases: serialize([...kitCases(role)]) }),
  );
  return deserialize(readFileSync(join(folder, 'cases')));
}
