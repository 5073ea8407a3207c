import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Reads a file of this package.
 *
 * @param path - relative to the root of the package
 */
export function packageFile(path: string): Buffer {
  return readFileSync(packagePath(path));
}

/**
 * Returns the location of a file or folder of this package. This module is two folders below the root of the package,
 * whether compiled or bundled.
 *
 * @param path - relative to the root of the package
 */
export function packagePath(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
