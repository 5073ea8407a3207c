// Runs after tsc, and bundles what the packages ship: the page, the command line and the library, each with the licences of
// the bundled packages, which an installation does not include.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { bundle, licencesOf, ROOT, removeOthers, write } from './bundle-files.mjs';
import { hashOfNode, partsOfPage } from './bundle-plugins.mjs';

/** Writes the page into build/website/. What the first view does not need is in a file of its own. */
async function bundleWebsite() {
  const out = 'build/website';
  const texts = await build({ entryPoints: [`${ROOT}website/src/texts.ts`], format: 'esm', write: false });
  const words = await import(`data:text/javascript,${encodeURIComponent(texts.outputFiles[0].text)}`);
  const named = (prefix, group) => Object.entries(group).map(([name, text]) => [prefix + name, text]);
  const ofStatus = [...named('standing_', words.standings), ...named('since_', words.since)];
  write(`${out}/texts.json`, JSON.stringify({ ...words.html, ...Object.fromEntries(ofStatus) }));
  write(`${out}/icon.svg`, readFileSync(`${ROOT}website/icon.svg`));
  await bundle({ entryPoints: ['website/registry.css'], outdir: out, minify: true, target: 'es2022' });
  const main = 'website/src/main.ts';
  const page = await bundle({
    entryPoints: { registry: main },
    outdir: `${out}/assets`,
    splitting: true,
    plugins: [await partsOfPage(main)],
    // A name with a hash: a page that a host has replaced never gets a part of the new page.
    chunkNames: 'parts/[hash]',
    minify: true,
    target: 'es2022',
    banner: { js: '/* Apache-2.0, see licences.txt */' },
  });
  // Without these links, the browser would find what the script imports only after it has fetched the script.
  const { imports } = page.outputs[`${out}/assets/registry.js`];
  const needed = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
  const preloads = needed.map((name) => `<link rel="modulepreload" href="assets/parts/${name}">\n`);
  for (const name of ['index.html', '404.html']) {
    const template = readFileSync(`${ROOT}website/${name}`, 'utf8');
    write(`${out}/${name}`, template.replace('<!-- preloads -->', preloads.join('')));
  }
  write(`${out}/assets/licences.txt`, licencesOf(page));
  removeOthers(out);
}

/** Writes build/cli/main.js and build/bundle/. Names and lines stay, so that stack traces can be read. */
async function bundlePrograms() {
  const common = {
    outdir: 'build',
    chunkNames: 'bundle/[name]-[hash]',
    platform: 'node',
    target: 'node20.19',
    minifyWhitespace: true,
    lineLimit: 120,
    plugins: [hashOfNode],
    // CommonJS packages in the bundle need `require` only for modules of Node.js.
    banner: { js: 'const require = process.getBuiltinModule;' },
  };
  // The `sandbox` command loads the library's bundle.
  const program = { ...common, external: ['passport-registry/sandbox'] };
  const main = await bundle({ ...program, splitting: true, entryPoints: { 'cli/main': 'cli/bin.ts' } });
  // For tests, which run the command line in their own process. It is not shipped.
  await bundle({ ...program, entryPoints: { 'cli/in-process': 'cli/program.ts' } });
  const library = await bundle({
    ...common,
    splitting: true,
    entryPoints: { 'bundle/index': 'generator/index.ts', 'bundle/sandbox': 'sandbox/index.ts' },
    // A program that uses several packages must get the same classes from all.
    external: ['@passport-registry/verifier', '@passport-registry/passports'],
  });
  // For the test of the start, which reads from it whose code each file contains.
  write('build/bundled.json', JSON.stringify(main.outputs));
  write('build/bundle/licences.txt', licencesOf(main, library));
  removeOthers('build/bundle');
}

await bundleWebsite();
await bundlePrograms();
