import {
  assertCanonical,
  assertSorted,
  type IssuerRegistry,
  parseList,
  RegistryError,
  type RootKey,
  readList,
} from '@passport-registry/verifier';
import { sha256 } from './checksums.js';
import { IoFailed } from './errors.js';
import { PATHS } from './paths.js';
import type { OnProgress } from './progress.js';
import { Problems, SeenFiles } from './seen-files.js';
import type { TreeSource } from './tree-source.js';
import {
  checkCheckpoint,
  checkChecksums,
  checkClient,
  checkFreshness,
  checkRecords,
  checkRootKey,
  checkSignature,
  checkUnknownId,
} from './verify-steps.js';

/** What a verification looked at, in this order. */
export const CHECKS = [
  'root key',
  'signature',
  'schema',
  'order',
  'canonical form',
  'records',
  'checksums',
  'checkpoint',
  'freshness',
  'unknown id',
  'content types',
  'client',
] as const;

/** What only a live host can show. */
const ONLY_LIVE: readonly string[] = ['unknown id', 'content types', 'client'];

/** What only a tree with a checkpoint can show. */
const ONLY_WITH_CHECKPOINT: readonly string[] = ['checkpoint', 'freshness'];

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
  /** What is good now and soon will not be, in words. */
  readonly warnings: readonly string[];
}

/** How often a live host is asked again when it may have been caught in the middle of a publication (SPEC B6). */
const RETRIES = 2;

/**
 * Verifies a tree as a stranger would, from what it publishes and a root key.
 *
 * @param source - the tree: `folderSource`, `httpSource` or `memorySource`
 * @param pinned - the root key that the caller trusts; without it the tree's own is used
 * @param onProgress - told of every record that has been compared
 *
 * @example
 * ```ts
 * import { folderSource, verifyTree } from 'passport-registry';
 *
 * const report = await verifyTree(folderSource('dist'));
 * console.log(report.ok, report.rootKey);
 * ```
 */
export async function verifyTree(
  source: TreeSource,
  pinned?: RootKey,
  onProgress?: OnProgress,
): Promise<TreeReport> {
  let report = await verifyOnce(source, pinned, onProgress);
  for (let retry = 0; retry < RETRIES && source.live && !report.ok; retry++) {
    if (!(await mayHaveMoved(source, report))) break;
    report = await verifyOnce(source, pinned, onProgress);
  }
  return report;
}

/** Whether a publication during the verification could be what made it fail. */
async function mayHaveMoved(source: TreeSource, { checks, sha256: seen }: TreeReport): Promise<boolean> {
  if (checks.some(({ name, result }) => name === 'signature' && result === 'failed')) return true;
  const list = await source.get(PATHS.list).catch(() => undefined);
  return list !== undefined && sha256(list.bytes) !== seen;
}

async function verifyOnce(
  source: TreeSource,
  pinned: RootKey | undefined,
  onProgress: OnProgress | undefined,
): Promise<TreeReport> {
  const files = new SeenFiles(source);
  const checks = new CheckList();
  const rootKey = await checks.run('root key', () => checkRootKey(files, pinned));
  const list = rootKey && (await checks.run('signature', () => checkSignature(files, rootKey)));
  const registry = list && (await checkList(checks, list));
  if (registry !== undefined) {
    const canonical = checks.passed('canonical form');
    await checks.run('records', () => checkRecords(files, registry, canonical, onProgress));
  }
  await checks.run('checksums', () => checkChecksums(files));
  const warnings: string[] = [];
  const checkpoint = await files.get(PATHS.checkpoint).catch(() => undefined);
  if (checkpoint !== undefined && registry !== undefined && rootKey !== undefined) {
    const texts = await checks.run('checkpoint', () => checkCheckpoint(files, rootKey));
    const soon = texts && (await checks.run('freshness', async () => checkFreshness(texts, Date.now())));
    warnings.push(...(soon ?? []));
  }
  const development = await files.get(PATHS.developmentMark).catch(() => undefined);
  if (source.live) {
    await checks.run('unknown id', () => checkUnknownId(files));
    await checks.run('content types', async () => files.assertTypes());
    if (registry !== undefined && rootKey !== undefined) {
      await checks.run('client', () => checkClient(source.name, rootKey));
    }
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
    checks: checks.complete(source.live, checkpoint !== undefined),
    warnings,
  };
}

/** The three checks of the list itself. At once they cost a fraction; only where one fails each is run by itself, to name it. */
async function checkList(checks: CheckList, list: Uint8Array): Promise<IssuerRegistry | undefined> {
  const whole = goodList(list);
  const registry = await checks.run('schema', async () => whole ?? parseList(list));
  if (registry === undefined) return undefined;
  await checks.run('order', async () => whole ?? assertSorted(registry));
  await checks.run('canonical form', async () => whole ?? assertCanonical(list, registry));
  return registry;
}

function goodList(list: Uint8Array): IssuerRegistry | undefined {
  try {
    return readList(list);
  } catch {
    return undefined;
  }
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

  passed(name: Check['name']): boolean {
    return this.all.some((check) => check.name === name && check.result === 'passed');
  }

  /** All checks in their order, those that were not run as skipped. */
  complete(live: boolean, checkpoint: boolean): Check[] {
    const why = (name: string) => {
      if (ONLY_LIVE.includes(name) && !live) return 'only a live host shows this';
      if (ONLY_WITH_CHECKPOINT.includes(name) && !checkpoint) return 'the tree has no checkpoint';
      return 'an earlier check failed';
    };
    return CHECKS.map(
      (name): Check =>
        this.all.find((check) => check.name === name) ?? { name, result: 'skipped', problems: [why(name)] },
    );
  }
}
