import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe } from 'vitest';

/** With this set a missing component is a failure: its tests run, and fail. */
const REQUIRED = process.env['REQUIRE_COMPONENTS'] === '1';

/** A suite that needs some programs. Where one is missing it is skipped, and its name says why. */
export function describeWith(programs: readonly string[], name: string, suite: () => void): void {
  const missing = programs.filter((program) => spawnSync('which', [program]).status !== 0);
  describeUnless(missing.length > 0, `${missing.join(', ')} is not installed`, name, suite);
}

/** A suite that needs a folder which not every checkout has beside it. */
export function describeWithFolder(folder: string, name: string, suite: () => void): void {
  describeUnless(!existsSync(folder), 'its data is not here', name, suite);
}

function describeUnless(missing: boolean, why: string, name: string, suite: () => void): void {
  if (missing && !REQUIRED) describe.skip(`${name} [${why}]`, suite);
  else describe(name, suite);
}
