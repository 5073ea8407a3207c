import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  importRootKey,
  RegistryError,
  type RootKey,
  verifySignature,
  walkRotation,
} from '@passport-registry/verifier';
import {
  decodeUtf8,
  parseStrictJson,
  readRotation,
  readStatement,
  verifyCheckpoint,
  verifyDelegation,
} from '@passport-registry/verifier/internal';
import { KeyRejected, UsageError } from '../errors.js';
import { readIfThere } from '../files/read-file.js';
import type { SignedList } from '../list/signed-list.js';
import { updatedAtOf } from '../list/updated-at.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { Tree } from '../tree/tree.js';
import type { CheckpointChoice } from './statements.js';

/** What is new about the freshness of a tree. */
export interface FreshnessChoice {
  /** The text of a delegation to online keys, by the root key. Default: the published one. */
  readonly delegation?: string | undefined;
  /** The text of a rotation's step, from the root key before to this one. */
  readonly rotation?: string | undefined;
  /** Signs a checkpoint together with the tree. */
  readonly checkpoint?: CheckpointChoice | undefined;
}

/** What is new, and what is given up. */
interface FreshnessChange extends FreshnessChoice {
  /** Whether the root key changes without a rotation: then the chain to the old one ends. */
  readonly breakPinnedVerifiers?: boolean | undefined;
}

/** Lists before the current one whose snapshots stay (SPEC B6). */
const SNAPSHOTS_BEFORE = 2;

/**
 * The files by which a tree shows that it is the newest, and how its root key came about (SPEC B6, B7): what is
 * published already, and what is new. A tree without delegation and checkpoint has none of them.
 *
 * @throws {@link UsageError} | {@link KeyRejected}
 */
export async function freshnessFiles(
  published: PublishedTree | undefined,
  signed: SignedList,
  choice: FreshnessChange,
): Promise<Tree> {
  const previousRoot = published?.development ? undefined : published?.rootKey;
  const rootChanged = previousRoot !== undefined && previousRoot.thumbprint !== signed.rootKey.thumbprint;
  const files = new Map<string, Uint8Array>();
  const set = (path: string, bytes: Uint8Array | undefined) => {
    if (bytes !== undefined) files.set(path, bytes);
  };

  const broken = rootChanged && choice.breakPinnedVerifiers === true && choice.rotation === undefined;
  const heldRotation =
    published?.development || broken ? undefined : await heldStatements(published, ROTATION);
  const rotation = await rotationChain(heldRotation, choice.rotation, {
    from: (broken ? undefined : previousRoot) ?? signed.rootKey,
    to: signed.rootKey,
  });
  set(PATHS.rotation, rotation);
  const checkpoint = held(published, PATHS.checkpoint);
  if (rootChanged && isListed(published, PATHS.delegation) && choice.delegation === undefined) {
    throw new UsageError(
      'a new root key needs a new delegation: give --delegation, signed by the new root key',
    );
  }
  if (rootChanged && checkpoint !== undefined && choice.checkpoint === undefined) {
    throw new UsageError(
      'the checkpoint is not valid under the new root key: pass --checkpoint-key to sign a new one with the tree',
    );
  }
  const delegation =
    choice.delegation === undefined
      ? await heldStatements(published, {
          path: PATHS.delegation,
          read: (bytes) => verifyDelegation(bytes, signed.rootKey, ANY_TIME),
          remedy: 'give --delegation with a new one',
        })
      : await assertDelegation(choice.delegation, signed.rootKey);
  if (checkpoint !== undefined && choice.checkpoint === undefined) {
    await assertCheckpointHolds({ checkpoint, delegation }, signed.rootKey);
  }
  set(PATHS.delegation, delegation);
  set(PATHS.checkpoint, checkpoint);
  if (delegation === undefined && checkpoint === undefined && choice.checkpoint === undefined) return files;
  const roots = [
    signed.rootKey,
    ...(previousRoot === undefined || broken ? [] : [previousRoot]),
    ...(await rootsOf(rotation)),
  ];
  const older = published === undefined ? [] : await heldSnapshots(published.folder, roots);
  for (const [path, bytes] of snapshots(signed, older, checkpoint)) files.set(path, bytes);
  return files;
}

/** A file of the published tree. */
function held(published: PublishedTree | undefined, path: string): Buffer | undefined {
  return published && readIfThere(published.folder, path);
}

/** Whether the checksums of a published tree list a path; undefined where they cannot be read. */
function isListed(published: PublishedTree | undefined, path: string): boolean | undefined {
  return published?.checksums()?.has(path);
}

/** A file of statements, which the root key or an online key has signed. */
interface StatementFile {
  readonly path: string;
  /** Throws where the file is damaged. */
  readonly read: (bytes: Uint8Array) => unknown;
  /** How to go on without the file. */
  readonly remedy?: string;
}

const ROTATION: StatementFile = { path: PATHS.rotation, read: readRotation };

/**
 * Statements of the published tree. A build cannot make them anew, so they are never dropped because they are damaged or
 * gone: what the checksums list was there. Whatever else lies at the path is no part of the tree, and goes away.
 *
 * @throws {@link UsageError} that says how to restore the file
 */
async function heldStatements(
  published: PublishedTree | undefined,
  { path, read, remedy }: StatementFile,
): Promise<Uint8Array | undefined> {
  const bytes = held(published, path);
  let cause: unknown;
  if (bytes !== undefined) {
    try {
      await read(bytes);
      return bytes;
    } catch (error) {
      cause = error;
    }
  }
  const listed = isListed(published, path);
  if (listed === false || (listed === undefined && bytes === undefined)) return undefined;
  const why = cause === undefined ? 'gone' : `damaged (${(cause as Error).message})`;
  throw new UsageError(
    `${published?.folder}/${path} is ${why}, and a build cannot recreate the file: restore the file from a mirror, ` +
      `from a backup or from git${remedy === undefined ? '' : `, or ${remedy}`}`,
    { cause },
  );
}

const ANY_TIME = { clock: undefined, expiry: false } as const;

/** A delegation that does not hold is noticed here, and not only by the first checkpoint that rests on it. */
async function assertDelegation(delegation: string, rootKey: RootKey): Promise<Uint8Array> {
  try {
    await verifyDelegation(delegation, rootKey, ANY_TIME);
    return Buffer.from(delegation);
  } catch (cause) {
    const { message } = cause as Error;
    throw new KeyRejected(`the delegation is not signed by root key ${rootKey.thumbprint}: ${message}`, {
      cause,
    });
  }
}

/** The published checkpoint stays, so it must rest on the delegation that is published with it. */
async function assertCheckpointHolds(
  statements: { checkpoint: Uint8Array; delegation: Uint8Array | undefined },
  rootKey: RootKey,
): Promise<void> {
  try {
    await verifyCheckpoint(statements, rootKey, ANY_TIME);
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new UsageError(
      `the published checkpoint is not valid for the new tree (${cause.message}): pass --checkpoint-key to sign a new checkpoint with the tree`,
      { cause },
    );
  }
}

/**
 * The chain of root keys, which must lead from the one before to this one.
 *
 * @param step - the text of a new step
 */
async function rotationChain(
  published: Uint8Array | undefined,
  step: string | undefined,
  { from, to }: { readonly from: RootKey; readonly to: RootKey },
): Promise<Uint8Array | undefined> {
  const earlier = published === undefined ? [] : (parseStrictJson(published) as string[]);
  // A build that was killed may have published the step already.
  const steps = step === undefined || earlier.at(-1) === step ? earlier : [...earlier, step];
  if (steps.length === 0) return undefined;
  const text = JSON.stringify(steps);
  const { thumbprint } = await walkRotation(from, text).catch((cause: Error) => {
    throw new KeyRejected(`the rotation is not valid: ${cause.message}`, { cause });
  });
  if (thumbprint !== to.thumbprint) {
    throw new KeyRejected(
      `the rotation leads from ${from.thumbprint} to ${thumbprint}, and the key is ${to.thumbprint}: ` +
        'make the missing step with `keys rotate`, and pass it with --rotation',
    );
  }
  return Buffer.from(text);
}

/** The root keys to which the steps of a rotation have led. */
async function rootsOf(rotation: Uint8Array | undefined): Promise<RootKey[]> {
  if (rotation === undefined) return [];
  return Promise.all(readRotation(rotation).map(({ claims }) => importRootKey(claims['next_root'])));
}

/**
 * Immutable copies of this list, of those before it, and of the one that the checkpoint still names.
 *
 * @param published - newest first
 */
function snapshots(
  { list, sha256: current, signature }: SignedList,
  published: readonly Snapshot[],
  checkpoint: Uint8Array | undefined,
): Tree {
  const files = new Map<string, Uint8Array>();
  files.set(PATHS.snapshot(current, PATHS.list), list.list);
  files.set(PATHS.snapshot(current, PATHS.signature), Buffer.from(signature));
  const named = checkpoint === undefined ? undefined : namedList(checkpoint);
  const older = published.filter(({ hash }) => hash !== current);
  const kept = older.filter(({ hash }, index) => index < SNAPSHOTS_BEFORE || hash === named);
  for (const { hash, list: old, signature: its } of kept) {
    files.set(PATHS.snapshot(hash, PATHS.list), old);
    files.set(PATHS.snapshot(hash, PATHS.signature), its);
  }
  return files;
}

/** The hash of the list that a checkpoint names; undefined when it is none. */
export function namedList(checkpoint: Uint8Array): unknown {
  return checkpointClaims(checkpoint)['sha256'];
}

/** The claims of a checkpoint, unverified; none where it is no checkpoint. */
export function checkpointClaims(checkpoint: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return readStatement(checkpoint, 'registry-checkpoint+jwt', (message) => new Error(message)).claims;
  } catch {
    return {};
  }
}

interface Snapshot {
  readonly hash: string;
  readonly list: Uint8Array;
  readonly signature: Uint8Array;
  readonly updatedAt: string;
}

/**
 * The published snapshots that are whole, newest first. Their names are the hashes of their lists; others are not snapshots. One that
 * none of the known root keys has signed is of use to nobody.
 */
async function heldSnapshots(out: string, roots: readonly RootKey[]): Promise<Snapshot[]> {
  const found: Snapshot[] = [];
  for (const hash of namesIn(join(out, 'snapshots'))) {
    const list = readIfThere(out, PATHS.snapshot(hash, PATHS.list));
    const signature = readIfThere(out, PATHS.snapshot(hash, PATHS.signature));
    if (list === undefined || signature === undefined || sha256(list) !== hash) continue;
    if (!(await isSignedByAny(list, signature, roots))) continue;
    found.push({ hash, list, signature, updatedAt: updatedAtOf(list) ?? '' });
  }
  return found.sort((a, b) => (a.updatedAt > b.updatedAt ? -1 : 1));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // None, or something else in its place.
    return [];
  }
}

async function isSignedByAny(
  list: Uint8Array,
  signature: Uint8Array,
  roots: readonly RootKey[],
): Promise<boolean> {
  const tried = roots.map(async (root) => verifySignature(list, decodeUtf8(signature), root));
  return (await Promise.allSettled(tried)).some(({ status }) => status === 'fulfilled');
}
