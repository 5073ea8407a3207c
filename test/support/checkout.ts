import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './paths.js';
import { temporaryFolder } from './workspace.js';

/**
 * Copies the sources of this project into an empty folder, with the packages that `npm ci --ignore-scripts` installs, and
 * with nothing that is compiled. Returns the folder.
 */
export function cleanCheckout(): string {
  const folder = temporaryFolder();
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const copied = listed.split('\0').filter((path) => path !== '' && !/^(bench|issuers|test)\//.test(path));
  for (const path of copied) cpSync(join(ROOT, path), join(folder, path));
  for (const name of installedPackages()) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  mkdirSync(join(folder, 'node_modules/@passport-registry'));
  for (const name of ['verifier', 'passports'])
    symlinkSync(`../../${name}`, join(folder, 'node_modules/@passport-registry', name));
  return folder;
}

/**
 * Returns such a folder, with what the tests have compiled from the same sources, so that to compile again takes no time. The
 * program itself is missing: it must be compiled again.
 */
export function compiledCheckout(): string {
  const folder = cleanCheckout();
  for (const built of ['build', 'verifier/build', 'passports/build'])
    cpSync(join(ROOT, built), join(folder, built), { recursive: true });
  rmSync(join(folder, 'build/cli/main.js'));
  return folder;
}

/** Returns the names of the folders in node_modules, except those of the workspaces. */
function installedPackages(): string[] {
  return readdirSync(join(ROOT, 'node_modules')).flatMap((name) => {
    if (name === '@passport-registry') return [];
    if (!name.startsWith('@')) return [name];
    return readdirSync(join(ROOT, 'node_modules', name)).map((within) => `${name}/${within}`);
  });
}
