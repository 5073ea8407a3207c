import { RegistryError, type RootKey, walkRotation } from '@passport-registry/verifier';
import { ANY_TIME, readRotation, verifyCheckpoint, verifyDelegation } from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../errors.js';
import { readIfReadable } from '../files/read-file.js';
import type { SignedPublication } from '../list/list.js';
import { formatUpdatedAt } from '../list/updated-at.js';
import { withConfigured } from '../tree/commitment.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { Tree } from '../tree/tree.js';
import type { CheckpointChoice } from './checkpoint.js';

/** The new statements about the freshness of a tree. */
export interface FreshnessChoice {
  /** A delegation to online keys, signed by the root key. Default: the published delegation. */
  readonly delegation?: string | undefined;
  /** A rotation step from the previous root key to this root key. */
  readonly rotation?: string | undefined;
  /** The keys to which registry.yaml commits the previous root key, unless the published rotation does. */
  readonly nextRoots?: readonly string[] | undefined;
  /** The signer and the lifetime of a checkpoint that is published with the tree. Default: no new checkpoint. */
  readonly checkpoint?: CheckpointChoice | undefined;
}

/**
 * The files that prove the freshness of a tree and the origin of its root key: the published files and
 * the new ones.
 *
 * @param choice - with `breakPinnedVerifiers`, the root key may change without a rotation, and the chain from the old one ends
 * @throws {@link UsageError} | {@link KeyRejected}
 */
export async function freshnessFiles(
  published: PublishedTree | undefined,
  signed: SignedPublication,
  choice: FreshnessChoice & { readonly breakPinnedVerifiers?: boolean | undefined },
): Promise<Tree> {
  const previousRoot = published?.development ? undefined : published?.rootKey;
  const rootChanged = previousRoot !== undefined && previousRoot.thumbprint !== signed.rootKey.thumbprint;
  const files = new Map<string, Uint8Array>();
  const set = (path: string, bytes: Uint8Array | undefined) => {
    if (bytes !== undefined) files.set(path, bytes);
  };

  const broken = rootChanged && choice.breakPinnedVerifiers === true && choice.rotation === undefined;
  const publishedRotation =
    published?.development || broken ? undefined : await readPublishedStatements(published, ROTATION);
  const rotation = await rotationChain(publishedRotation, choice.rotation, {
    from:
      previousRoot === undefined || broken
        ? signed.rootKey
        : withConfigured(previousRoot, rootChanged ? choice.nextRoots : undefined),
    to: signed.rootKey,
  });
  set(PATHS.rotation, rotation);
  const checkpoint = readPublishedFile(published, PATHS.checkpoint);
  if (rootChanged && isListed(published, PATHS.delegation) && choice.delegation === undefined) {
    throw new UsageError(
      'a new root key needs a new delegation: pass --delegation with a delegation that the new root key has signed',
    );
  }
  if (rootChanged && checkpoint !== undefined && choice.checkpoint === undefined) {
    throw new UsageError(
      'the checkpoint is not valid under the new root key: set checkpoint.signer in registry.yaml to sign a new one with the tree',
    );
  }
  const delegation =
    choice.delegation === undefined
      ? await readPublishedStatements(published, {
          path: PATHS.delegation,
          read: (bytes) => verifyDelegation(bytes, signed.rootKey, ANY_TIME),
          remedy: 'pass --delegation with a new one',
        })
      : await assertDelegation(choice.delegation, signed.rootKey, {
          published: readPublishedFile(published, PATHS.delegation),
          by: previousRoot ?? signed.rootKey,
        });
  if (checkpoint !== undefined && choice.checkpoint === undefined) {
    await verifyCheckpoint({ checkpoint, delegation }, signed.rootKey, ANY_TIME).catch((cause: Error) => {
      if (!(cause instanceof RegistryError)) throw cause;
      throw new UsageError(
        `the published checkpoint is not valid for the new tree (${cause.message}): set checkpoint.signer in registry.yaml to sign a new checkpoint with the tree`,
        { cause },
      );
    });
  }
  set(PATHS.delegation, delegation);
  set(PATHS.checkpoint, checkpoint);
  return files;
}

/** Reads a file of the published tree. Undefined if the file does not exist. */
function readPublishedFile(published: PublishedTree | undefined, path: string): Buffer | undefined {
  return published && readIfReadable(published.folder, path);
}

/** Whether the checksums of the published tree list a path. Undefined if the checksums cannot be read. */
function isListed(published: PublishedTree | undefined, path: string): boolean | undefined {
  return published?.checksums()?.has(path);
}

/** A file of statements that the root key or an online key has signed. */
interface StatementFile {
  readonly path: string;
  /** Throws if the file is damaged. */
  readonly read: (bytes: Uint8Array) => unknown;
  /** How to continue without the file. */
  readonly remedy?: string;
}

const ROTATION: StatementFile = { path: PATHS.rotation, read: readRotation };

/**
 * Reads statements of the published tree. A build cannot recreate them (rule statements-stay). If the checksums list a
 * file that is damaged or missing, this function therefore throws instead of dropping the file. A damaged file that the
 * checksums do not list is not part of the tree, and is dropped.
 *
 * @throws {@link UsageError} with instructions to restore the file
 */
export async function readPublishedStatements(
  published: PublishedTree | undefined,
  { path, read, remedy }: StatementFile,
): Promise<Uint8Array | undefined> {
  const bytes = readPublishedFile(published, path);
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
  const state = cause === undefined ? 'missing' : `damaged (${(cause as Error).message})`;
  throw new UsageError(
    `${published?.folder}/${path} is ${state}, and a build cannot recreate the file: restore the file from a mirror, ` +
      `from a backup or from git${remedy === undefined ? '' : `, or ${remedy}`}`,
    { cause },
  );
}

/**
 * Verifies a new delegation now, rather than with the first checkpoint that depends on it. It must not be older than the
 * published one, because verifiers refuse an older one, also under another root key (rule checkpoint-rollback).
 *
 * @param published - the published delegation, and by which root key it is
 */
async function assertDelegation(
  delegation: string,
  rootKey: RootKey,
  { published, by }: { readonly published: Uint8Array | undefined; readonly by: RootKey },
): Promise<Uint8Array> {
  if (delegation === '') {
    throw new KeyRejected(
      'the delegation is empty: the `keys delegate` that wrote it has failed, so run it again',
    );
  }
  const { issuedAt } = await verifyDelegation(delegation, rootKey, ANY_TIME).catch((cause: Error) => {
    throw new KeyRejected(
      `the delegation is not signed by root key ${rootKey.thumbprint}: ${cause.message}`,
      { cause },
    );
  });
  // No verifier has accepted a published delegation that is damaged.
  const before = published && (await verifyDelegation(published, by, ANY_TIME).catch(() => undefined));
  if (before !== undefined && before.issuedAt > issuedAt) {
    throw new UsageError(
      `the delegation of ${formatUpdatedAt(issuedAt)} is older than the published one, of ${formatUpdatedAt(before.issuedAt)}, and ` +
        'verifiers that know that one refuse it: pass the newest delegation, or sign another',
    );
  }
  return Buffer.from(delegation);
}

/**
 * Extends the rotation chain, and asserts that the chain leads from the previous root key to this root key.
 *
 * @param step - a new rotation step
 */
async function rotationChain(
  published: Uint8Array | undefined,
  step: string | undefined,
  { from, to }: { readonly from: RootKey; readonly to: RootKey },
): Promise<Uint8Array | undefined> {
  const earlier = published === undefined ? [] : readRotation(published).map(({ text }) => text);
  // An earlier build that was killed may have already published the step.
  const steps = step === undefined || earlier.at(-1) === step ? earlier : [...earlier, step];
  if (steps.length === 0) return undefined;
  const text = JSON.stringify(steps);
  const { thumbprint } = await walkRotation(from, text).catch((cause: Error) => {
    throw new KeyRejected(`the rotation is not valid: ${cause.message}`, { cause });
  });
  if (thumbprint !== to.thumbprint) {
    throw new KeyRejected(
      `the rotation leads from ${from.thumbprint} to ${thumbprint}, but the root key is ${to.thumbprint}: ` +
        'create the missing step with `keys step`, and pass it with --rotation',
    );
  }
  return Buffer.from(text);
}

/** Whether a published tree has a checkpoint. */
export function hasCheckpoint(published: PublishedTree | undefined): boolean {
  return readPublishedFile(published, PATHS.checkpoint) !== undefined;
}
