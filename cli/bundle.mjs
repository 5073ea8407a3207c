// Runs after tsc, and bundles what the packages ship: the script of the page, the command line and the library. Writes
// the licences of the bundled packages next to the bundles. An installation does not include bundled packages.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Writes a file only if its content has changed, because programs may be running from it. */
function writeIfChanged(file, content) {
  const bytes = Buffer.from(content);
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file) || !readFileSync(file).equals(bytes)) writeFileSync(file, bytes);
}

/**
 * Bundles the entry points and writes the files. Returns the paths of the inputs and of the written files, and of the files
 * that the entry points import.
 */
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
  const imports = Object.values(metafile.outputs)
    .filter(({ entryPoint }) => entryPoint !== undefined)
    .flatMap(({ imports }) => imports.filter(({ kind }) => kind === 'import-statement'));
  return {
    inputs: Object.keys(metafile.inputs),
    files: outputFiles.map(({ path }) => path),
    imports: [...new Set(imports.map(({ path }) => path))],
  };
}

/** The licences of packages that have no file with it. */
const OWN_LICENCE_FILES = { '@redis/client': 'cli/licence-of-redis-client.txt' };

/** Returns the names, versions and licences of the packages to which the input files belong. */
function collectLicences(inputs) {
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

/** The words of the page. */
const TEXTS = `${ROOT}website/src/texts.ts`;

/** Where the verifier exports what the page uses. */
const VERIFIER = `${ROOT}verifier/build`;

/** Returns the modules from which the verifier's exports come, by the names of the exports. */
function verifierModules() {
  return new Map(
    ['', 'core/', 'http/'].flatMap((folder) => {
      const text = readFileSync(`${VERIFIER}/${folder}index.js`, 'utf8');
      const statements = [...text.matchAll(/^export \{([^}]+)\} from '([^']+)';$/gm)];
      return statements.flatMap(([, names, path]) =>
        names.split(',').map((name) => [name.trim(), `${VERIFIER}/${folder}${path}`]),
      );
    }),
  );
}

/**
 * Imports each name from where it is, because the bundler divides the parts of the page by files: one file with all words,
 * or one with all exports of the verifier, would bring everything into the first view. Each group of words becomes a
 * module of its own: the whole file, from which the bundler removes what is not used.
 */
const fromWhereItIs = {
  name: 'from-where-it-is',
  setup({ onLoad, onResolve }) {
    const modules = verifierModules();
    const statement =
      /^import \{([^}]+)\} from '([./]+\/texts\.js|@passport-registry\/verifier(?:\/core|\/http)?)';$/gm;
    const sourceOf = (name, from) => (from.startsWith('@') ? modules.get(name) : `words:${name}`);
    onLoad({ filter: /website\/src\/.*\.ts$/, namespace: 'file' }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(statement, (_all, names, from) =>
        names
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '' && !name.startsWith('type '))
          .map((name) => `import { ${name} } from '${sourceOf(name.split(' ')[0], from)}';`)
          .join(' '),
      ),
      loader: 'ts',
    }));
    onLoad({ filter: /\.css$/, namespace: 'file' }, async ({ path }) => ({
      contents: (await transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true })).code,
      loader: 'text',
    }));
    onResolve({ filter: /^words:/ }, ({ path }) => ({ path, namespace: 'words', sideEffects: false }));
    onLoad({ filter: /^/, namespace: 'words' }, () => ({
      contents: readFileSync(TEXTS, 'utf8'),
      loader: 'ts',
    }));
  },
};

/** Writes the page for browsers into build/website/. What the first view does not need is in a file of its own. */
async function bundleWebsite() {
  const out = `${ROOT}build/website/`;
  const { html, standings, since } = await importModule(TEXTS);
  const named = (prefix, texts) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [prefix + name, text]));
  const texts = {
    ...html,
    ...named('standing_', standings),
    ...named('since_', since),
  };
  writeIfChanged(`${out}texts.json`, JSON.stringify(texts));
  writeIfChanged(`${out}icon.svg`, readFileSync(`${ROOT}website/icon.svg`));
  await bundle({
    entryPoints: ['website/registry.css'],
    outfile: `${out}registry.css`,
    minify: true,
    target: 'es2022',
  });
  const { inputs, files, imports } = await bundle({
    entryPoints: { registry: 'website/src/main.ts' },
    outdir: `${out}assets`,
    // A name with a hash: a page that a host has replaced never gets a part of the new page.
    chunkNames: 'parts/[hash]',
    splitting: true,
    minify: true,
    plugins: [fromWhereItIs],
    target: 'es2022',
    banner: { js: '/* Apache-2.0, and what it brings along: licences.txt */' },
  });
  // Without these links, the browser would find what the script imports only after it has fetched the script.
  const preloads = imports.map(
    (path) => `<link rel="modulepreload" href="assets/parts/${basename(path)}">\n`,
  );
  for (const name of ['index.html', '404.html']) {
    const page = readFileSync(`${ROOT}website/${name}`, 'utf8');
    writeIfChanged(out + name, page.replace('<!-- preloads -->', preloads.join('')));
  }
  const licences = `${out}assets/licences.txt`;
  writeIfChanged(licences, collectLicences(inputs));
  for (const folder of [`${out}assets/`, `${out}assets/parts/`]) removeOthers(folder, [...files, licences]);
}

/** Imports a TypeScript module that imports nothing. */
async function importModule(path) {
  const { outputFiles } = await build({ entryPoints: [path], format: 'esm', write: false });
  const [{ text }] = outputFiles;
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}

/** Removes the files of a folder that this run has not written. */
function removeOthers(folder, written) {
  const names = new Set(written.map((path) => basename(path)));
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of files) if (!names.has(name)) rmSync(folder + name);
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

/** Hashes with Node.js, which takes a third of the time for the small inputs of a log. The verifier itself has only Web APIs. */
const hashesOfNode = {
  name: 'hashes-of-node',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@noble\/hashes\/sha2\.js$/ }, ({ path, importer }) =>
      importer.endsWith('/core/bytes/sha256-sync.js') ? { path, namespace: 'node-hashes' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'node-hashes' }, () => ({
      contents: `
import { hash } from 'node:crypto';
export const sha256 = (bytes) => new Uint8Array(hash('sha256', bytes, 'buffer'));`,
    }));
  },
};

/**
 * Lets everything that the command line loads on demand load most commands, too. What they share is then one file. Otherwise,
 * each set of commands would have a file of its own, and Node.js takes a millisecond to open a file.
 */
const commandsTogether = {
  name: 'commands-together',
  setup({ onLoad, onResolve }) {
    const folder = `${ROOT}cli/commands/`;
    // The cryptography of holders, which few registries need.
    const commands = readdirSync(folder).filter((file) => file !== 'ceremony.ts');
    onResolve({ filter: /^\.\.?\//, namespace: 'file' }, ({ path, kind, resolveDir }) =>
      kind === 'dynamic-import' && !resolveDir.includes('node_modules')
        ? { path: join(resolveDir, path), namespace: 'on-demand' }
        : undefined,
    );
    onLoad({ filter: /^/, namespace: 'on-demand' }, ({ path }) => ({
      contents: [`export * from '${path}';`, ...commands.map((file) => `import '${folder}${file}';`)].join(
        '\n',
      ),
      loader: 'ts',
      resolveDir: ROOT,
    }));
  },
};

const FOR_NODE = {
  outdir: `${ROOT}build`,
  chunkNames: 'bundle/[name]-[hash]',
  splitting: true,
  platform: 'node',
  plugins: [onlyCodes, hashesOfNode],
  target: 'node20.19',
  // CommonJS packages in the bundle need `require` only for modules of Node.js.
  banner: { js: 'const require = process.getBuiltinModule;' },
};

/** The `sandbox` command loads the library's bundle. Its start-up time does not matter. */
const PROGRAM = { external: ['passport-registry/sandbox'] };

/**
 * Writes build/cli/main.js, and build/bundle/ with the library and the parts that both load on demand. The bundles are
 * not minified, so that stack traces stay readable.
 */
async function bundlePrograms() {
  const program = await bundle({
    ...FOR_NODE,
    ...PROGRAM,
    entryPoints: { 'cli/main': 'cli/bin.ts' },
    plugins: [...FOR_NODE.plugins, commandsTogether],
  });
  // For tests, which run the command line in their own process. It is not shipped.
  await bundle({
    ...FOR_NODE,
    ...PROGRAM,
    entryPoints: { 'cli/in-process': 'cli/program.ts' },
    splitting: false,
  });
  const library = await bundle({
    ...FOR_NODE,
    entryPoints: { 'bundle/index': 'generator/index.ts', 'bundle/sandbox': 'sandbox/index.ts' },
    // A program that uses both packages must get the same classes from both.
    external: ['@passport-registry/verifier'],
  });
  const out = `${ROOT}build/bundle/`;
  writeIfChanged(`${out}licences.txt`, collectLicences([...program.inputs, ...library.inputs]));
  removeOthers(out, [...program.files, ...library.files, 'licences.txt']);
}

await bundleWebsite();
await bundlePrograms();
