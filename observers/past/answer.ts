import type { IssuerRegistry } from '@passport-registry/verifier';
import {
  decodeUtf8,
  formatHistoryProof,
  formatTime,
  placeOf,
  prefixesTo,
  sumsPath,
} from '@passport-registry/verifier/core';
import { verifyHistoryProof } from '@passport-registry/verifier/history';
import { TreeRejected } from '../../generator/errors.js';
import { recordsBytes } from '../../generator/list/list.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { sumsOfList } from '../../generator/tree/sums.js';
import { type PinnedTrust, trustAnchorOf } from '../../generator/verification/pinned-trust.js';
import type { TreeSource } from '../../generator/verification/tree-source.js';
import { type History, openHistory, readKeptList } from './history.js';
import { findAt, type InForce, type NotShown, type PastPublication } from './past-publication.js';
import {
  type DatedPublication,
  dated,
  type NotKept,
  type PastRecord,
  readPastRecord,
  readPastRecordIfKept,
} from './past-record.js';

/** A question about the past. */
export interface Question {
  readonly issuerId: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly trust: PinnedTrust;
  /** Whether to make a proof. */
  readonly isProofWanted: boolean;
}

/** What a registry said of an issuer at a time, or that nothing shows it. */
export type Answer = SaidAt | NothingSaid;

/** What a registry said of an issuer at a time. */
export interface SaidAt extends Pick<InForce, 'evidence'> {
  readonly said: PastRecord;
  /** The content of a file that proves it. Undefined if none is wanted, or if only the publisher says so. */
  readonly proof: string | undefined;
}

/** Nothing shows what a registry said at a time. */
export interface NothingSaid extends Pick<NotShown, 'evidence' | 'unproven'> {
  /** What was said before and after, as far as it is known. */
  readonly before: PastRecord | NotKept | null;
  readonly after: PastRecord | NotKept | null;
  /** Whether older publications were signed by predecessors of the pinned root key. */
  readonly isPartial: boolean;
}

/**
 * Finds what a registry said of an issuer at a time, from its log.
 *
 * @throws {@link TreeRejected} if the registry has no log, or has not kept the list; {@link IoFailed}; the errors of the
 *   verifier
 */
export async function answerFrom(source: TreeSource, question: Question): Promise<Answer> {
  const { issuerId, time, trust } = question;
  const history = await openHistory(source, trust);
  const found = await findAt(history, time);
  if (found.evidence === 'none') return nothingSaid(history, found, issuerId);
  const said = await readPastRecord(history, found.publication, issuerId);
  return {
    evidence: found.evidence,
    said,
    proof: question.isProofWanted ? await prove(history, found.publication, issuerId) : undefined,
  };
}

async function nothingSaid(
  history: History,
  { evidence, before, after, unproven }: NotShown,
  issuerId: string,
): Promise<NothingSaid> {
  return {
    evidence,
    before: await readPastRecordIfKept(history, before, issuerId),
    after: await readPastRecordIfKept(history, after, issuerId),
    unproven,
    isPartial: history.isPartial && before === undefined,
  };
}

/**
 * Makes a file that proves what a publication of the past said of an issuer, and verifies it as its reader will. The sums files
 * of an old list are not kept, so they are computed anew.
 *
 * @returns undefined if only the publisher says when the publication was in force
 */
async function prove(
  { source, trust }: History,
  { statement, root, proof }: PastPublication,
  issuerId: string,
): Promise<string | undefined> {
  if (proof === undefined) return undefined;
  const { issuers } = await readKeptList(source, statement);
  const records = recordsBytes(issuers);
  const record = records.get(issuerId);
  // With the number of levels that the statement names, the tree is the one that it names.
  const { files } = sumsOfList({ records }, statement.levels);
  const sums = prefixesTo(placeOf(issuerId), statement.levels).flatMap((prefix) => {
    const bytes = files.get(sumsPath(prefix));
    return bytes === undefined ? [] : [decodeUtf8(bytes)];
  });
  const { first_proof, last_proof, later_entries } = proof;
  const file = formatHistoryProof({
    ...{ first_proof, last_proof, later_entries, sums },
    issuer_id: issuerId,
    publication: statement.text,
    rotation: root.rotation,
    ...(record !== undefined && { record: decodeUtf8(record) }),
  });
  await verifyHistoryProof(file, { trustAnchor: trustAnchorOf(trust) });
  return file;
}

/** A list that was in force at a time. */
export interface ListAt extends Pick<InForce, 'evidence'> {
  readonly registry: IssuerRegistry;
  /** Its publication, and when that was in force. */
  readonly publication: DatedPublication;
}

/**
 * Reads the list that was in force at a time.
 *
 * @param time - milliseconds since 1970
 * @throws {@link TreeRejected} if nothing shows which list it was, or if it has not been kept; {@link IoFailed}; the errors of
 *   the verifier
 */
export async function readListAt(history: History, time: number): Promise<ListAt> {
  const found = await findAt(history, time);
  if (found.evidence === 'none') {
    const { before, after } = found;
    const nearest = [
      ...(before === undefined ? [] : [`until ${formatUpdatedAt(before.until)}`]),
      ...(after === undefined ? [] : [`from ${formatUpdatedAt(after.from)}`]),
    ];
    throw new TreeRejected(
      `nothing proves which list of ${history.source.name} was in force at ${formatTime(time)}: ` +
        (nearest.length === 0
          ? 'the log proves no time'
          : `the nearest lists are proven ${nearest.join(' and ')}`),
    );
  }
  const { evidence, publication } = found;
  const registry = await readKeptList(history.source, publication.statement);
  return { evidence, registry, publication: dated(publication) };
}
