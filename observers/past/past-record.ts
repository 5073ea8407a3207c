import type { Issuer } from '@passport-registry/verifier';
import { TreeRejected } from '../../generator/errors.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { type History, readKeptList } from './history.js';
import type { PastPublication } from './past-publication.js';

/** A publication of the past, as data. */
export interface DatedPublication {
  /** When it began to be in force, RFC 3339. */
  readonly from: string;
  /** The last time, RFC 3339; null if no publication has replaced it. */
  readonly until: string | null;
  /** The names of the witnesses that prove the two times. Null if the times are only the publisher's word. */
  readonly witnesses: { readonly from: readonly string[]; readonly until: readonly string[] } | null;
  readonly sequence: number;
  readonly updatedAt: string;
  readonly sha256: string;
  /** The thumbprint of the root key that signed the publication. */
  readonly rootKey: string;
}

/** What a publication of the past said of an issuer, as data. */
export interface PastRecord extends DatedPublication {
  readonly listed: boolean;
  readonly issuer: Issuer | null;
}

/** A publication whose list has not been kept. */
export interface NotKept extends DatedPublication {
  /** Why nobody knows what the list said, in words. */
  readonly problem: string;
}

/**
 * Reads what a publication of the past said of an issuer.
 *
 * @throws {@link TreeRejected} if its list has not been kept; {@link IoFailed}; the errors of the verifier
 */
export async function readPastRecord(
  { source }: History,
  publication: PastPublication,
  issuerId: string,
): Promise<PastRecord> {
  const { issuers } = await readKeptList(source, publication.statement);
  const issuer = issuers.find(({ issuer_id }) => issuer_id === issuerId);
  return { ...dated(publication), listed: issuer !== undefined, issuer: issuer ?? null };
}

/** Reads what a publication of the past said of an issuer, or why nobody knows. Null without a publication. */
export async function readPastRecordIfKept(
  history: History,
  publication: PastPublication | undefined,
  issuerId: string,
): Promise<PastRecord | NotKept | null> {
  if (publication === undefined) return null;
  try {
    return await readPastRecord(history, publication, issuerId);
  } catch (error) {
    if (!(error instanceof TreeRejected)) throw error;
    return { ...dated(publication), problem: error.message };
  }
}

/** Returns a publication of the past as data. */
export function dated({ statement, root, from, until, proof }: PastPublication): DatedPublication {
  const { sequence, updatedAt, sha256 } = statement;
  return {
    from: formatUpdatedAt(from),
    until: Number.isFinite(until) ? formatUpdatedAt(until) : null,
    witnesses: proof?.witnesses ?? null,
    ...{ sequence, updatedAt, sha256, rootKey: root.rootKey.thumbprint },
  };
}
