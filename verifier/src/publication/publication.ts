import { decodeUtf8 } from '../encoding/utf8.js';
import {
  CheckpointMismatch,
  CheckpointMissing,
  ListExpired,
  NotYetValid,
  RegistryError,
  SignatureMalformed,
  SourceStatus,
  SourceTooLarge,
} from '../errors.js';
import { limitOf } from '../limits.js';
import { instantOf, MAX_DATE_MS } from '../list/date-time.js';
import { type Checkpoint, verifyCheckpoint } from '../trust/checkpoint.js';
import type { RootKey } from '../trust/root-key.js';
import { trimSignature, verifySignature } from '../trust/signature.js';
import { type VerifiedList, verifyList } from '../trust/signed-list.js';
import type { Clock } from '../trust/statement.js';
import { limitFiles } from './limit-files.js';
import { listByDeltas } from './list-by-deltas.js';
import type { RegistryFiles } from './registry-files.js';
import { refuseOlderCheckpoint, refuseOlderDelegation, refuseOlderList } from './rollback.js';

/** What a verifier trusts and requires when it reads a publication. */
export interface Trust {
  /** The current root keys, after all rotations. */
  readonly roots: readonly RootKey[];
  /** The last accepted publication. */
  readonly held: Publication | undefined;
  readonly clock: Clock;
  /** Whether to refuse expired files. If false, the caller must check the age. */
  readonly expiry: boolean;
  /** The maximum age of `updated_at` for a list without a checkpoint, in milliseconds. */
  readonly maxAge: number;
  /** Whether to refuse a registry without a checkpoint. */
  readonly requireCheckpoint: boolean;
  /**
   * The maximum size of the list in bytes. A checkpoint can set a lower limit. Default: the limit of {@link limitOf}.
   */
  readonly maxListBytes?: number;
}

/** A publication that passed every check, with the data for checking it again. */
export interface Publication extends VerifiedList, SignedPair {
  /** The root key that signed the publication. */
  readonly root: RootKey;
  readonly checkpoint: (Checkpoint & CheckpointTexts) | undefined;
  /** When the newest accepted delegation under this root key was signed, in milliseconds since 1970. */
  readonly delegatedAt: number | undefined;
  /** When the publication stops being fresh, in milliseconds since 1970, without the tolerance. */
  readonly freshUntil: number;
}

interface CheckpointTexts {
  readonly checkpoint: string;
  /** Undefined if the root key itself signed the checkpoint. */
  readonly delegation: string | undefined;
}

interface SignedPair {
  readonly list: Uint8Array;
  readonly signature: string;
}

const LIST = 'issuers.json';
const SIGNATURE = 'issuers.sig';
const CHECKPOINT = 'checkpoint.jwt';
const DELEGATION = 'keys/delegation.jwt';

/**
 * Returns the files that {@link readPublication} always reads, so that the caller can request all of them at once. For
 * a client without a list, these include the list, because the checkpoint usually names the list at this path. The
 * caller requests the rotation separately.
 */
export function pathsReadFirst(held: Publication | undefined): readonly string[] {
  if (held === undefined) return [CHECKPOINT, DELEGATION, SIGNATURE, LIST];
  return held.checkpoint === undefined ? [CHECKPOINT, DELEGATION, SIGNATURE] : [CHECKPOINT, DELEGATION];
}

/**
 * Reads and verifies the publication of a source, in the order of SPEC A3 and B6. The root keys must be the current
 * keys after all rotations. One root key must have signed the whole publication. If this function throws, the caller
 * must not use or store any part of the publication.
 */
export async function readPublication(files: RegistryFiles, trust: Trust): Promise<Publication> {
  const source = limitFiles(files);
  let firstError: unknown;
  for (const root of trust.roots) {
    try {
      return await readUnder(root, source, trust);
    } catch (error) {
      firstError ??= error;
    }
  }
  throw firstError;
}

/** The inputs for reading a source under one root key. */
interface Reading {
  readonly files: RegistryFiles;
  readonly root: RootKey;
  readonly trust: Trust;
  /**
   * The last accepted publication, if this root key signed it. A publication proves nothing about a different root key.
   */
  readonly known: Publication | undefined;
}

async function readUnder(root: RootKey, files: RegistryFiles, trust: Trust): Promise<Publication> {
  const { held, clock } = trust;
  const known = held?.root.thumbprint === root.thumbprint ? held : undefined;
  const reading = { files, root, trust, known };
  const checkpoint = await readCheckpoint(reading);
  if (checkpoint !== undefined) {
    refuseOlderList(checkpoint, held);
    refuseOlderCheckpoint(checkpoint, held);
  }
  const verified = await readList(reading, checkpoint);
  const updatedAt = verified.registry.updated_at;
  refuseOlderList({ updatedAt, sha256: verified.sha256 }, held);
  if (instantOf(updatedAt) > clock.now + clock.tolerance) {
    throw new NotYetValid(`the list is dated ${updatedAt}, which is in the future`);
  }
  const freshUntil = checkpoint?.expiresAt ?? Math.min(instantOf(updatedAt) + trust.maxAge, MAX_DATE_MS);
  if (trust.expiry && checkpoint === undefined && clock.now > freshUntil + clock.tolerance) {
    throw new ListExpired(
      `the list is dated ${updatedAt}: it is older than the maximum age and has no checkpoint`,
    );
  }
  const delegatedAt = checkpoint?.delegatedAt ?? known?.delegatedAt;
  return { ...verified, root, checkpoint, delegatedAt, freshUntil };
}

async function readCheckpoint({
  files,
  root,
  trust,
  known,
}: Reading): Promise<(Checkpoint & CheckpointTexts) | undefined> {
  const { held, clock, expiry, requireCheckpoint } = trust;
  const delegation = files.get(DELEGATION);
  // A checkpoint that the root key signed needs no delegation. In that case, a failed download does not matter.
  delegation.catch(() => undefined);
  const checkpoint = await files.get(CHECKPOINT);
  if (checkpoint === undefined) {
    // An attacker could remove the checkpoint to hide that the list is old.
    if (!requireCheckpoint && held?.checkpoint === undefined) return undefined;
    throw new CheckpointMissing('the source has no checkpoint, but a checkpoint is required');
  }
  const verified = await verifyCheckpoint({ checkpoint, delegation }, root, { clock, expiry });
  refuseOlderDelegation(verified, known);
  return {
    ...verified,
    checkpoint: decodeUtf8(checkpoint),
    // An unused delegation has not been verified, and may not be UTF-8.
    delegation:
      verified.delegatedAt === undefined ? undefined : decodeUtf8((await delegation) ?? new Uint8Array()),
  };
}

/** Reads and verifies the list of a source. If the source has a checkpoint, the checkpoint must name the list. */
async function readList(
  reading: Reading,
  checkpoint: Checkpoint | undefined,
): Promise<VerifiedList & SignedPair> {
  const { files, root, trust, known } = reading;
  if (known !== undefined && (await isUnchanged(files, checkpoint, known))) {
    const { list, signature, registry, sha256 } = known;
    return assertNamed({ list, signature, registry, sha256 }, checkpoint);
  }
  const updated = await updateByDeltas(reading, checkpoint);
  if (updated !== undefined) return assertNamed(updated, checkpoint);
  // A client without a list has already requested the pair at the top of the tree.
  const snapshot = checkpoint && snapshotFolder(checkpoint.sha256);
  const folders = trust.held === undefined ? ['', snapshot] : [snapshot, ''];
  let failure: unknown;
  for (const folder of folders) {
    try {
      const pair = folder === undefined ? undefined : await readPair(reading, folder, checkpoint);
      if (pair !== undefined)
        return assertNamed({ ...pair, ...(await verifyList({ ...pair, rootKey: root })) }, checkpoint);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      failure = error;
    }
  }
  throw failure ?? new SourceStatus(`the source has no ${LIST}, or no ${SIGNATURE}`);
}

const maxListBytesOf = ({ maxListBytes = limitOf(LIST) }: Trust) => maxListBytes;
const snapshotFolder = (sha256: string) => `snapshots/${sha256}/`;

/** Returns whether a source still has the held list: the checkpoint names it, or the signature is the same. */
async function isUnchanged(
  files: RegistryFiles,
  checkpoint: Checkpoint | undefined,
  known: Publication,
): Promise<boolean> {
  if (checkpoint !== undefined) return checkpoint.sha256 === known.sha256;
  return (await readSignature(files, SIGNATURE)) === trimSignature(known.signature);
}

/**
 * Updates the held list by deltas, which take a few hundred bytes instead of the whole list. Returns undefined if the
 * deltas do not lead to a list that the root key has signed.
 */
async function updateByDeltas(
  { files, root, trust, known }: Reading,
  checkpoint: Checkpoint | undefined,
): Promise<(VerifiedList & SignedPair) | undefined> {
  if (known === undefined) return undefined;
  const folder = checkpoint === undefined ? '' : snapshotFolder(checkpoint.sha256);
  try {
    const signature = await readSignature(files, `${folder}${SIGNATURE}`);
    if (signature === undefined) return undefined;
    const found = await listByDeltas(files, known, {
      isReached: async ({ list, sha256 }) =>
        (checkpoint === undefined || checkpoint.sha256 === sha256) &&
        verifySignature(list, signature, root).then(
          () => true,
          () => false,
        ),
      // Each list may be larger than the held list, but at most twice as large.
      maxListBytes: Math.min(maxListBytesOf(trust), 2 * known.list.length),
    });
    return found && { ...found, signature };
  } catch (error) {
    // If a delta is invalid, the whole list is still available.
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}

/** Reads the list and its signature from a folder. In the snapshot that a checkpoint names, the two always match. */
async function readPair(
  { files, trust }: Reading,
  folder: string,
  checkpoint: Checkpoint | undefined,
): Promise<SignedPair | undefined> {
  const size = Math.min(checkpoint?.size ?? Number.POSITIVE_INFINITY, maxListBytesOf(trust));
  const reading = files.get(`${folder}${LIST}`, size).catch((error) => {
    const isOther = error instanceof SourceTooLarge && size === checkpoint?.size;
    throw isOther ? mismatch(checkpoint, 'a larger list') : error;
  });
  const [list, signature] = await Promise.all([reading, readSignature(files, `${folder}${SIGNATURE}`)]);
  if (list === undefined || signature === undefined) return undefined;
  return { list, signature };
}

async function readSignature(files: RegistryFiles, path: string): Promise<string | undefined> {
  const bytes = await files.get(path);
  if (bytes === undefined) return undefined;
  try {
    return trimSignature(decodeUtf8(bytes));
  } catch (cause) {
    throw new SignatureMalformed(`${path} is not UTF-8`, { cause });
  }
}

/** Asserts that the checkpoint, if any, names the list. Returns the list. */
function assertNamed(
  verified: VerifiedList & SignedPair,
  checkpoint: Checkpoint | undefined,
): VerifiedList & SignedPair {
  const { registry, sha256, list } = verified;
  if (checkpoint === undefined) return verified;
  const isNamed = checkpoint.sha256 === sha256 && checkpoint.size === list.length;
  if (!isNamed || checkpoint.updatedAt !== registry.updated_at) throw mismatch(checkpoint, sha256);
  return verified;
}

function mismatch(checkpoint: Checkpoint, found: string): CheckpointMismatch {
  return new CheckpointMismatch(
    `the checkpoint names the list ${checkpoint.sha256}, but the source has ${found}`,
  );
}
