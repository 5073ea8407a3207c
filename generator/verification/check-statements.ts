import { type IssuerRegistry, type RootKey, walkRotation } from '@passport-registry/verifier';
import {
  ANY_TIME,
  assertCheckpointFits,
  type Checkpoint,
  canonicalBytes,
  clockNote,
  hasCode,
  isToCome,
  type PublicationStatement,
  parseStatementsFile,
  parseStrictJson,
  type RotationStep,
  readRotation,
  readStatementsFile,
  type StatementsFile,
  successorIn,
  verifyCheckpoint,
  verifyStep,
} from '@passport-registry/verifier/core';
import { aheadOfTime, expiryOf } from '../freshness/expiry.js';
import { clockAt } from '../list/updated-at.js';
import { PATHS } from '../tree/paths.js';
import { checkRootKey } from './file-checks.js';
import { failIfAny, Problems, type SeenFiles } from './seen-files.js';

/** The root key with which a tree is verified, and the pinned key that led to it. */
export interface TrustedRoot {
  readonly rootKey: RootKey;
  /** The pinned key, if a rotation led from it to `rootKey`. */
  readonly rotatedFrom: RootKey | undefined;
}

/**
 * Follows the rotation from the pinned root key to the current one, as a client does (rule rotation-chain).
 *
 * @param pinned - default: the tree's own key
 */
export async function trustedRoot(files: SeenFiles, pinned: RootKey | undefined): Promise<TrustedRoot> {
  const published = await checkRootKey(files);
  if (pinned === undefined || pinned.thumbprint === published.thumbprint) {
    return { rootKey: published, rotatedFrom: undefined };
  }
  const differ = `the tree publishes the key ${published.thumbprint}, but the pinned key is ${pinned.thumbprint}`;
  const { rotation } = await readStatementsFile(files);
  if (rotation.length === 0) throw new Problems([differ]);
  let current: RootKey;
  try {
    current = await walkRotation(pinned, rotation);
  } catch (error) {
    throw new Problems([`${differ}, and the rotation does not lead there: ${(error as Error).message}`]);
  }
  if (current.thumbprint !== published.thumbprint) {
    throw new Problems([`${differ}, and the rotation leads to ${current.thumbprint}`]);
  }
  return { rootKey: published, rotatedFrom: pinned };
}

/** The root keys of a tree, from its rotation. */
export interface RootHistory {
  /** The known keys, oldest first. The last one is the tree's own. */
  readonly keys: readonly RootKey[];
  /** The thumbprint of the first root key, if the key itself is unknown: a rotation contains only its thumbprint. */
  readonly unknown: string | undefined;
  readonly steps: readonly RotationStep[];
}

/**
 * Audits the whole chain of root keys, which is one key without a rotation: each step is signed by the key that the step before names, leads to a key to which
 * that key is committed, no key occurs twice, and the last key is the tree's. The key that signed the first step is not in the tree.
 *
 * @param pinned - if this key signed the first step, the first step is verified, too
 */
export async function checkRotation(
  { rotation }: StatementsFile,
  published: RootKey,
  pinned: RootKey | undefined,
): Promise<RootHistory> {
  const steps = readRotation(rotation);
  const [first] = steps;
  if (first === undefined) return { keys: [published], unknown: undefined, steps };
  const isFirstPinned = pinned?.thumbprint === first.kid;
  const keys: RootKey[] = isFirstPinned ? [pinned] : [];
  const unknown = isFirstPinned ? undefined : first.kid;
  const before = unknown === undefined ? [] : [{ thumbprint: unknown, nextRoots: undefined }];
  for (const [index, step] of steps.entries()) {
    try {
      const outgoing = keys.at(-1);
      if (outgoing !== undefined) await verifyStep(step, outgoing, undefined);
      const next = await successorIn(step, [...before, ...keys]);
      // Nobody can verify what an unknown key has signed: it commits nothing.
      const committed = pinned?.thumbprint === next.thumbprint ? pinned.nextRoots : undefined;
      keys.push(outgoing === undefined ? { ...next, nextRoots: committed } : next);
    } catch (cause) {
      throw new Problems([`step ${index + 1} of the rotation is refused: ${(cause as Error).message}`]);
    }
  }
  const last = keys.at(-1)?.thumbprint;
  if (last !== published.thumbprint) {
    throw new Problems([`the rotation leads to ${last}, but ${PATHS.rootKey} is ${published.thumbprint}`]);
  }
  return { keys, unknown, steps };
}

/** A list that the root key has signed. */
export interface CheckedList {
  readonly list: Uint8Array;
  readonly registry: IssuerRegistry;
}

/**
 * Checks the checkpoint, which is for the publication statement. `checkFreshness` checks its times.
 *
 * @param publication - the publication statement, which names the list of the tree
 */
export async function checkCheckpoint(
  { checkpoint: text }: StatementsFile,
  { rootKey, publication }: { readonly rootKey: RootKey; readonly publication: PublicationStatement },
): Promise<Checkpoint> {
  const checkpoint = await verifyCheckpoint(text, { rootKey, online: publication.online }, ANY_TIME);
  assertCheckpointFits(checkpoint, publication);
  return checkpoint;
}

/** The data for the checks that depend on the clock. */
interface Freshness extends CheckedList {
  readonly rotation: RootHistory | undefined;
  readonly publication: PublicationStatement;
  readonly checkpoint: Checkpoint;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Checks that nothing in the tree is ahead of the clock or has expired, and that the checkpoint is for this tree.
 *
 * @returns warnings about what expires soon
 */
export async function checkFreshness(files: SeenFiles, tree: Freshness): Promise<readonly string[]> {
  const { registry, rotation, publication, checkpoint, now } = tree;
  const clock = clockAt(now);
  const problems: string[] = [];
  const warnings: string[] = [];
  const updatedAt = Date.parse(registry.updated_at);
  if (isToCome(updatedAt, clock)) {
    problems.push(`the list is dated ${registry.updated_at}, which is in the future ${clockNote(now)}`);
  }
  for (const [index, step] of (rotation?.steps ?? []).entries()) {
    problems.push(...aheadOfTime(`step ${index + 1} of the rotation`, step, now));
  }
  problems.push(...aheadOfTime('the publication statement', publication, now));
  const { problems: expired, soon } = expiryOf(checkpoint, now);
  problems.push(...expired);
  warnings.push(...soon);
  if (checkpoint.treeSha256 !== (await files.hash(PATHS.checksums))) {
    problems.push(`the checkpoint is for a tree with another ${PATHS.checksums} (tree_sha256)`);
  }
  failIfAny(problems);
  return warnings;
}

/** Checks the form of `statements.json`, and that it is canonical (rule statements-file). */
export async function checkStatementsFile(files: SeenFiles): Promise<StatementsFile> {
  const bytes = await files.require(PATHS.statements);
  const statements = parseStatementsFile(bytes);
  if (!isCanonical(bytes)) throw new Problems([`${PATHS.statements} is not in canonical form`]);
  return statements;
}

/** A text with a lone surrogate has no canonical form. */
function isCanonical(bytes: Uint8Array): boolean {
  try {
    return Buffer.from(canonicalBytes(parseStrictJson(bytes))).equals(bytes);
  } catch (error) {
    if (!hasCode(error, 'ERR_NOT_CANONICALIZABLE')) throw error;
    return false;
  }
}
