// Runs after tsc, and bundles what the packages ship: the script of the page, the command line and the library. Writes
// the licences of the bundled packages next to the bundles. An installation does not include bundled packages.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Writes a file only if its content has changed, because programs may be running from it. */
function writeIfChanged(file, content) {
  const bytes = Buffer.from(content);
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file) || !readFileSync(file).equals(bytes)) writeFileSync(file, bytes);
}

/** Bundles the entry points and writes the files. Returns the paths of the inputs and of the written files. */
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
  for (const { path, contents } of outputFiles) writeIfChanged(path, contents);
  return { inputs: Object.keys(metafile.inputs), files: outputFiles.map(({ path }) => path) };
}

/** Returns the names, versions and licences of the packages to which the input files belong. */
function collectLicences(inputs) {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${ROOT}${folder}package.json`, 'utf8'));
    const file = readdirSync(ROOT + folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    return `${name}@${version}\n\n${readFileSync(ROOT + folder + file, 'utf8').trim()}\n`;
  });
  return [...new Set(texts)].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Writes the page for browsers into build/website/. */
async function bundleWebsite() {
  const out = `${ROOT}build/website/`;
  for (const name of ['index.html', '404.html', 'registry.css', 'icon.svg']) {
    writeIfChanged(out + name, readFileSync(`${ROOT}website/${name}`));
  }
  const { inputs } = await bundle({
    entryPoints: ['website/src/main.ts'],
    outfile: `${out}registry.js`,
    minify: true,
    target: 'es2022',
    banner: { js: '/* Apache-2.0, and what it brings along: licences.txt */' },
  });
  writeIfChanged(`${out}licences.txt`, collectLicences(inputs));
}

/** Reduces the country tables to their codes. The whole tables would be a quarter of the command line. */
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
  // CommonJS packages in the bundle need `require` only for modules of Node.js.
  banner: { js: 'const require = process.getBuiltinModule;' },
};

/**
 * Writes build/cli/main.js, and build/bundle/ with the library and the parts that both load on demand. The bundles are
 * not minified, so that stack traces stay readable.
 */
async function bundlePrograms() {
  const program = await bundle({
    ...FOR_NODE,
    entryPoints: { 'cli/main': 'generator/cli/bin.ts' },
    // The `sandbox` command loads the library's bundle. Its start-up time does not matter.
    external: ['passport-registry/sandbox'],
  });
  const library = await bundle({
    ...FOR_NODE,
    entryPoints: { 'bundle/index': 'generator/index.ts', 'bundle/sandbox': 'sandbox/index.ts' },
    // A program that uses both packages must get the same classes from both.
    external: ['@passport-registry/verifier'],
  });
  const out = `${ROOT}build/bundle/`;
  writeIfChanged(`${out}licences.txt`, collectLicences([...program.inputs, ...library.inputs]));
  const written = new Set(
    [...program.files, ...library.files].map((path) => basename(path)).concat('licences.txt'),
  );
  for (const name of readdirSync(out)) if (!written.has(name)) rmSync(out + name);
}

await bundleWebsite();
await bundlePrograms();
