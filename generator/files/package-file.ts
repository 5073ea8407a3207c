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

/**
 * Returns the location of a file or folder of this package.
 *
 * @param path - relative to the root of the package
 */
export function packagePath(path: string): string {
  return fileURLToPath(new URL(path, packageRoot(new URL('.', import.meta.url))));
}

/** Returns the nearest folder above this module with a package.json. Bundles are elsewhere than compiled modules. */
function packageRoot(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const above = new URL('..', folder);
  if (above.href === folder.href) throw new Error('the package.json of passport-registry is missing');
  return packageRoot(above);
}
