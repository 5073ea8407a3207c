import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../generator/errors.js';
import { packageFile, packagePath } from '../../generator/files/package-file.js';
import { readBytes, readText } from '../../generator/files/read-file.js';

/** The program that a new registry depends on, so that everyone who works on the registry runs the same bytes. */
export interface PinnedTool {
  /** The value of the dependency in package.json. */
  readonly spec: string;
  /** A copy of the program, if npm cannot get it from elsewhere. */
  readonly vendored?: { readonly path: string; readonly bytes: Buffer };
  /** Whether npm has to run the scripts of the package during its installation, because it is built there. */
  readonly needsScripts: boolean;
  /** What the operator must know about the choice. */
  readonly note?: string;
}

/** How npm recorded an installed package, in `node_modules/.package-lock.json`. */
interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
}

const EXACT_VERSION = /^\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/;
const GIT_COMMIT = /^(git\+\w+:\/\/|git:\/\/|github:|gitlab:|bitbucket:)[^\s"#]+#[0-9a-f]{40,64}$/;
const TARBALL_URL = /^https:\/\/[^\s"#?]+\.(tgz|tar\.gz)$/;

/**
 * Pins the program that runs, as npm installed it: an exact version of a package registry, the commit of a git
 * repository, or a copy of the tarball.
 *
 * @throws {@link UsageError} if the program runs from a checkout, or if the tarball is not there any more
 */
export function runningTool(): PinnedTool {
  const { name, version } = JSON.parse(packageFile('package.json').toString());
  const folder = resolve(packagePath('.'));
  const modules = dirname(folder);
  if (basename(modules) !== 'node_modules') {
    throw new UsageError(
      'the program runs from a checkout, which package.json cannot pin: run `npm pack` there, and give the tarball by --tool',
    );
  }
  const { resolved, integrity } = lockEntry(modules, name) ?? {};
  if (resolved === undefined && integrity === undefined) {
    return {
      ...pin(version),
      note: `npm has no record of this installation: pinned its version, ${version}`,
    };
  }
  if (resolved?.startsWith('file:')) {
    const path = resolved.slice('file:'.length).replaceAll('%23', '#');
    return vendor(resolve(dirname(modules), path), version, integrity);
  }
  if (resolved?.startsWith('git')) return fromGit(resolved);
  // Package registries name their tarballs in many ways. Only a dependency on a URL is not a version.
  const wanted = dependencyOf(dirname(modules), name);
  return pin(wanted?.startsWith('https://') ? wanted : version);
}

/**
 * Pins the program that the user names.
 *
 * @param spec - an exact version, the path or https URL of a tarball, or the address of a git repository with a commit
 * @throws {@link UsageError} if the program is not pinned by that
 */
export function namedTool(spec: string): PinnedTool {
  assertNoCredentials(spec);
  const path = spec.replace(/^file:/, '');
  if (/\.t(ar\.)?gz$/.test(path) && existsSync(path)) return vendor(resolve(path), undefined, undefined);
  if (GIT_COMMIT.test(spec)) return fromGit(spec);
  if (EXACT_VERSION.test(spec) || TARBALL_URL.test(spec)) return pin(spec);
  throw new UsageError(
    `--tool ${spec} does not pin the program: give an exact version, a tarball, or a git address that ends in #<commit>`,
  );
}

/** The address is written to package.json, which everyone can read. An ssh address has a user, but no secret. */
function assertNoCredentials(spec: string): void {
  const { protocol, username, password } = URL.canParse(spec) ? new URL(spec) : NO_CREDENTIALS;
  if (password === '' && (username === '' || /^(git\+)?ssh:$/.test(protocol))) return;
  throw new UsageError(
    'the address of the program contains credentials, which package.json would show: give --tool without them, and let npm or git log in',
  );
}

const NO_CREDENTIALS = { protocol: '', username: '', password: '' };

function pin(spec: string): PinnedTool {
  assertNoCredentials(spec);
  return { spec, needsScripts: false };
}

function fromGit(spec: string): PinnedTool {
  assertNoCredentials(spec);
  const note = 'npm builds a package from git while it installs it, so the workflows let npm run scripts';
  return { spec, needsScripts: true, note };
}

/** Copies the tarball into the registry. @param integrity - the hash of the tarball that was installed */
function vendor(file: string, version: string | undefined, integrity: string | undefined): PinnedTool {
  if (!existsSync(file) || !statSync(file).isFile()) {
    throw new UsageError(`the program was installed from ${file}, which is not a file any more: give --tool`);
  }
  const bytes = readBytes(file);
  if (integrity !== undefined && integrity !== `sha512-${sha512(bytes)}`) {
    throw new UsageError(`${file} is not the tarball from which the program was installed: give --tool`);
  }
  const path = `vendor/${version === undefined ? plainName(file) : `passport-registry-${version}.tgz`}`;
  return { spec: `file:${path}`, vendored: { path, bytes }, needsScripts: false };
}

/** The name of a file, without characters that mean something in the address of a dependency. */
function plainName(file: string): string {
  return basename(file).replaceAll(/[^\w.-]/g, '-');
}

function sha512(bytes: Buffer): string {
  return createHash('sha512').update(bytes).digest('base64');
}

function lockEntry(modules: string, name: string): LockEntry | undefined {
  const file = join(modules, '.package-lock.json');
  if (!existsSync(file)) return undefined;
  return JSON.parse(readText(file)).packages?.[`node_modules/${name}`];
}

/** How the package around an installation names its dependency. */
function dependencyOf(folder: string, name: string): string | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  const { dependencies, devDependencies } = JSON.parse(readText(file));
  return { ...devDependencies, ...dependencies }[name];
}
