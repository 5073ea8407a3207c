import {
  RegistryError,
  type RegistryFiles,
  type RootKey,
  type StoredPublication,
} from '@passport-registry/verifier';
import {
  type AcceptedStatements,
  COSIGNED_ANY_TIME,
  type Conditions,
  logTrustOf,
  type Memory,
  type Proven,
  type Publication,
  parseStatementsFile,
  pinnedMemory,
  readMemory,
  type SignedHead,
  verifyPublication,
  verifyPublicationProof,
  verifyStatements,
} from '@passport-registry/verifier/core';
import { clockAt } from '../list/updated-at.js';
import { type PinnedTrust, pinnedKey } from './pinned-trust.js';
import { rejecting } from './seen-files.js';
import { registryFiles, type TreeSource } from './tree-source.js';

/** A head of a log that was accepted before. The log must contain it (rule log-mirror). */
export type AcceptedHead = Pick<SignedHead, 'origin' | 'size' | 'root'>;

/** The conditions under which a tree is accepted. */
export interface AcceptOptions {
  /** What is pinned: by the operator of a mirror, or by those who verified the previous tree. */
  readonly trust: PinnedTrust;
  /** Whether to refuse statements that have expired. What is in the future is refused all the same. */
  readonly expiry: boolean;
  /** The publications that were accepted before, newest first. */
  readonly accepted: readonly StoredPublication[];
}

/**
 * Applies the rules of a verifier to the statements of a tree, before its list is there: the rotation from the pinned root
 * key, the publication statement, and the checkpoint.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function acceptStatements(
  source: TreeSource,
  options: AcceptOptions,
): Promise<AcceptedStatements> {
  const conditions = conditionsOf(options);
  return rejecting(async () =>
    verifyStatements(registryFiles(source), await newestMemory(options, conditions), conditions),
  );
}

/**
 * Returns the head of the log of the newest publication that was accepted before: that of its proof.
 *
 * @returns undefined if there is none, or if its proof is damaged
 */
export async function acceptedHead(options: AcceptOptions): Promise<AcceptedHead | undefined> {
  const newest = await newestStored(options, conditionsOf(options));
  const statement = newest?.memory.accepted?.publication;
  if (newest === undefined || statement?.log === undefined) return undefined;
  const { origin } = statement.log;
  const rules = { origin, witnesses: [], quorum: 0, ...COSIGNED_ANY_TIME };
  try {
    const { logProof } = parseStatementsFile(Buffer.from(newest.stored.statements));
    const { size, root } = await verifyPublicationProof(logProof, statement, rules);
    return { origin, size, root };
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}

/**
 * Asserts that a verifier accepts a tree that has not been published yet, whatever its age: including its checkpoint
 * and rotation.
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
  const conditions = conditionsOf({ trust, expiry: true });
  return verifyPublication(files, pinnedMemory([trust.rootKey]), conditions);
}

/**
 * Verifies a publication as a verifier does that pins this trust, whatever has expired.
 *
 * @throws {@link RegistryError}
 */
export function verifyAnyAge(
  files: RegistryFiles,
  trust: PinnedTrust,
  now?: number,
): Promise<Proven<Publication>> {
  const conditions = conditionsOf({ trust, expiry: false }, now);
  return verifyPublication(files, pinnedMemory([trust.rootKey]), conditions);
}

function conditionsOf({ trust, expiry }: Omit<AcceptOptions, 'accepted'>, now?: number): Conditions {
  return { log: logTrustOf(trust.log), clock: clockAt(now), expiry };
}

async function newestMemory(options: AcceptOptions, conditions: Conditions): Promise<Memory> {
  return (await newestStored(options, conditions))?.memory ?? pinnedMemory([options.trust.rootKey]);
}

/**
 * Returns the newest publication that was accepted before, and what it proves. A damaged publication, or one that is not valid under
 * the pinned key, is no evidence: the one before it counts.
 */
async function newestStored(
  { trust, accepted }: AcceptOptions,
  conditions: Conditions,
): Promise<{ readonly stored: StoredPublication; readonly memory: Memory } | undefined> {
  const pinned = pinnedMemory([trust.rootKey]);
  for (const stored of accepted) {
    try {
      return { stored, memory: await readMemory(stored, pinned, conditions) };
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
    }
  }
  return undefined;
}
