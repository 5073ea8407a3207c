import { type IssuerRegistry, type RootKey, walkRotation } from '@passport-registry/verifier';
import {
  ANY_TIME,
  type Checkpoint,
  canonicalBytes,
  checkpointFault,
  clockNote,
  DAY_MS,
  type Delegation,
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
  verifyDelegation,
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

/** Checks the delegation, whether or not the checkpoint depends on it. `checkFreshness` checks its times. */
export async function checkDelegation(files: SeenFiles, rootKey: RootKey): Promise<Delegation> {
  return verifyDelegation(await files.require(PATHS.delegation), rootKey, ANY_TIME);
}

/** A list that the root key has signed. */
export interface CheckedList {
  readonly list: Uint8Array;
  readonly registry: IssuerRegistry;
}

/**
 * Checks the checkpoint, its delegation, and the list that it names: the list of the tree, or an earlier list in a
 * snapshot. `checkFreshness` checks its times.
 *
 * The publication statement is undefined if the tree has none.
 */
export async function checkCheckpoint(
  files: SeenFiles,
  {
    rootKey,
    publication,
  }: { readonly rootKey: RootKey; readonly publication: PublicationStatement | undefined },
  { list, registry: { updated_at } }: CheckedList,
): Promise<Checkpoint> {
  const bytes = await files.get(PATHS.checkpoint);
  if (bytes === undefined)
    throw new Problems([`${PATHS.checkpoint} is missing, but a checkpoint is required`]);
  const delegation = await files.get(PATHS.delegation);
  const checkpoint = await verifyCheckpoint({ checkpoint: bytes, delegation }, rootKey, ANY_TIME);
  const { sequence } = checkpoint;
  if (publication === undefined && sequence !== undefined)
    throw new Problems([`the checkpoint names publication ${sequence}, but the tree has none`]);
  const fault = publication && checkpointFault(publication, checkpoint);
  if (fault !== undefined) throw new Problems([fault]);
  if (checkpoint.sha256 === sha256(list)) {
    if (checkpoint.size !== list.length || checkpoint.updatedAt !== updated_at) {
      throw new Problems(['the checkpoint names the hash of the list, but another size or updated_at']);
    }
  } else await checkOlderList(files, checkpoint, updated_at);
  return checkpoint;
}

/** Until the next checkpoint, clients use the list that this checkpoint names, and download it from its snapshot. */
async function checkOlderList(files: SeenFiles, { sha256: hash, updatedAt }: Checkpoint, updated_at: string) {
  if (updatedAt >= updated_at) {
    throw new Problems([
      `the checkpoint names the list ${hash} of ${updatedAt}, but ${PATHS.list} is another list of ${updated_at}`,
    ]);
  }
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
  readonly delegation: Delegation | undefined;
  /** Undefined if the tree has no publication statement. */
  readonly publication: PublicationStatement | undefined;
  /** Undefined if the tree has no checkpoint. */
  readonly checkpoint: Checkpoint | undefined;
  /** The maximum age of a list without a checkpoint. */
  readonly maxAgeMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Checks that nothing in the tree is ahead of the clock or too old, and that the checkpoint is for this tree.
 *
 * @returns warnings about what expires soon
 */
export async function checkFreshness(files: SeenFiles, tree: Freshness): Promise<readonly string[]> {
  const { registry, rotation, delegation, publication, checkpoint, maxAgeMs, now } = tree;
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
  if (publication !== undefined) {
    problems.push(...aheadOfTime('the publication statement', publication, now));
    if (hasPassed(publication.expiresAt, clock)) {
      problems.push(
        `the publication statement expired at ${formatUpdatedAt(publication.expiresAt)} ${clockNote(now)}`,
      );
    }
  }
  if (delegation !== undefined && checkpoint?.delegation === undefined)
    problems.push(...aheadOfTime('the delegation', delegation, now));
  if (checkpoint === undefined) {
    if (now > updatedAt + maxAgeMs + clock.tolerance) {
      const days = maxAgeMs / DAY_MS;
      problems.push(
        `the list is dated ${registry.updated_at}, more than ${days} days ago, and has no checkpoint ${clockNote(now)}`,
      );
    }
  } else {
    const { problems: expired, soon } = expiryOf(checkpoint, checkpoint.delegation, now);
    problems.push(...expired);
    warnings.push(...soon);
    if (checkpoint.sha256 !== sha256(tree.list)) {
      warnings.push(
        `the checkpoint names the list of ${checkpoint.updatedAt}: ${publication === undefined ? 'clients' : 'clients that do not read publication statements'} use that list until the next checkpoint`,
      );
    } else if (checkpoint.treeSha256 !== (await files.hash(PATHS.checksums))) {
      problems.push(
        `the checkpoint is for a tree with another ${PATHS.checksums} (tree_sha256): sign a new one with \`checkpoint\``,
      );
    }
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
