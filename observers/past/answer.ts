import { verifyHistoryProof } from '@passport-registry/verifier/history';
import { type PinnedTrust, trustAnchorOf } from '../../generator/verification/pinned-trust.js';
import type { TreeSource } from '../../generator/verification/tree-source.js';
import { findAt, type InForce, type NotShown } from './at-time.js';
import { type History, openHistory, readKeptList } from './history.js';
import { makeHistoryProof } from './make-proof.js';
import { type NotKept, type PastRecord, readPastRecord, readPastRecordIfKept } from './past-record.js';

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
  const isProven = question.isProofWanted && found.evidence === 'witnesses';
  return {
    evidence: found.evidence,
    said,
    proof: isProven ? await prove(history, found, issuerId) : undefined,
  };
}

/** Makes a proof, and verifies it as its reader will. */
async function prove(
  { source, trust }: History,
  { publication }: InForce,
  issuerId: string,
): Promise<string> {
  const proof = makeHistoryProof(issuerId, publication, await readKeptList(source, publication.statement));
  await verifyHistoryProof(proof, { trustAnchor: trustAnchorOf(trust) });
  return proof;
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
