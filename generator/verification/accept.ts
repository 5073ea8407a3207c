import {
  RegistryError,
  type RegistryFiles,
  type RootKey,
  type StoredPublication,
} from '@passport-registry/verifier';
import {
  type Conditions,
  logTrustOf,
  MAX_AGE_MS,
  type Memory,
  type Proven,
  type Publication,
  pinnedMemory,
  readMemory,
  STORED_FILES,
  type SummedStatements,
  verifyPublication,
  verifyStatements,
} from '@passport-registry/verifier/core';
import { readUnverified } from '../freshness/previous-checkpoint.js';
import { clockAt } from '../list/updated-at.js';
import type { ReadFileSync } from '../log/log-files.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { type PinnedTrust, pinnedKey } from './pinned-trust.js';
import { rejecting } from './seen-files.js';
import { registryFiles, type TreeSource } from './tree-source.js';

/** The conditions under which a tree is accepted. */
export interface AcceptOptions {
  /** What is pinned: by the operator of a mirror, or by those who verified the previous tree. */
  readonly trust: PinnedTrust;
  /** The maximum age of a list without a checkpoint, or {@link ANY_AGE_MS}. */
  readonly maxAgeMs: number;
  /** The publications that were accepted before, newest first. */
  readonly accepted: readonly StoredPublication[];
}

/** The maximum age with which nothing is too old or has expired. What is in the future is refused all the same. */
export const ANY_AGE_MS = Number.POSITIVE_INFINITY;

/**
 * Verifies a tree as a verifier does after an earlier publication. A mirror and `branch save` thus apply the rules of a
 * verifier. What they ask beyond them is asked elsewhere.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function acceptPublication(
  source: TreeSource,
  options: AcceptOptions,
): Promise<Proven<Publication>> {
  const conditions = conditionsOf(options);
  return rejecting(async () =>
    verifyPublication(registryFiles(source), await newestMemory(options, conditions), conditions),
  );
}

/**
 * Applies the rules of a verifier to the statements of a tree, before its list is there: the rotation from the pinned root
 * key, the publication statement, and the checkpoint with its delegation.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function acceptStatements(
  source: TreeSource,
  options: AcceptOptions,
): Promise<SummedStatements> {
  const conditions = conditionsOf(options);
  return rejecting(async () =>
    verifyStatements(registryFiles(source), await newestMemory(options, conditions), conditions),
  );
}

/**
 * Asserts that a verifier accepts a tree that has not been published yet, whatever its age: including its checkpoint,
 * delegation and rotation.
 *
 * @throws {@link TreeRejected}
 */
export function assertVerifiable(files: RegistryFiles, rootKey: RootKey): Promise<Proven<Publication>> {
  return rejecting(() => verifyAnyAge(files, pinnedKey(rootKey)), 'verifiers would refuse this tree: ');
}

/**
 * Verifies a publication as a verifier does that pins this trust, and has accepted nothing yet.
 *
 * @throws {@link RegistryError}
 */
export function verifyFresh(files: RegistryFiles, trust: PinnedTrust): Promise<Proven<Publication>> {
  const conditions = conditionsOf({ trust, maxAgeMs: MAX_AGE_MS });
  return verifyPublication(files, pinnedMemory([trust.rootKey]), conditions);
}

/**
 * Verifies a publication as a verifier does that pins this trust, but accepts a list of any age.
 *
 * @throws {@link RegistryError}
 */
export function verifyAnyAge(
  files: RegistryFiles,
  trust: PinnedTrust,
  now?: number,
): Promise<Proven<Publication>> {
  const conditions = conditionsOf({ trust, maxAgeMs: ANY_AGE_MS }, now);
  return verifyPublication(files, pinnedMemory([trust.rootKey]), conditions);
}

function conditionsOf({ trust, maxAgeMs }: Omit<AcceptOptions, 'accepted'>, now?: number): Conditions {
  const { requireCheckpoint, requirePublication, log } = trust;
  return {
    requireCheckpoint,
    requirePublication,
    log: logTrustOf(log),
    clock: clockAt(now),
    expiry: maxAgeMs !== ANY_AGE_MS,
    maxAge: maxAgeMs,
  };
}

/**
 * Returns what the newest publication proves that was accepted before. A damaged publication, or one that is not valid under
 * the pinned key, is no evidence: the one before it counts.
 */
async function newestMemory({ trust, accepted }: AcceptOptions, conditions: Conditions): Promise<Memory> {
  const pinned = pinnedMemory([trust.rootKey]);
  for (const stored of accepted) {
    try {
      return await readMemory(stored, pinned, conditions);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
    }
  }
  return pinned;
}

/**
 * Returns what a verifier would store of a tree: the list that the publication statement names, or else the one that
 * the checkpoint names, or else the list at the top.
 *
 * @returns undefined if files are missing
 */
export function storedPublication(read: ReadFileSync): StoredPublication | undefined {
  const text = (path: string) => {
    const bytes = read(path);
    return bytes && Buffer.from(bytes).toString('utf8');
  };
  const [top, signature] = [text(PATHS.list), text(PATHS.signature)];
  if (top === undefined || signature === undefined) return undefined;
  const hash = namedHash(read);
  const isTop = hash === undefined || hash === sha256(top);
  const list = isTop ? top : (text(PATHS.namedList(hash)) ?? top);
  const { list: _list, signature: _signature, ...statements } = STORED_FILES;
  const others = Object.entries(statements).map(([name, path]) => [name, text(path)] as const);
  const stated = Object.fromEntries(others.filter(([, value]) => value !== undefined));
  return { version: 1, list, signature, ...stated };
}

/**
 * Returns the payload hash of the list that the statements of a tree name; undefined if they name none. The statements are
 * not verified yet, and the hash becomes a part of a path.
 */
export function namedHash(read: ReadFileSync): string | undefined {
  const [publication, checkpoint] = [read(PATHS.publication), read(PATHS.checkpoint)];
  const hash =
    (publication && readUnverified(publication, 'registry-publication+jwt')?.claims.sha256) ??
    (checkpoint && readUnverified(checkpoint, 'registry-checkpoint+jwt')?.claims.sha256);
  return typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) ? hash : undefined;
}
