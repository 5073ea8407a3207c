import { readFileSync } from 'node:fs';

/**
 * Reads a file of this package. This module is two folders below the root of the package, whether compiled or bundled.
 *
 * @param path - relative to the root of the package
 */
export function packageFile(path: string): Buffer {
  return readFileSync(new URL(`../../${path}`, import.meta.url));
}
