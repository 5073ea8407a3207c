import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { MACHINE_PATH } from './machine.js';
import { findProgram } from './programs.js';
import { temporaryFolder } from './workspace.js';

/** If set, tests that need a missing program are not skipped: they run and fail. */
export const isRequired = process.env['REQUIRE_COMPONENTS'] === '1';

/**
 * Defines a suite that needs programs. Only in such a suite, they are on the PATH. If one is missing, the suite is skipped,
 * and its title names the program.
 */
export function describeWith(programs: readonly string[], name: string, suite: () => void): void {
  const found = programs.map((program) => [program, findProgram(program, MACHINE_PATH)] as const);
  const missing = found.flatMap(([program, path]) => (path === undefined ? [program] : []));
  describeUnless(missing.length > 0, `${missing.join(', ')} is not installed`, name, () => {
    addToPath(found);
    suite();
  });
}

/** Defines a suite that needs Python with its package cryptography. If one is missing, the suite is skipped. */
export function describeWithPython(name: string, suite: () => void): void {
  // Asked for its own path, because python3 can be a script that looks for another python3 on the PATH.
  const script = 'import cryptography, sys; print(sys.executable)';
  const { status, stdout } = spawnSync('python3', ['-c', script], {
    encoding: 'utf8',
    env: { ...process.env, PATH: MACHINE_PATH },
  });
  describeUnless(status !== 0, 'python3 with the package cryptography is not installed', name, () => {
    addToPath([['python3', stdout?.trim()]]);
    suite();
  });
}

/**
 * Defines a suite whose programs mount file systems that nobody else sees. If mount is missing, or a process may not have
 * mounts of its own, as in many containers, the suite is skipped.
 */
export function describeWithMounts(name: string, suite: () => void): void {
  const { status } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], {
    env: { ...process.env, PATH: MACHINE_PATH },
  });
  describeUnless(status !== 0, 'mount, with the right to use it, is not installed', name, () => {
    addToPath([['mount', findProgram('mount', MACHINE_PATH)]]);
    suite();
  });
}

/** Puts programs on the PATH for the tests of the suite in which this is called. */
function addToPath(programs: readonly (readonly [name: string, path: string | undefined])[]): void {
  beforeAll(() => {
    const [folder, before] = [temporaryFolder(), process.env['PATH'] ?? ''];
    for (const [name, path] of programs) {
      if (path !== undefined)
        writeFileSync(join(folder, name), `#!/bin/sh\nexec '${path}' "$@"\n`, { mode: 0o755 });
    }
    process.env['PATH'] = `${folder}${delimiter}${before}`;
    return () => {
      process.env['PATH'] = before;
    };
  });
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

/** Defines a suite, which is skipped if something is missing. Its title then says what. */
export function describeUnless(missing: boolean, why: string, name: string, suite: () => void): void {
  if (missing && !isRequired) describe.skip(`${name} [${why}]`, suite);
  else describe(name, suite);
}
