import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Packages that decide what a record says, and what becomes of it. */
const PACKAGES = ['ajv', 'ajv-formats', 'iso-3166', 'jose', 'yaml'];

/**
 * What tells this program from every other: the versions of Node, of the program and of the packages that it stands on; and, while
 * somebody works on it, the sizes and times of its files, its schemas, and the verifier's.
 */
export function programDigest(): string {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const verifier = fileURLToPath(import.meta.resolve('@passport-registry/verifier'));
  const files = [here('.'), here('../schemas'), dirname(verifier)].flatMap(filesOf);
  const packages = PACKAGES.map((name) => rootOf(fileURLToPath(import.meta.resolve(name)), name));
  const versions = [here('..'), ...packages].map(versionOf);
  return hash('sha256', [process.version, ...versions, ...files].join('\n'));
}

function filesOf(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths
    .filter((path) => /\.(?:js|json|html|css|svg|txt)$/.test(path))
    .sort()
    .map((path) => {
      const { size, mtimeMs } = statSync(join(folder, path));
      return `${path} ${size} ${mtimeMs}`;
    });
}

/** The folder of a package, from the path of its entry. */
function rootOf(entry: string, name: string): string {
  const folder = join('node_modules', name);
  return entry.slice(0, entry.lastIndexOf(folder) + folder.length);
}

function versionOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name} ${version}`;
}
