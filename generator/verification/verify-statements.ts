import { type IssuerRegistry, importRootKey, type RootKey, walkRotation } from '@passport-registry/verifier';
import {
  type Checkpoint,
  decodeUtf8,
  type RotationStep,
  readRotation,
  readStatement,
  type Statement,
  type StatementType,
  verifyCheckpoint,
  verifyDelegation,
  verifyStatement,
} from '@passport-registry/verifier/internal';
import { aheadOfTime, expiryOf } from '../freshness/expiry.js';
import { CLOCK_TOLERANCE_MS, formatUpdatedAt } from '../list/updated-at.js';
import { CHECKSUMS_PATH, sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { failIfAny, Problems, type SeenFiles } from './seen-files.js';

/** No time is judged: what depends on the clock is for `checkFreshness`. */
const ANY_TIME = { clock: undefined, expiry: false } as const;

/** The root key that a tree is judged by, and where it comes from. */
export interface TrustedRoot {
  readonly rootKey: RootKey;
  /** The pinned key, where a rotation has led from it to `rootKey`. */
  readonly rotatedFrom: RootKey | undefined;
}

/**
 * The root key that a pinned one has become, as a client walks there (SPEC B7, C4).
 *
 * @param published - the tree's root key
 * @param pinned - without it the tree's own key is taken
 */
export async function trustedRoot(
  files: SeenFiles,
  published: RootKey,
  pinned: RootKey | undefined,
): Promise<TrustedRoot> {
  if (pinned === undefined || pinned.thumbprint === published.thumbprint) {
    return { rootKey: published, rotatedFrom: undefined };
  }
  const differ = `the tree publishes the key ${published.thumbprint}, pinned is ${pinned.thumbprint}`;
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

/** The root keys of a tree, as its rotation shows them. */
export interface RootHistory {
  /** The keys that are known, oldest first; the last one is the tree's own. */
  readonly keys: readonly RootKey[];
  /** The thumbprint of the first root key, where that key itself is not known: a rotation names it and does not hold it. */
  readonly unknown: string | undefined;
  readonly steps: readonly RotationStep[];
}

/**
 * Audits the whole chain of root keys: each step follows from the one before and is signed by its key, no key comes twice,
 * and the last one is the tree's. The first step is signed by a key that is not in the tree.
 *
 * @param pinned - verifies the first step, if that was its signer
 */
export async function checkRotation(
  files: SeenFiles,
  published: RootKey,
  pinned: RootKey | undefined,
): Promise<RootHistory> {
  const steps = readRotation(await files.require(PATHS.rotation));
  const [first] = steps;
  if (first === undefined) return { keys: [published], unknown: undefined, steps };
  const keys: RootKey[] = [];
  if (pinned?.thumbprint === first.kid) keys.push(pinned);
  for (const [index, step] of steps.entries()) {
    const signer = keys.at(-1);
    const where = `step ${index + 1} of ${PATHS.rotation}`;
    if (signer !== undefined && signer.thumbprint !== step.kid) {
      throw new Problems([`${where} is by ${step.kid}, and the root key before it is ${signer.thumbprint}`]);
    }
    if (signer !== undefined) {
      await verifyStatement(step, signer, {
        clock: undefined,
        invalid: (message) => new Problems([`${where} ${message}`]),
      });
    }
    const next = await nextRoot(step, where);
    if (next.thumbprint === first.kid || keys.some(({ thumbprint }) => thumbprint === next.thumbprint)) {
      throw new Problems([`${where} comes back to the root key ${next.thumbprint}`]);
    }
    keys.push(next);
  }
  const last = keys.at(-1)?.thumbprint;
  if (last !== published.thumbprint) {
    throw new Problems([
      `${PATHS.rotation} leads to ${last}, and ${PATHS.rootKey} is ${published.thumbprint}`,
    ]);
  }
  return { keys, unknown: pinned?.thumbprint === first.kid ? undefined : first.kid, steps };
}

async function nextRoot({ claims }: RotationStep, where: string): Promise<RootKey> {
  try {
    return await importRootKey(claims['next_root']);
  } catch (error) {
    throw new Problems([`${where} has no good next_root: ${(error as Error).message}`]);
  }
}

/** The delegation, whether or not a checkpoint rests on it. */
export async function checkDelegation(files: SeenFiles, rootKey: RootKey): Promise<Statement> {
  const bytes = await files.require(PATHS.delegation);
  await verifyDelegation(bytes, rootKey, ANY_TIME);
  return statementOf(bytes, 'registry-delegation+jwt');
}

/** A list that the root key has signed. */
export interface SignedList {
  readonly list: Uint8Array;
  readonly registry: IssuerRegistry;
}

/** A checkpoint that holds, its clock left aside. */
export interface CheckedCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly statement: Statement;
  /** The delegation that it rests on; undefined when the root key signed it. */
  readonly delegation: Statement | undefined;
}

/** The checkpoint, what it rests on, and the list that it names: that of the tree, or one before it, in its snapshot. */
export async function checkCheckpoint(
  files: SeenFiles,
  rootKey: RootKey,
  { list, registry: { updated_at } }: SignedList,
): Promise<CheckedCheckpoint> {
  const bytes = await files.require(PATHS.checkpoint);
  const delegation = await files.get(PATHS.delegation);
  const checkpoint = await verifyCheckpoint({ checkpoint: bytes, delegation }, rootKey, ANY_TIME);
  const named = { ...checkpoint, updated_at: checkpoint.updatedAt };
  if (checkpoint.sha256 === sha256(list)) {
    if (named.size !== list.length || named.updated_at !== updated_at) {
      throw new Problems(['the checkpoint names the hash of the list with another size or updated_at']);
    }
  } else await checkOlderList(files, checkpoint, updated_at);
  return {
    checkpoint,
    statement: statementOf(bytes, 'registry-checkpoint+jwt'),
    delegation:
      checkpoint.delegatedAt === undefined || delegation === undefined
        ? undefined
        : statementOf(delegation, 'registry-delegation+jwt'),
  };
}

/** Until the next checkpoint, clients stay with the list that this one names, and find it in its snapshot. */
async function checkOlderList(files: SeenFiles, { sha256: hash, updatedAt }: Checkpoint, updated_at: string) {
  if (updatedAt >= updated_at) {
    throw new Problems([
      `the checkpoint names the list ${hash} of ${updatedAt}, and ${PATHS.list} is another one of ${updated_at}`,
    ]);
  }
  for (const name of [PATHS.list, PATHS.signature]) {
    const path = PATHS.snapshot(hash, name);
    if ((await files.hash(path)) === undefined) {
      throw new Problems([`the checkpoint names a missing list: ${path} is missing`]);
    }
  }
}

function statementOf(bytes: Uint8Array, type: StatementType): Statement {
  return readStatement(bytes, type, (message, cause) => new Error(message, { cause }));
}

/** All that depends on the clock. */
export interface Freshness extends SignedList {
  readonly rotation: RootHistory | undefined;
  readonly delegation: Statement | undefined;
  /** Undefined where the tree has no checkpoint. */
  readonly checkpoint: CheckedCheckpoint | undefined;
  /** Largest age of a list without a checkpoint, in milliseconds. */
  readonly maxAge: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Whether the tree is of now: neither ahead of the clock nor too old, and vouched for as it is. Gives what soon expires. */
export async function checkFreshness(files: SeenFiles, tree: Freshness): Promise<readonly string[]> {
  const { registry, rotation, delegation, checkpoint, maxAge, now } = tree;
  const problems: string[] = [];
  const warnings: string[] = [];
  const updatedAt = Date.parse(registry.updated_at);
  if (updatedAt > now + CLOCK_TOLERANCE_MS) {
    problems.push(
      `the list is of ${registry.updated_at}, which is in the future: the clock says ${formatUpdatedAt(now)}`,
    );
  }
  for (const [index, step] of (rotation?.steps ?? []).entries()) {
    problems.push(...aheadOfTime(`step ${index + 1} of the rotation`, step, now));
  }
  if (checkpoint === undefined) {
    if (delegation !== undefined) problems.push(...aheadOfTime('the delegation', delegation, now));
    if (now > updatedAt + maxAge + CLOCK_TOLERANCE_MS) {
      const days = maxAge / (24 * 60 * 60 * 1000);
      problems.push(
        `the list is of ${registry.updated_at}, more than ${days} days old, and has no checkpoint`,
      );
    }
  } else {
    const { problems: expired, soon } = expiryOf(checkpoint.statement, checkpoint.delegation, now);
    problems.push(...expired);
    warnings.push(...soon);
    const unused = checkpoint.delegation === undefined && delegation !== undefined;
    if (unused) problems.push(...aheadOfTime('the delegation', delegation, now));
    if (checkpoint.checkpoint.sha256 !== sha256(tree.list)) {
      warnings.push(
        `the checkpoint names the list of ${checkpoint.checkpoint.updatedAt}: clients stay with it until the next checkpoint`,
      );
    } else if (checkpoint.checkpoint.treeSha256 !== (await files.hash(CHECKSUMS_PATH))) {
      problems.push(
        `the checkpoint is for a tree with another ${CHECKSUMS_PATH} (tree_sha256): sign a new one with \`checkpoint\``,
      );
    }
  }
  failIfAny(problems);
  return warnings;
}
