import type { Issuer, IssuerRegistry } from '@passport-registry/verifier';
import { formatTime, type PublicationStatement, walkLog } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type History, type PastEntry, readKeptList } from './history.js';

/** A publication of the past, as data. The registry signed its times, by its own clock. */
export interface PastPublication {
  /** The signed time (`iat`), RFC 3339. */
  readonly from: string;
  /** The same of the next publication. Null if none has followed. */
  readonly until: string | null;
  /** When a quorum of witnesses cosigned the newest head of the log, RFC 3339. Null if the trust anchor names none. */
  readonly cosignedAt: string | null;
  readonly sequence: number;
  readonly updatedAt: string;
  readonly sha256: string;
  /** The thumbprint of the root key that signed the publication. */
  readonly rootKey: string;
}

/** What a publication of the past said of an issuer, as data. */
export interface PastRecord extends PastPublication {
  readonly listed: boolean;
  readonly issuer: Issuer | null;
}

/** A list of the past. */
export interface PastList {
  readonly registry: IssuerRegistry;
  readonly publication: PastPublication;
}

/**
 * Reads the list that was in force at a time: the list of the newest publication whose signed time (`iat`) is not later. The
 * signed times come from the registry's own clock.
 *
 * @param time - milliseconds since 1970
 * @throws {@link IoFailed} if the log does not show which list it was; {@link TreeRejected} if the list has not been kept; the
 *   errors of the verifier
 */
export async function readListAt(history: History, time: number): Promise<PastList> {
  const { publications, source, cosignedAt } = history;
  const unknown = (why: string) =>
    new IoFailed(`${source.name} does not show which list was in force at ${formatTime(time)}: ${why}`);
  if (cosignedAt !== undefined && time > cosignedAt)
    throw unknown(
      `its newest head was cosigned at ${formatUpdatedAt(cosignedAt)}; read a newer copy of the registry`,
    );
  // The entries have the dates of the lists, which are near the signed times, so few statements are read.
  let at = publications.findLastIndex(({ entry }) => Date.parse(entry.updated_at) <= time);
  let found = await readStatementOf(history, publications[at]);
  let next = await readStatementOf(history, publications[at + 1]);
  while (next !== undefined && next.issuedAt <= time) {
    at++;
    found = next;
    next = await readStatementOf(history, publications[at + 1]);
  }
  while (found !== undefined && found.issuedAt > time) {
    at--;
    next = found;
    found = await readStatementOf(history, publications[at]);
  }
  if (found === undefined) throw unknown(beforeFirst(history));
  const { sequence, updatedAt, sha256, kid } = found;
  const publication = {
    from: formatUpdatedAt(found.issuedAt),
    until: next === undefined ? null : formatUpdatedAt(next.issuedAt),
    cosignedAt: cosignedAt === undefined ? null : formatUpdatedAt(cosignedAt),
    sequence,
    updatedAt,
    sha256,
    rootKey: kid,
  };
  return { registry: await readKeptList(source, found), publication };
}

function beforeFirst({ isPartial }: History): string {
  return isPartial
    ? 'earlier root keys signed the older publications; pass the trust anchor of that time'
    : 'its first publication is later';
}

/**
 * Reads what the list that was in force at a time said of an issuer.
 *
 * @throws as {@link readListAt}
 */
export async function readRecordAt(history: History, time: number, issuerId: string): Promise<PastRecord> {
  const { registry, publication } = await readListAt(history, time);
  const issuer = registry.issuers.find(({ issuer_id }) => issuer_id === issuerId);
  return { ...publication, listed: issuer !== undefined, issuer: issuer ?? null };
}

/**
 * Reads the statement of a publication. The root key in force at that entry must have signed it: the pinned one, or one of
 * its successors.
 *
 * @returns undefined without a publication
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
async function readStatementOf(
  { source }: History,
  publication: PastEntry | undefined,
): Promise<PublicationStatement | undefined> {
  if (publication === undefined) return undefined;
  const { index, entry, before } = publication;
  const path = PATHS.loggedStatement(index);
  const bytes = (await source.get(path))?.bytes;
  if (bytes === undefined) throw new TreeRejected(`${source.name} has no ${path}`);
  const { verified, problems } = await walkLog(before, [{ entry, statement: bytes }]);
  const [one] = verified;
  if (one?.type === 'publication') return one.publication;
  throw new TreeRejected(
    `publication ${entry.sequence} of ${entry.updated_at} is refused: ${problems[0]?.message}`,
  );
}
