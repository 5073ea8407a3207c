// Makes build/website/ of this folder: the script in one file with the licences of what is in it, the other files as they are.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = `${ROOT}build/website/`;

/** What is as it was is not touched: a build tells by the times of its program's files whether it is another program. */
function put(name, content) {
  const bytes = Buffer.from(content);
  const file = OUT + name;
  if (!existsSync(file) || !readFileSync(file).equals(bytes)) writeFileSync(file, bytes);
}

mkdirSync(OUT, { recursive: true });
for (const name of ['index.html', '404.html', 'registry.css', 'icon.svg']) {
  put(name, readFileSync(`${ROOT}website/${name}`));
}
const { metafile, outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: ['website/src/main.ts'],
  outfile: `${OUT}registry.js`,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  banner: { js: '/* Apache-2.0, and what it brings along: licences.txt */' },
  metafile: true,
  write: false,
});
for (const { contents } of outputFiles) put('registry.js', contents);

const packages = Object.keys(metafile.inputs).flatMap(
  (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
);
const licences = [...new Set(packages)].sort().map((name) => {
  const folder = `${ROOT}node_modules/${name}/`;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence to pass on`);
  return `${name}\n\n${readFileSync(folder + file, 'utf8').trim()}\n`;
});
put('licences.txt', licences.join(`\n${'-'.repeat(80)}\n\n`));
