import type { IssuerRegistry, RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  beginLog,
  COSIGNED_ANY_TIME,
  type IndexedEntry,
  type IndexedPublication,
  isPublication,
  type LogState,
  logTrustOf,
  type PublicationStatement,
  passEntry,
  readList,
  readRotation,
  readStatementsFile,
  verifyPublicationProof,
  verifyPublicationStatement,
  walkSteps,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { readEntries } from '../../generator/log/read-log.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { registryFiles, type TreeSource } from '../../generator/verification/tree-source.js';

/** The entry of a publication, and where the log stands before it. */
export type PastEntry = IndexedPublication & { readonly before: LogState };

/** The log of a registry, as far as the published files go. */
export interface History {
  readonly source: TreeSource;
  /** The publications under the pinned root key and its successors, oldest first. The last one is the published one. */
  readonly publications: readonly PastEntry[];
  /** Whether the log has older publications, signed by predecessors of the pinned root key, which nothing verifies. */
  readonly isPartial: boolean;
  /**
   * When a quorum of witnesses cosigned the newest head of the log, in milliseconds since 1970. Undefined if the trust anchor
   * names none.
   */
  readonly cosignedAt: number | undefined;
}

/**
 * Reads the log of a registry from its beginning to the published statement. Every entry belongs to the head of the log
 * that proves the statement.
 *
 * @throws {@link TreeRejected} if the registry has no log, or a damaged one; {@link IoFailed}; the errors of the verifier
 */
export async function openHistory(source: TreeSource, trust: PinnedTrust): Promise<History> {
  const read = async (path: string) => (await source.get(path))?.bytes;
  const { rotation, publication, logProof } = await readStatementsFile(registryFiles(source));
  const roots = await walkSteps([trust.rootKey], readRotation(rotation), undefined);
  const statement = await verifyPublicationStatement(publication, roots.at(-1) as RootKey, ANY_TIME);
  const pinnedLog = logTrustOf(trust.log);
  const origin = pinnedLog?.origin ?? statement.log?.origin;
  if (origin === undefined) {
    throw new TreeRejected(`${source.name} has no log, so nothing shows what it published earlier`);
  }
  const rules = { witnesses: [], quorum: 0, ...pinnedLog, origin, ...COSIGNED_ANY_TIME };
  const head = await verifyPublicationProof(logProof, statement, rules);
  const invalid = (message: string) =>
    new TreeRejected(`the log of ${source.name} ${message}: read another copy of the registry`);
  const entries = (await readEntries({ fetchFile: read, invalid }, head)).entries;
  const all = publicationsIn(entries, roots);
  const pinnedAt = entries.findLastIndex(
    ({ entry }) => entry.type === 'rotation' && entry.next === trust.rootKey.thumbprint,
  );
  const publications = all.filter(({ index }) => index > pinnedAt);
  const isPartial = publications.length < all.length;
  return { source, publications, isPartial, cosignedAt: head.witnessedAt };
}

function publicationsIn(entries: readonly IndexedEntry[], keys: readonly RootKey[]): PastEntry[] {
  let before = beginLog({ keys, inForce: keys[0] });
  return entries.flatMap((indexed) => {
    const found = isPublication(indexed) ? [{ ...indexed, before }] : [];
    before = passEntry(before, indexed.entry);
    return found;
  });
}

/**
 * Reads the list of a publication of the past, if the tree still has it. The root key has signed its hash and its size.
 *
 * @throws {@link TreeRejected} if the tree has not kept it; {@link IoFailed}; the errors of the verifier
 */
export async function readKeptList(
  source: TreeSource,
  { sha256: hash, size, updatedAt }: PublicationStatement,
): Promise<IssuerRegistry> {
  const bytes = (await source.get(PATHS.namedList(hash)))?.bytes;
  if (bytes?.length === size && sha256(bytes) === hash) return readList(bytes);
  throw new TreeRejected(
    `${source.name} has not kept ${PATHS.namedList(hash)} of ${updatedAt} (${size} bytes): look at a mirror or in a backup`,
    { see: 'docs/verifiers/log.md#what-the-registry-said-in-the-past' },
  );
}
