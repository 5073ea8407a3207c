import {
  assertCanonical,
  assertSorted,
  canonicalBytes,
  createRegistryClient,
  type IssuerRegistry,
  importRootKey,
  parseList,
  RegistryError,
  type RootKey,
  verifySignature,
} from '@passport-registry/verifier';
import { CHECKSUMS_PATH, NOT_CHECKSUMMED, parseChecksums, sha256 } from './checksums.js';
import { IoFailed } from './errors.js';
import { expectedType, HOST_FILES } from './host-files.js';
import { PATHS } from './tree.js';
import type { FoundFile, TreeSource } from './tree-source.js';

/** What a verification looked at, in this order. */
export const CHECKS = [
  'root key',
  'signature',
  'schema',
  'order',
  'canonical form',
  'records',
  'checksums',
  'unknown id',
  'content types',
  'client',
] as const;

/** The outcome of one check. A skipped check is never a passed one. */
export interface Check {
  readonly name: (typeof CHECKS)[number];
  readonly result: 'passed' | 'failed' | 'skipped';
  /** What is wrong, or why the check was skipped. */
  readonly problems: readonly string[];
}

/** What a verification found. */
export interface TreeReport {
  readonly source: string;
  /** Whether no check failed. */
  readonly ok: boolean;
  /** RFC 7638 thumbprint of the root key that was used. */
  readonly rootKey: string | undefined;
  /** Whether that key was given by the caller. If not, it is the tree's own, and only consistency is shown. */
  readonly pinned: boolean;
  /** Whether the tree says that a development key signed it. */
  readonly development: boolean;
  readonly updatedAt: string | undefined;
  /** How many issuers the list has. */
  readonly issuers: number | undefined;
  /** The payload hash: SHA-256 of issuers.json, lower-case hexadecimal. */
  readonly sha256: string | undefined;
  readonly checks: readonly Check[];
}

/** How often a live host is asked again when it may have been caught in the middle of a publication (SPEC B6). */
const RETRIES = 2;
/** How many files are asked of a live host at a time. */
const CONCURRENCY = 16;
/** A verification judges the form, and leaves the age to those who use the list: a thousand years, in seconds. */
const ANY_AGE = 1000 * 365 * 24 * 60 * 60;

/**
 * Verifies a tree as a stranger would, from what it publishes and a root key.
 *
 * @param source - the tree: `folderSource`, `httpSource` or `memorySource`
 * @param pinned - the root key that the caller trusts; without it the tree's own is used
 *
 * @example
 * ```ts
 * import { folderSource, verifyTree } from 'passport-registry';
 *
 * const report = await verifyTree(folderSource('dist'));
 * console.log(report.ok, report.rootKey);
 * ```
 */
export async function verifyTree(source: TreeSource, pinned?: RootKey): Promise<TreeReport> {
  let report = await verifyOnce(source, pinned);
  for (let retry = 0; retry < RETRIES && source.live && !report.ok; retry++) {
    if (!(await mayHaveMoved(source, report))) break;
    report = await verifyOnce(source, pinned);
  }
  return report;
}

/** Whether a publication during the verification could be what made it fail. */
async function mayHaveMoved(source: TreeSource, { checks, sha256: seen }: TreeReport): Promise<boolean> {
  if (checks.some(({ name, result }) => name === 'signature' && result === 'failed')) return true;
  const list = await source.get(PATHS.list).catch(() => undefined);
  return list !== undefined && sha256(list.bytes) !== seen;
}

async function verifyOnce(source: TreeSource, pinned: RootKey | undefined): Promise<TreeReport> {
  const files = new SeenFiles(source);
  const checks = new CheckList();
  const rootKey = await checks.run('root key', () => checkRootKey(files, pinned));
  const list = rootKey && (await checks.run('signature', () => checkSignature(files, rootKey)));
  const registry = list && (await checks.run('schema', async () => parseList(list)));
  if (registry !== undefined) {
    await checks.run('order', async () => assertSorted(registry));
    await checks.run('canonical form', async () => assertCanonical(list as Uint8Array, registry));
    await checks.run('records', () => checkRecords(files, registry));
  }
  await checks.run('checksums', () => checkChecksums(files));
  const development = await files.get(PATHS.developmentMark).catch(() => undefined);
  if (source.live) {
    await checks.run('unknown id', () => checkUnknownId(files));
    await checks.run('content types', async () => files.assertTypes());
    if (registry !== undefined) await checks.run('client', () => checkClient(source.name, rootKey));
  }
  return {
    source: source.name,
    ok: checks.all.every(({ result }) => result !== 'failed'),
    rootKey: rootKey?.thumbprint,
    pinned: pinned !== undefined,
    development: development !== undefined,
    updatedAt: registry?.updated_at,
    issuers: registry?.issuers.length,
    sha256: list && sha256(list),
    checks: checks.complete(source.live),
  };
}

/** Problems of a check, all at once. */
class Problems extends Error {
  readonly texts: readonly string[];

  constructor(texts: readonly string[]) {
    super(texts.join('; '));
    this.texts = texts;
  }
}

function failIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new Problems(problems);
}

class CheckList {
  readonly all: Check[] = [];

  /** Runs a check; what it throws on purpose is its verdict. Gives undefined when it failed. */
  async run<T>(name: Check['name'], work: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await work();
      this.all.push({ name, result: 'passed', problems: [] });
      return value;
    } catch (error) {
      const expected =
        error instanceof RegistryError || error instanceof IoFailed || error instanceof Problems;
      if (!expected) throw error;
      const problems = error instanceof Problems ? error.texts : [error.message];
      this.all.push({ name, result: 'failed', problems });
      return undefined;
    }
  }

  /** All checks in their order, those that were not run as skipped. */
  complete(live: boolean): Check[] {
    return CHECKS.map((name): Check => {
      const done = this.all.find((check) => check.name === name);
      const onlyLive = name === 'unknown id' || name === 'content types' || name === 'client';
      const why = onlyLive && !live ? 'only a live host shows this' : 'an earlier check failed';
      return done ?? { name, result: 'skipped', problems: [why] };
    });
  }
}

/** The files of the source, each asked for once, so that all checks judge the same bytes. */
class SeenFiles {
  readonly source: TreeSource;
  readonly #found = new Map<string, Promise<FoundFile | undefined>>();
  readonly #types = new Map<string, string | undefined>();

  constructor(source: TreeSource) {
    this.source = source;
  }

  async get(path: string): Promise<Uint8Array | undefined> {
    let found = this.#found.get(path);
    if (found === undefined) {
      found = this.source.get(path);
      this.#found.set(path, found);
    }
    const file = await found;
    if (file !== undefined) this.#types.set(path, file.contentType);
    return file?.bytes;
  }

  async require(path: string): Promise<Uint8Array> {
    const bytes = await this.get(path);
    if (bytes === undefined) throw new Problems([`${path} is missing`]);
    return bytes;
  }

  assertTypes(): void {
    const problems: string[] = [];
    for (const [path, type] of this.#types) {
      const expected = expectedType(path);
      const served = type?.split(';')[0]?.trim().toLowerCase();
      if (expected !== undefined && served !== expected) {
        problems.push(`${path} is served as ${type ?? 'no type at all'}, expected ${expected}`);
      }
    }
    failIfAny(problems);
  }
}

async function checkRootKey(files: SeenFiles, pinned: RootKey | undefined): Promise<RootKey> {
  const bytes = await files.require(PATHS.rootKey);
  const published = await importRootKey(parsedKey(bytes));
  if (!sameBytes(bytes, canonicalBytes(published.jwk))) {
    throw new Problems([`${PATHS.rootKey} is not the key's canonical JWK with its thumbprint as kid`]);
  }
  if (pinned !== undefined && pinned.thumbprint !== published.thumbprint) {
    throw new Problems([
      `the tree publishes the key ${published.thumbprint}, pinned is ${pinned.thumbprint}`,
    ]);
  }
  return published;
}

function parsedKey(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problems([`${PATHS.rootKey} is not JSON`]);
  }
}

async function checkSignature(files: SeenFiles, rootKey: RootKey): Promise<Uint8Array> {
  const list = await files.require(PATHS.list);
  const signature = await files.require(PATHS.signature);
  await verifySignature(list, new TextDecoder().decode(signature), rootKey);
  return list;
}

async function checkRecords(files: SeenFiles, { issuers }: IssuerRegistry): Promise<void> {
  const problems: string[] = [];
  await eachOf(issuers, async (issuer) => {
    const path = PATHS.record(issuer.issuer_id);
    const bytes = await files.get(path);
    if (bytes === undefined) problems.push(`${path} is missing`);
    else if (!sameBytes(bytes, canonicalBytes(issuer))) problems.push(`${path} is not its entry in the list`);
  });
  const expected = new Set(issuers.map(({ issuer_id }) => PATHS.record(issuer_id)));
  for (const path of files.source.paths?.() ?? []) {
    const isRecord = path.startsWith('issuers/') && !HOST_FILES.includes(path);
    if (isRecord && !expected.has(path)) problems.push(`${path} has no entry in the list`);
  }
  failIfAny(problems.sort());
}

async function checkChecksums(files: SeenFiles): Promise<void> {
  const sums = parseChecksums(new TextDecoder().decode(await files.require(CHECKSUMS_PATH)));
  if (sums === undefined) throw new Problems([`${CHECKSUMS_PATH} is not in the format of coreutils`]);
  const problems: string[] = [];
  const reachable = [...sums].filter(([path]) => !files.source.live || !HOST_FILES.includes(path));
  await eachOf(reachable, async ([path, hash]) => {
    const bytes = await files.get(path);
    if (bytes === undefined) problems.push(`${path} is missing`);
    else if (sha256(bytes) !== hash) problems.push(`${path} has another hash than ${CHECKSUMS_PATH} says`);
  });
  const listed = (path: string) => sums.has(path) || NOT_CHECKSUMMED.includes(path);
  const present = files.source.paths?.() ?? [PATHS.list, PATHS.signature, PATHS.rootKey];
  problems.push(
    ...present.filter((path) => !listed(path)).map((path) => `${path} is not in ${CHECKSUMS_PATH}`),
  );
  failIfAny(problems.sort());
}

/** An id that no registry has: it is long, and made for this question. */
const UNKNOWN_ID = 'no-such-issuer-0123456789abcdef';

async function checkUnknownId({ source }: SeenFiles): Promise<void> {
  if ((await source.get(PATHS.record(UNKNOWN_ID))) !== undefined) {
    throw new Problems([`${PATHS.record(UNKNOWN_ID)} is served, expected 404`]);
  }
}

/** What a verifier's client makes of the host: here checkpoints and rotations count, too. */
async function checkClient(base: string, rootKey: RootKey | undefined): Promise<void> {
  if (rootKey === undefined) return;
  const client = createRegistryClient({ sources: [base], rootKey: rootKey.jwk, maxAge: ANY_AGE });
  try {
    await client.ready();
  } finally {
    client.close();
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
