// Makes of the compiled packages what ships, after tsc: the script of the page, the command line and the library. Each has beside
// it the licences of the packages that are in it. Nothing that is in a bundle is installed.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A file that is as it was is not touched: programs may be running from it. */
function put(file, content) {
  const bytes = Buffer.from(content);
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file) || !readFileSync(file).equals(bytes)) writeFileSync(file, bytes);
}

/** Bundles, writes the files, and gives what went into them. */
async function bundle(options) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    legalComments: 'none',
    metafile: true,
    write: false,
    ...options,
  });
  for (const { path, contents } of outputFiles) put(path, contents);
  return { inputs: Object.keys(metafile.inputs), files: outputFiles.map(({ path }) => path) };
}

/** The licences of the packages that some files belong to. */
function licences(inputs) {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name } = JSON.parse(readFileSync(`${ROOT}${folder}package.json`, 'utf8'));
    const file = readdirSync(ROOT + folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence to pass on`);
    return `${name}\n\n${readFileSync(ROOT + folder + file, 'utf8').trim()}\n`;
  });
  return [...new Set(texts)].join(`\n${'-'.repeat(80)}\n\n`);
}

/** The page, for browsers. */
async function bundleWebsite() {
  const out = `${ROOT}build/website/`;
  for (const name of ['index.html', '404.html', 'registry.css', 'icon.svg']) {
    put(out + name, readFileSync(`${ROOT}website/${name}`));
  }
  const { inputs } = await bundle({
    entryPoints: ['website/src/main.ts'],
    outfile: `${out}registry.js`,
    minify: true,
    target: 'es2022',
    banner: { js: '/* Apache-2.0, and what it brings along: licences.txt */' },
  });
  put(`${out}licences.txt`, licences(inputs));
}

/** Of the tables of countries, which are a quarter of the command line, only the codes: nothing else is read. */
const onlyCodes = {
  name: 'only-codes',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules\/iso-3166\/index\.js$/ }, async ({ path }) => {
      const { iso31661, iso31662 } = await import(path);
      const assigned = iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2);
      const subdivisions = iso31662.map(({ code }) => code);
      return {
        contents: `
export const iso31661 = '${assigned.join(' ')}'.split(' ').map((alpha2) => ({ alpha2, state: 'assigned' }));
export const iso31662 = '${subdivisions.join(' ')}'.split(' ').map((code) => ({ code }));`,
      };
    });
  },
};

const FOR_NODE = {
  outdir: `${ROOT}build`,
  chunkNames: 'bundle/[name]-[hash]',
  splitting: true,
  platform: 'node',
  plugins: [onlyCodes],
  target: 'node20.19',
  // Packages in CommonJS require modules of Node.js, and nothing else that is not in the bundle.
  banner: { js: 'const require = process.getBuiltinModule;' },
};

/** build/cli/main.js, and build/bundle/ with the library and what both load when they need it. Not minified, for stack traces. */
async function bundlePrograms() {
  const program = await bundle({
    ...FOR_NODE,
    entryPoints: { 'cli/main': 'generator/cli/bin.ts' },
    // The issuer of the library, which is in no hurry.
    external: ['passport-registry/sandbox'],
  });
  const library = await bundle({
    ...FOR_NODE,
    entryPoints: { 'bundle/index': 'generator/index.ts', 'bundle/sandbox': 'sandbox/index.ts' },
    // Its classes are also those of whoever uses both packages.
    external: ['@passport-registry/verifier'],
  });
  const out = `${ROOT}build/bundle/`;
  put(`${out}licences.txt`, licences([...program.inputs, ...library.inputs]));
  const made = new Set(
    [...program.files, ...library.files].map((path) => basename(path)).concat('licences.txt'),
  );
  for (const name of readdirSync(out)) if (!made.has(name)) rmSync(out + name);
}

await bundleWebsite();
await bundlePrograms();
