import { RegistryError } from '@passport-registry/verifier';
import {
  decodeUtf8,
  entryBytes,
  type LogTrust,
  logTrustOf,
  type Period,
  type PeriodProof,
  type PublicationStatement,
  parseLogProof,
  textOf,
  verifyPeriod,
  walkLog,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { History, PastEntry, PastRoot } from './history.js';

/** A publication of the past, and when it was in force. */
export interface PastPublication {
  readonly statement: PublicationStatement;
  /** The root key that signed the statement. */
  readonly root: PastRoot;
  /** The number of entries of the log before the publication. */
  readonly index: number;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** The last instant. Without a proof, the publication was in force until the next one. */
  readonly until: number;
  /** Undefined if nothing proves the times: they are only the publisher's word. */
  readonly proof: (PeriodProof & Pick<Period, 'witnesses'>) | undefined;
}

/** A publication for which nothing shows when it was in force. */
export interface Unproven {
  readonly sequence: number;
  readonly updatedAt: string;
  /** Why, in words. */
  readonly reason: string;
}

/** Returns the trust in the witnesses. Undefined without witnesses: nothing about the past is then proven. */
export function witnessTrust({ trust }: Pick<History, 'trust'>): LogTrust | undefined {
  const log = logTrustOf(trust.log);
  return log === undefined || log.quorum === 0 ? undefined : log;
}

/**
 * Reads a publication of the past. With witnesses, they must prove when it was in force.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}; the errors of the verifier
 */
export async function readPastPublication(
  history: History,
  publication: PastEntry,
): Promise<PastPublication | Unproven> {
  const read = async (path: string) => {
    const found = await history.source.get(path);
    return found && textOf(found.bytes, (message) => new TreeRejected(`${path} ${message}`));
  };
  const { index, entry } = publication;
  const unproven = (reason: string) => ({ sequence: entry.sequence, updatedAt: entry.updated_at, reason });
  const isCurrent = publication === history.publications.at(-1);
  const signed = await readPastStatement(history, publication);
  const [first_proof, last_proof] = await Promise.all([
    read(PATHS.firstProof(index)),
    read(isCurrent ? PATHS.logProof : PATHS.lastProof(index)),
  ]);
  // A publication that is only in the log, because another one replaced it before it was completed.
  if (first_proof === undefined) return unproven('it has no first proof: it was never completed');
  const trust = witnessTrust(history);
  if (trust === undefined) {
    return {
      ...signed,
      index,
      from: signed.statement.issuedAt,
      until: Number.POSITIVE_INFINITY,
      proof: undefined,
    };
  }
  if (last_proof === undefined) return unproven('it has no last proof');
  try {
    const later_entries = laterEntries(history, index, last_proof);
    const proof = { first_proof, last_proof, later_entries };
    const { from, until, witnesses } = await verifyPeriod(signed.statement, proof, trust);
    return { ...signed, index, from, until, proof: { ...proof, witnesses } };
  } catch (error) {
    if (error instanceof RegistryError && UNPROVEN.includes(error.code)) {
      return unproven(`${error.code}: ${error.message}`);
    }
    throw error;
  }
}

/**
 * Reads the statement of a publication. The root key in force at that entry must have signed it: the pinned one, or one of
 * its successors.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
async function readPastStatement(
  { source, roots }: History,
  { index, entry, before }: PastEntry,
): Promise<Pick<PastPublication, 'statement' | 'root'>> {
  const path = PATHS.loggedStatement(index);
  const bytes = (await source.get(path))?.bytes;
  if (bytes === undefined || sha256(bytes) !== entry.sha256) {
    throw new TreeRejected(`${source.name} has no ${path}, or not the statement that the log names`);
  }
  const { verified, problems } = await walkLog(before, [{ entry, statement: bytes }]);
  const [one] = verified;
  const root = roots.find(({ rootKey }) => rootKey.thumbprint === one?.statement.kid);
  if (one?.type === 'publication' && root !== undefined) return { statement: one.publication, root };
  throw new TreeRejected(
    `publication ${entry.sequence} of ${entry.updated_at} is refused: ${problems[0]?.message}`,
  );
}

const UNPROVEN = ['ERR_NOT_LOGGED', 'ERR_TOO_FEW_COSIGNATURES', 'ERR_LOG_INCONSISTENT'];

/** Returns the entries after a publication, up to the head of its last proof. */
function laterEntries({ entries }: History, index: number, last: string): string[] {
  const { head } = parseLogProof(
    last,
    (message) => new RegistryError('ERR_NOT_LOGGED', `the last proof of the publication ${message}`),
  );
  return entries.slice(index + 1, head.size).map((entry) => decodeUtf8(entryBytes(entry)));
}

/** The publication that was in force at a time. */
export interface InForce {
  /** Who says so: witnesses have proven it, or it is only the word of the publisher. */
  readonly evidence: 'witnesses' | 'publisher';
  readonly publication: PastPublication;
}

/** Nothing shows which publication was in force at a time. */
export interface NotShown {
  readonly evidence: 'none';
  /** The publications with the nearest times before and after. Undefined if there is none. */
  readonly before: PastPublication | undefined;
  readonly after: PastPublication | undefined;
  /** Publications between the two for which nothing shows when they were in force. */
  readonly unproven: readonly Unproven[];
}

/**
 * Finds the publication that was in force at a time (rule log-files). The number of files that are read grows with the
 * logarithm of the number of publications, if they are proven.
 *
 * @param time - milliseconds since 1970
 * @throws {@link TreeRejected} | {@link IoFailed}; the errors of the verifier
 */
export async function findAt(history: History, time: number): Promise<InForce | NotShown> {
  const around = await searchAround(history, time);
  const { before, after } = around;
  if (before === undefined) return around;
  if (before.proof === undefined) {
    const until = after?.from ?? before.until;
    return { evidence: 'publisher', publication: { ...before, until } };
  }
  if (time <= before.until) return { evidence: 'witnesses', publication: before };
  return around;
}

/** Finds the last publication that begins at a time or before, and the first one that begins after it. */
async function searchAround(history: History, time: number): Promise<NotShown> {
  const { publications } = history;
  let [before, after]: [PastPublication | undefined, PastPublication | undefined] = [undefined, undefined];
  const unproven = new Map<number, Unproven>();
  for (let [low, high] = [0, publications.length]; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    const { at, found } = await firstShown(middle, high);
    if (found !== undefined && found.from <= time) {
      [before, low] = [found, at + 1];
    } else {
      [after, high] = [found ?? after, middle];
    }
  }
  const [start, end] = [before?.index ?? -1, after?.index ?? Number.POSITIVE_INFINITY];
  const between = [...unproven].filter(([index]) => index > start && index < end);
  const sorted = between.sort(([one], [next]) => one - next).map(([, found]) => found);
  return { evidence: 'none', before, after, unproven: sorted };

  /** Returns the first publication from a position on whose time is known. */
  async function firstShown(start: number, end: number): Promise<{ at: number; found?: PastPublication }> {
    for (let at = start; at < end; at++) {
      const publication = publications[at] as PastEntry;
      const found = await readPastPublication(history, publication);
      if ('statement' in found) return { at, found };
      unproven.set(publication.index, found);
    }
    return { at: end };
  }
}
