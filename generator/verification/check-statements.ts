import { type IssuerRegistry, type RootKey, walkRotation } from '@passport-registry/verifier';
import {
  ANY_TIME,
  type Checkpoint,
  canonicalBytes,
  checkpointFault,
  clockNote,
  decodeUtf8,
  hasPassed,
  isObject,
  isToCome,
  type PublicationStatement,
  parseStrictJson,
  type RotationStep,
  readRotation,
  STATEMENT_FILES,
  successorIn,
  verifyCheckpoint,
  verifyStep,
} from '@passport-registry/verifier/core';
import { aheadOfTime, expiryOf } from '../freshness/expiry.js';
import { clockAt, formatUpdatedAt } from '../list/updated-at.js';
import { sha256 } from '../tree/checksums.js';
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
  const rotation = await files.get(PATHS.rotation);
  if (rotation === undefined) throw new Problems([differ]);
  let current: RootKey;
  try {
    current = await walkRotation(pinned, decodeUtf8(rotation));
  } catch (error) {
    throw new Problems([`${differ}, and ${PATHS.rotation} does not lead there: ${(error as Error).message}`]);
  }
  if (current.thumbprint !== published.thumbprint) {
    throw new Problems([`${differ}, and ${PATHS.rotation} leads to ${current.thumbprint}`]);
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
  files: SeenFiles,
  published: RootKey,
  pinned: RootKey | undefined,
): Promise<RootHistory> {
  const rotation = await files.get(PATHS.rotation);
  const steps = rotation === undefined ? [] : readRotation(rotation);
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
      throw new Problems([`step ${index + 1} of ${PATHS.rotation} is refused: ${(cause as Error).message}`]);
    }
  }
  const last = keys.at(-1)?.thumbprint;
  if (last !== published.thumbprint) {
    throw new Problems([
      `${PATHS.rotation} leads to ${last}, but ${PATHS.rootKey} is ${published.thumbprint}`,
    ]);
  }
  return { keys, unknown, steps };
}

/** A list that the root key has signed. */
export interface CheckedList {
  readonly list: Uint8Array;
  readonly registry: IssuerRegistry;
}

/**
 * Checks the checkpoint, and the list that it names: the list of the tree, or an earlier list in a
 * snapshot. `checkFreshness` checks its times.
 *
 * @param publication - the publication statement, which names the list of the tree
 */
export async function checkCheckpoint(
  files: SeenFiles,
  { rootKey, publication }: { readonly rootKey: RootKey; readonly publication: PublicationStatement },
): Promise<Checkpoint> {
  const bytes = await files.require(PATHS.checkpoint);
  const checkpoint = await verifyCheckpoint(bytes, { rootKey, online: publication.online }, ANY_TIME);
  const fault = checkpointFault(publication, checkpoint);
  if (fault !== undefined) throw new Problems([fault]);
  if (checkpoint.sha256 !== publication.sha256) await checkOlderList(files, checkpoint);
  return checkpoint;
}

/** The list that the checkpoint names stays in its snapshot until the next checkpoint. */
async function checkOlderList(files: SeenFiles, { sha256: hash }: Checkpoint) {
  for (const name of [PATHS.list, PATHS.signature]) {
    const path = PATHS.snapshot(hash, name);
    if ((await files.hash(path)) === undefined) {
      throw new Problems([`the checkpoint names a list that the tree does not have: ${path} is missing`]);
    }
  }
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
  if (hasPassed(publication.expiresAt, clock)) {
    problems.push(
      `the publication statement expired at ${formatUpdatedAt(publication.expiresAt)} ${clockNote(now)}`,
    );
  }
  const { problems: expired, soon } = expiryOf(checkpoint, now);
  problems.push(...expired);
  warnings.push(...soon);
  if (checkpoint.sha256 !== sha256(tree.list)) {
    warnings.push(
      `the checkpoint names the list of ${checkpoint.updatedAt}: sign a new one with \`checkpoint\``,
    );
  } else if (checkpoint.treeSha256 !== (await files.hash(PATHS.checksums))) {
    problems.push(
      `the checkpoint is for a tree with another ${PATHS.checksums} (tree_sha256): sign a new one with \`checkpoint\``,
    );
  }
  failIfAny(problems);
  return warnings;
}

const REMEDY = 'the next `build` or `checkpoint` writes it again';

/** Checks that `statements.json` holds what the files of the tree say, and nothing else (rule statements-file). */
export async function checkStatementsFile(files: SeenFiles): Promise<void> {
  const bytes = await files.require(PATHS.statements);
  const members = membersOf(bytes);
  const problems: string[] = [];
  for (const path of STATEMENT_FILES) {
    const file = await files.get(path);
    const member = members[path];
    if (member === undefined && file === undefined) continue;
    const isSame = typeof member === 'string' && file !== undefined && Buffer.from(member).equals(file);
    if (!isSame) problems.push(`${PATHS.statements} does not have ${path} as the tree has it: ${REMEDY}`);
  }
  failIfAny(problems);
}

function membersOf(bytes: Uint8Array): Record<string, unknown> {
  let members: unknown;
  try {
    members = parseStrictJson(bytes);
  } catch (error) {
    throw new Problems([`${PATHS.statements} is not JSON: ${(error as Error).message}`]);
  }
  if (!isObject(members) || !Buffer.from(bytes).equals(canonicalBytes(members))) {
    throw new Problems([`${PATHS.statements} is not an object in canonical form: ${REMEDY}`]);
  }
  return members;
}
