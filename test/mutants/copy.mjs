// Copies the checkout, compiles the copy and puts mutants into the compiled JavaScript. The checkout stays unchanged.

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { parseAst } from 'vite';

/** The folders with compiled JavaScript, by the folders with the sources. */
const COMPILED = {
  verifier: 'verifier/build',
  passports: 'passports/build',
  generator: 'build/generator',
  custody: 'build/custody',
  observers: 'build/observers',
  cli: 'build/cli',
};

/** Bundles, other packages, generated code and the texts of messages. */
const EXCLUDED =
  /^build\/(?:bundle|website|sandbox|cli\/(?:main|in-process)\.js)|\/generated\/|\/messages\.js$/;

/** Copies the files of a checkout and its history. The packages are links, except the workspace. */
export function copyCheckout(checkout, copy) {
  const git = (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  git(checkout, 'clone', '--quiet', '--no-checkout', checkout, copy);
  git(copy, 'reset', '--quiet');
  const listed = git(checkout, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const path of listed.filter((path) => path !== '' && existsSync(join(checkout, path))))
    cpSync(join(checkout, path), join(copy, path));
  const packages = join(copy, 'node_modules');
  mkdirSync(join(packages, '@passport-registry'), { recursive: true });
  for (const name of ['verifier', 'passports'])
    symlinkSync(`../../${name}`, join(packages, '@passport-registry', name));
  for (const name of readdirSync(join(checkout, 'node_modules')))
    if (name === '.bin' || (!name.startsWith('.') && name !== '@passport-registry'))
      symlinkSync(join(checkout, 'node_modules', name), join(packages, name));
}

/** Compiles the copy. Writes source maps of the libraries, which their builds don't have, into a folder. */
export function compile(copy, maps) {
  const compiler = join(copy, 'node_modules/typescript/bin/tsc');
  const node = (...args) => execFileSync(process.execPath, args, { cwd: copy, stdio: 'inherit' });
  node(compiler, '--build', 'cli', 'conformance');
  node('cli/bundle.mjs');
  const builds = {
    verifier: 'verifier/build',
    'verifier/node': 'verifier/build/node',
    passports: 'passports/build',
  };
  for (const [project, build] of Object.entries(builds)) {
    const outDir = join(maps, build);
    const info = join(maps, `${project}.tsbuildinfo`);
    node(compiler, '-p', project, '--sourceMap', '--outDir', outDir, '--tsBuildInfoFile', info);
  }
}

/** Returns the compiled files of source folders such as `verifier` or `generator/records`. */
export function compiledFiles(copy, folders) {
  return folders.flatMap((folder) => {
    const [top, ...below] = folder.split('/');
    if (COMPILED[top] === undefined)
      throw new Error(`--under: ${top} is none of ${Object.keys(COMPILED).join(', ')}`);
    const start = join(COMPILED[top], ...below);
    return readdirSync(join(copy, start), { recursive: true, encoding: 'utf8' })
      .map((path) => join(start, path))
      .filter((path) => path.endsWith('.js') && !EXCLUDED.test(path))
      .sort();
  });
}

/** Puts mutants into the files of the copy, and bundles the programs again. The page stays without mutants. */
export function insertMutants(copy, mutants) {
  for (const file of new Set(mutants.map(({ file }) => file))) {
    let text = readFileSync(join(copy, file), 'utf8');
    // After the imports, which some tests read, and without a new line, so that stack traces stay the same.
    const top = parseAst(text).body.find(({ type }) => type !== 'ImportDeclaration').start;
    const fromEnd = mutants.filter((mutant) => mutant.file === file).sort((a, b) => b.start - a.start);
    for (const { id, start, end, edit } of fromEnd) text = text.slice(0, start) + edit(id) + text.slice(end);
    text = `${text.slice(0, top)}const $mutant = (globalThis.$mutant ??= (${createSwitch})()); ${text.slice(top)}`;
    parseAst(text);
    writeFileSync(join(copy, file), text);
  }
  bundlePrograms(copy);
}

/**
 * Returns the function that tells whether a mutant is active. It runs in the mutated files, and uses nothing outside of
 * itself. With MUTANTS_REACHED, it writes the id of each mutant that is reached to that file.
 */
function createSwitch() {
  const { MUTANT, MUTANTS_REACHED } = globalThis.process?.env ?? {};
  const active = Number(MUTANT ?? -1);
  if (MUTANTS_REACHED === undefined) return (id) => id === active;
  const { appendFileSync } = process.getBuiltinModule('node:fs');
  const reached = new Set();
  return (id) => {
    if (!reached.has(id)) appendFileSync(MUTANTS_REACHED, `${id}\n`);
    reached.add(id);
    return false;
  };
}

/** Changes to cli/bundle.mjs: it bundles the compiled JavaScript instead of the sources. */
const FROM_COMPILED = [
  ["'cli/bin.ts'", "'build/cli/bin.js'"],
  ["'generator/index.ts'", "'build/generator/index.js'"],
  ["'sandbox/index.ts'", "'build/sandbox/index.js'"],
  ["'cli/program.ts'", "'build/cli/program.js'"],
  ['await bundleWebsite();\n', ''],
];

function bundlePrograms(copy) {
  let script = readFileSync(join(copy, 'cli/bundle.mjs'), 'utf8');
  for (const [from, to] of FROM_COMPILED) {
    if (!script.includes(from)) throw new Error(`cli/bundle.mjs no longer contains ${from}`);
    script = script.replace(from, to);
  }
  const changed = join(copy, 'cli/bundle-mutants.mjs');
  writeFileSync(changed, script);
  execFileSync(process.execPath, [changed], { cwd: copy, stdio: 'inherit' });
  rmSync(changed);
}

/** Returns the place in the TypeScript source, or in the compiled file if it has no source map. */
export function sourcePlace(copy, maps, { file, from }) {
  const before = readFileSync(join(copy, file), 'utf8').slice(0, from).split('\n');
  const [line, column] = [before.length - 1, before.at(-1).length];
  const map = [join(copy, `${file}.map`), join(maps, `${file}.map`)].find((path) => existsSync(path));
  const entry = map && new SourceMap(JSON.parse(readFileSync(map, 'utf8'))).findEntry(line, column);
  if (!entry?.originalSource) return { file, line: line + 1, column: column + 1 };
  return {
    file: relative(copy, join(dirname(map), entry.originalSource)),
    line: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  };
}
