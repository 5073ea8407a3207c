import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Reads a file of this package.
 *
 * @param path - relative to the root of the package
 */
export function packageFile(path: string): Buffer {
  return readFileSync(packagePath(path));
}

/** The root of the package: two folders above this module if it is bundled, and three if it is only compiled. */
const ROOT = ['../../', '../../../']
  .map((up) => new URL(up, import.meta.url))
  .find((folder) => existsSync(new URL('package.json', folder)));

/**
 * Returns the location of a file or folder of this package.
 *
 * @param path - relative to the root of the package
 */
export function packagePath(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}
