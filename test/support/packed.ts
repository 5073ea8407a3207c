import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { madeOnce } from './made-once.js';
import { ROOT } from './paths.js';
import { type Outcome, run, temporaryFolder, writeFiles } from './workspace.js';

/** A package as `npm pack` makes it. */
interface Packed {
  /** The path of the tarball. */
  readonly tarball: string;
  /** The paths of the files in the tarball. */
  readonly files: readonly string[];
  readonly unpackedSize: number;
}

/** The names of the packages that a release publishes, by their folders: the one list of them. */
export const PACKAGES = {
  '.': 'passport-registry',
  verifier: '@passport-registry/verifier',
  passports: '@passport-registry/passports',
} as const;

/** The other packages that the verifier and the passports depend on. Users get them from the package registry. */
export const DEPENDENCIES = ['@noble/hashes', 'jose'];

/** What {@link pack} can pack: the packages of the checkout, and what they depend on. */
const FOLDERS = [...Object.keys(PACKAGES), ...DEPENDENCIES.map((name) => join('node_modules', name))];

/**
 * Packs packages in folders of the checkout, without compiling them again. The first test file that needs any of them
 * packs all. Nobody changes the tarballs.
 */
export async function pack(...folders: readonly string[]): Promise<Packed[]> {
  const destination = await madeOnce('packed', packAll);
  const reports = JSON.parse(readFileSync(join(destination, 'reports.json'), 'utf8')) as PackReport[];
  return folders.map((folder) => {
    const { filename, files, unpackedSize } = reports[FOLDERS.indexOf(folder)] as PackReport;
    return {
      tarball: join(destination, basename(filename)),
      files: files.map(({ path }) => path),
      unpackedSize,
    };
  });
}

async function packAll(destination: string): Promise<void> {
  const paths = FOLDERS.map((folder) => join(ROOT, folder));
  const options = ['--json', '--ignore-scripts', '--offline', '--pack-destination', destination];
  const { code, stdout, stderr } = await run('npm', ['pack', ...options, ...paths], destination);
  if (code !== 0) throw new Error(stderr);
  writeFiles(destination, { 'reports.json': stdout });
}

/** What `npm pack --json` prints about a package. */
interface PackReport {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Runs npm in a folder, with an empty cache and no package registry. */
export function npmAlone(args: readonly string[], folder: string): Promise<Outcome> {
  return run('npm', args, folder, {
    npm_config_cache: join(folder, '.npm-cache'),
    // Port 9 refuses connections. `--offline` is not given: a user does not give it either.
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  });
}

/** Installs tarballs in an empty folder, with no package registry and no checkout in reach. Returns the folder. */
export async function installAlone(...tarballs: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  writeFiles(folder, { 'package.json': '{ "private": true }' });
  const { code, stdout, stderr } = await npmAlone(['install', ...tarballs], folder);
  if (code !== 0 || /install-scripts|EBADENGINE|deprecated|peer/.test(stderr))
    throw new Error(stdout + stderr);
  return folder;
}

/** Copies packages of the checkout into the `node_modules` of a folder, for what its user installs besides. */
export function addPackages(folder: string, ...names: readonly string[]): void {
  for (const name of names) {
    const target = join(folder, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    cpSync(join(ROOT, 'node_modules', name), target, { recursive: true });
  }
}

/** The settings of TypeScript under which users compile, each with its options. */
export const TYPESCRIPT_SETTINGS = {
  node16: ['--module', 'node16'],
  nodenext: ['--module', 'nodenext'],
  bundler: ['--module', 'esnext', '--moduleResolution', 'bundler'],
} as const;

/**
 * Compiles files with strict settings, which also check the types of all packages, with the types of Node.js and without
 * those of browsers. Returns what the compiler prints.
 */
export async function compileStrict(
  folder: string,
  files: readonly string[],
  settings: readonly string[],
): Promise<string> {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const platform = ['--target', 'es2022', '--lib', 'es2022', '--types', 'node'];
  const options = [...settings, ...strict, ...platform, '--noEmit'];
  const { stdout, stderr } = await run(process.execPath, [compiler, ...options, ...files], folder);
  return stdout + stderr;
}
