import type { IssuerRegistry, RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  type AnyEntry,
  beginLog,
  COSIGNED_ANY_TIME,
  type IndexedEntry,
  type IndexedPublication,
  isPublication,
  type LogState,
  type PublicationStatement,
  passEntry,
  readList,
  readRotation,
  verifyPublicationProof,
  verifyPublicationStatement,
  walkSteps,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { readEntries } from '../../generator/log/read-log.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import type { TreeSource } from '../../generator/verification/tree-source.js';

/** The entry of a publication, and where the log stands before it. */
export type PastEntry = IndexedPublication & { readonly before: LogState };

/** A root key, and the steps of the rotation that lead to it, as compact JWTs. */
export interface PastRoot {
  readonly rootKey: RootKey;
  readonly rotation: readonly string[];
}

/** The log of a registry, as far as the published files go. */
export interface History {
  readonly source: TreeSource;
  readonly trust: PinnedTrust;
  /** The pinned root key and its successors, oldest first. */
  readonly roots: readonly PastRoot[];
  /** The entries up to the head that proves the published statement. */
  readonly entries: readonly AnyEntry[];
  /** The publications under these root keys, oldest first. The last one is the published one. */
  readonly publications: readonly PastEntry[];
  /** Whether the log has older publications, signed by predecessors of the pinned root key, which nothing verifies. */
  readonly isPartial: boolean;
}

/**
 * Reads the log of a registry from its beginning to the published statement. Every entry belongs to the head of the log
 * that proves the statement.
 *
 * @throws {@link TreeRejected} if the registry has no log, or a damaged one; {@link IoFailed}; the errors of the verifier
 */
export async function openHistory(source: TreeSource, trust: PinnedTrust): Promise<History> {
  const read = async (path: string) => (await source.get(path))?.bytes;
  const roots = await readRoots(await read(PATHS.rotation), trust.rootKey);
  const published = await read(PATHS.publication);
  if (published === undefined) {
    throw new TreeRejected(
      `${source.name} has no publication statement, so nothing shows what it published earlier`,
    );
  }
  const { rootKey } = roots.at(-1) as PastRoot;
  const statement = await verifyPublicationStatement(published, rootKey, ANY_TIME);
  const origin = trust.log.log ?? statement.log?.origin;
  if (origin === undefined) {
    throw new TreeRejected(`${source.name} has no log, so nothing shows what it published earlier`);
  }
  // Without a quorum: the newest publication may wait for its cosignatures, while the past is proven.
  const anyWitness = { origin, witnesses: [], quorum: 0, ...COSIGNED_ANY_TIME };
  const head = await verifyPublicationProof(await read(PATHS.logProof), statement, anyWitness);
  const invalid = (message: string) =>
    new TreeRejected(`the log of ${source.name} ${message}: read another copy of the registry`);
  const entries = (await readEntries({ fetchFile: read, invalid }, head)).entries;
  const all = publicationsIn(entries.slice(0, head.index + 1), roots);
  const pinnedAt = entries.findLastIndex(
    ({ entry }) => entry.type === 'rotation' && entry.next === trust.rootKey.thumbprint,
  );
  const publications = all.filter(({ index }) => index > pinnedAt);
  const isPartial = publications.length < all.length;
  return { source, trust, roots, entries: entries.map(({ entry }) => entry), publications, isPartial };
}

function publicationsIn(entries: readonly IndexedEntry[], roots: readonly PastRoot[]): PastEntry[] {
  const keys = roots.map(({ rootKey }) => rootKey);
  let before = beginLog({ keys, inForce: keys[0] });
  return entries.flatMap((indexed) => {
    const found = isPublication(indexed) ? [{ ...indexed, before }] : [];
    before = passEntry(before, indexed.entry);
    return found;
  });
}

async function readRoots(rotation: Uint8Array | undefined, pinned: RootKey): Promise<PastRoot[]> {
  const steps = rotation === undefined ? [] : readRotation(rotation);
  const keys = await walkSteps([pinned], steps, undefined);
  const first = steps.findIndex(({ kid }) => kid === pinned.thumbprint);
  // Without a step by the pinned key, all steps lead to it.
  const before = first === -1 ? steps.length : first;
  return keys.map((rootKey, at) => ({
    rootKey,
    rotation: steps.slice(0, before + at).map(({ text }) => text),
  }));
}

/**
 * Reads the list of a publication of the past, from wherever the tree still has it. Its hash and its size are those that the
 * root key has signed.
 *
 * @throws {@link TreeRejected} if the tree has not kept it; {@link IoFailed}; the errors of the verifier
 */
export async function readKeptList(
  source: TreeSource,
  { sha256: hash, size, updatedAt }: PublicationStatement,
): Promise<IssuerRegistry> {
  for (const path of [PATHS.loggedList(hash), PATHS.snapshot(hash, PATHS.list), PATHS.list]) {
    const bytes = (await source.get(path))?.bytes;
    if (bytes?.length === size && sha256(bytes) === hash) return readList(bytes);
  }
  throw new TreeRejected(
    `${source.name} has not kept the list ${hash} of ${updatedAt}, which has ${size} bytes: look for ${PATHS.loggedList(hash)} at a ` +
      'mirror or in a backup. The operator decides with log.keep_lists in registry.yaml how large the lists are that a registry keeps',
  );
}
