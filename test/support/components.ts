import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'vitest';

/** If set, tests that need a missing program are not skipped: they run and fail. */
export const isRequired = process.env['REQUIRE_COMPONENTS'] === '1';

/** Defines a suite that needs programs. If one is missing, the suite is skipped, and its title names the program. */
export function describeWith(programs: readonly string[], name: string, suite: () => void): void {
  const missing = programs.filter((program) => !isInstalled(program));
  describeUnless(missing.length > 0, `${missing.join(', ')} is not installed`, name, suite);
}

function isInstalled(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program)));
}

/** Defines a suite that needs Python with its package cryptography. If one is missing, the suite is skipped. */
export function describeWithPython(name: string, suite: () => void): void {
  const { status } = spawnSync('python3', ['-c', 'import cryptography']);
  describeUnless(status !== 0, 'python3 with the package cryptography is not installed', name, suite);
}

/** Defines a suite that needs a folder that some package installs. If the folder is missing, the suite is skipped. */
export function describeWithFolder(folder: string, name: string, suite: () => void): void {
  describeUnless(!existsSync(folder), `${folder} is not installed`, name, suite);
}

/**
 * Defines a suite that needs data beside the checkout. A clone does not have them, and they are no component: if they are
 * missing, the suite is skipped in any case, and the summary says so.
 */
export function describeWithData(folder: string, name: string, suite: () => void): void {
  if (existsSync(folder)) describe(name, suite);
  else describe(name, () => it.todo('the data beside the checkout is missing'));
}

function describeUnless(missing: boolean, why: string, name: string, suite: () => void): void {
  if (missing && !isRequired) describe.skip(`${name} [${why}]`, suite);
  else describe(name, suite);
}
