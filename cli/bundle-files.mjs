import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const written = new Set();

/** Writes a file only if its content has changed, because programs may be running from it. */
export function write(path, content) {
  const file = join(ROOT, path);
  const bytes = Buffer.from(content);
  written.add(file);
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file) || !readFileSync(file).equals(bytes)) writeFileSync(file, bytes);
}

/** Bundles entry points, writes the files, and returns what esbuild says of them. */
export async function bundle(options) {
  const common = { absWorkingDir: ROOT, bundle: true, format: 'esm', legalComments: 'none', metafile: true };
  const { metafile, outputFiles } = await build({ ...common, write: false, ...options });
  for (const { path, contents } of outputFiles) write(path.slice(ROOT.length), contents);
  return metafile;
}

/** Removes the files of a folder that this run has not written. */
export function removeOthers(folder) {
  for (const entry of readdirSync(ROOT + folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !written.has(path)) rmSync(path);
  }
}

/** The licences of packages that have no file with it. */
const OWN_LICENCE_FILES = { '@redis/client': 'cli/licence-of-redis-client.txt' };

/** Returns the names, versions and licences of the packages from which files were bundled. */
export function licencesOf(...metafiles) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${ROOT}${folder}package.json`, 'utf8'));
    const own = readdirSync(ROOT + folder).find((entry) => /^licen[cs]e/i.test(entry));
    const file = own === undefined ? OWN_LICENCE_FILES[name] : folder + own;
    if (file === undefined) throw new Error(`${name} has no licence file`);
    return `${name}@${version}\n\n${readFileSync(ROOT + file, 'utf8').trim()}\n`;
  });
  return [...new Set(texts)].join(`\n${'-'.repeat(80)}\n\n`);
}
