import { readFileSync } from 'node:fs';

/**
 * A file of this package. This module lies two folders below the package, whether by itself or in a bundle.
 *
 * @param path - from the top of the package
 */
export function packageFile(path: string): Buffer {
  return readFileSync(new URL(`../../${path}`, import.meta.url));
}
