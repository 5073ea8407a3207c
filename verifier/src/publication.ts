import { type Checkpoint, type CheckpointTexts, verifyCheckpoint } from './checkpoint.js';
import { instantOf } from './date-time.js';
import {
  CheckpointInvalid,
  CheckpointMismatch,
  CheckpointMissing,
  DelegationInvalid,
  ListExpired,
  ListRolledBack,
  NotYetValid,
  RegistryError,
  SignatureInvalid,
  SourceStatus,
} from './errors.js';
import { type VerifiedList, verifyList } from './list.js';
import { listByDeltas } from './list-by-deltas.js';
import type { RootKey } from './root-key.js';
import { walkRotation } from './rotation.js';
import { sha256Hex } from './sha256.js';
import { verifySignature } from './signature.js';
import type { Clock } from './statement.js';

/** Where the files of a registry come from: a host, a folder, a bundle. */
export interface RegistryFiles {
  /** The bytes of a file by its path in the tree; undefined when there is none. */
  get(path: string): Promise<Uint8Array | undefined>;
}

/** What a verifier trusts and remembers before it looks at a publication. */
export interface Trust {
  /** The root keys that are trusted now: the pinned ones, or what their rotation has led to. */
  readonly roots: readonly RootKey[];
  /** The publication that was accepted last. */
  readonly held: Publication | undefined;
  readonly clock: Clock;
  /** Whether what has expired is refused here; if not, the caller judges the age. */
  readonly expiry: boolean;
  /** Largest age of `updated_at` where there is no checkpoint, in milliseconds. */
  readonly maxAge: number;
  /** Whether a registry without a checkpoint is refused. */
  readonly requireCheckpoint: boolean;
}

/** A publication that passed every check, with what it takes to check it again. */
export interface Publication extends VerifiedList, SignedPair {
  readonly roots: readonly RootKey[];
  /** The text of rotation.json, where a rotation led to the root key. */
  readonly rotation: string | undefined;
  readonly checkpoint: (Checkpoint & CheckpointTexts) | undefined;
  /** Until when it is fresh, in milliseconds since 1970, tolerance left aside. */
  readonly freshUntil: number;
}

/**
 * Reads and verifies what a source publishes, in the order of SPEC A3, B6 and B7. Nothing of it may be used, or
 * remembered, unless this returns.
 */
export async function readPublication(files: RegistryFiles, trust: Trust): Promise<Publication> {
  try {
    return await readUnder(trust.roots, trust.held?.rotation, files, trust);
  } catch (error) {
    // If the root key has not changed, the error stands.
    if (!ROOT_MAY_HAVE_CHANGED.some((kind) => error instanceof kind)) throw error;
    const rotated = await rotatedRoots(files, trust.roots);
    if (rotated === undefined) throw error;
    return readUnder(rotated.roots, rotated.text, files, trust);
  }
}

const ROOT_MAY_HAVE_CHANGED = [SignatureInvalid, DelegationInvalid, CheckpointInvalid];

async function rotatedRoots(files: RegistryFiles, roots: readonly RootKey[]) {
  const bytes = await files.get('keys/rotation.json');
  if (bytes === undefined) return undefined;
  const text = new TextDecoder().decode(bytes);
  // Of several pinned keys one may be outside the chain; what it says is an error only if it says so of all of them.
  const walked = await Promise.allSettled(roots.map((root) => walkRotation(root, text)));
  const current = walked.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (current.length === 0 && walked[0]?.status === 'rejected') throw walked[0].reason;
  const fresh = [...new Map(current.map((root) => [root.thumbprint, root])).values()];
  const changed = fresh.some(({ thumbprint }) => !roots.some((root) => root.thumbprint === thumbprint));
  return changed ? { roots: fresh, text } : undefined;
}

async function readUnder(
  roots: readonly RootKey[],
  rotation: string | undefined,
  files: RegistryFiles,
  trust: Trust,
): Promise<Publication> {
  const { held, clock } = trust;
  const checkpoint = await readCheckpoint(files, roots, trust);
  // What is held was verified under its own root keys, and says nothing under others.
  const known = roots === held?.roots ? held : undefined;
  const verified =
    (await updatedByDeltas(files, checkpoint?.sha256, roots, known)) ??
    (await verifyPair(await readPair(files, checkpoint?.sha256, known), roots, known));
  if (checkpoint !== undefined) assertNamed(checkpoint, verified);
  const updatedAt = verified.registry.updated_at;
  refuseRollback(updatedAt, verified.sha256, held);
  if (instantOf(updatedAt) > clock.now + clock.tolerance) {
    throw new NotYetValid(`the list is of ${updatedAt}, which is yet to come`);
  }
  const freshUntil = checkpoint?.expiresAt ?? instantOf(updatedAt) + trust.maxAge;
  if (trust.expiry && checkpoint === undefined && clock.now > freshUntil + clock.tolerance) {
    throw new ListExpired(`the list is of ${updatedAt}, older than the maximum age, and has no checkpoint`);
  }
  return { ...verified, roots, rotation, checkpoint, freshUntil };
}

async function readCheckpoint(
  files: RegistryFiles,
  roots: readonly RootKey[],
  { held, clock, expiry, requireCheckpoint }: Trust,
): Promise<(Checkpoint & CheckpointTexts) | undefined> {
  const [checkpoint, delegation] = await Promise.all([
    textOf(files, 'checkpoint.jwt'),
    textOf(files, 'keys/delegation.jwt'),
  ]);
  if (checkpoint === undefined) {
    // Whoever takes the checkpoint away may want to hide that the list is old.
    if (!requireCheckpoint && held?.checkpoint === undefined) return undefined;
    throw new CheckpointMissing('the source has no checkpoint, where there must be one');
  }
  const texts = { checkpoint, delegation };
  const verified = await underAnyRoot(roots, (root) =>
    verifyCheckpoint(texts, root, expiry ? clock : undefined),
  );
  return { ...verified, ...texts };
}

async function textOf(files: RegistryFiles, path: string): Promise<string | undefined> {
  const bytes = await files.get(path);
  return bytes && new TextDecoder().decode(bytes).trim();
}

interface SignedPair {
  readonly list: Uint8Array;
  readonly signature: string;
}

/**
 * The newest list by what has changed since the one that is held: some hundred bytes instead of all. Undefined where there is
 * nothing new, or where that does not lead to a list that the root key has signed.
 */
async function updatedByDeltas(
  files: RegistryFiles,
  sha256: string | undefined,
  roots: readonly RootKey[],
  known: Publication | undefined,
): Promise<(VerifiedList & SignedPair) | undefined> {
  if (known === undefined || sha256 === known.sha256) return undefined;
  const folder = sha256 === undefined ? '' : `snapshots/${sha256}/`;
  const signature = await textOf(files, `${folder}issuers.sig`);
  if (signature === undefined || signature === known.signature.trim()) return undefined;
  const verify = async (list: Uint8Array) => {
    const results = roots.map((root) => verifySignature(list, signature, root));
    return (await Promise.allSettled(results)).some(({ status }) => status === 'fulfilled');
  };
  try {
    const found = await listByDeltas(files, known, async (list) =>
      sha256 === undefined ? verify(list.list) : list.sha256 === sha256,
    );
    const signed = found !== undefined && (sha256 === undefined || (await verify(found.list)));
    return signed ? { ...found, signature } : undefined;
  } catch (error) {
    // Whatever is wrong with a delta, the whole list is there.
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}

/** The list and its signature: from the snapshot that the checkpoint names, where the two cannot come apart. */
async function readPair(
  files: RegistryFiles,
  sha256: string | undefined,
  known: Publication | undefined,
): Promise<SignedPair> {
  if (sha256 !== undefined && sha256 === known?.sha256) return known;
  if (sha256 !== undefined) {
    const snapshot = await pairIn(files, `snapshots/${sha256}/`);
    if (snapshot !== undefined) return snapshot;
  }
  const pair = await pairIn(files, '');
  if (pair === undefined) throw new SourceStatus('the source has no issuers.json, or no issuers.sig');
  return pair;
}

async function pairIn(files: RegistryFiles, folder: string): Promise<SignedPair | undefined> {
  const [list, signature] = await Promise.all([
    files.get(`${folder}issuers.json`),
    files.get(`${folder}issuers.sig`),
  ]);
  if (list === undefined || signature === undefined) return undefined;
  return { list, signature: new TextDecoder().decode(signature) };
}

async function verifyPair(
  pair: SignedPair,
  roots: readonly RootKey[],
  known: Publication | undefined,
): Promise<VerifiedList & SignedPair> {
  if (known !== undefined && (await isHeld(pair.list, known))) {
    const { list, signature, registry, sha256 } = known;
    return { list, signature, registry, sha256 };
  }
  const verified = await underAnyRoot(roots, (rootKey) => verifyList({ ...pair, rootKey }));
  return { ...pair, ...verified };
}

async function isHeld(list: Uint8Array, held: Publication): Promise<boolean> {
  return list === held.list || (list.length === held.list.length && (await sha256Hex(list)) === held.sha256);
}

/** The first result that a root key gives; if none does, what the first of them threw. */
async function underAnyRoot<T>(roots: readonly RootKey[], work: (root: RootKey) => Promise<T>): Promise<T> {
  let first: unknown;
  for (const root of roots) {
    try {
      return await work(root);
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

function assertNamed(checkpoint: Checkpoint, { registry, sha256, list }: VerifiedList & SignedPair): void {
  const named = checkpoint.sha256 === sha256 && checkpoint.size === list.length;
  if (!named || checkpoint.updatedAt !== registry.updated_at) {
    throw new CheckpointMismatch(
      `the checkpoint names the list ${checkpoint.sha256}, the source has ${sha256}`,
    );
  }
}

function refuseRollback(updatedAt: string, sha256: string, held: Publication | undefined): void {
  if (held === undefined) return;
  const accepted = held.registry.updated_at;
  if (updatedAt < accepted) {
    throw new ListRolledBack(
      `the source has the list of ${updatedAt}, but that of ${accepted} was accepted before`,
    );
  }
  if (updatedAt === accepted && sha256 !== held.sha256) {
    throw new ListRolledBack(
      `the source has another list of ${updatedAt} than the one that was accepted before`,
    );
  }
}
