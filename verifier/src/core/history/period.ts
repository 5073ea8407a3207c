import { isSameBytes } from '../bytes/encodings.js';
import { RegistryError } from '../errors.js';
import { formatTime, MAX_DATE_MS } from '../list/date-time.js';
import { type Cosignature, newestCosignatures } from '../log/cosignature.js';
import { entryBytes, publicationEntry } from '../log/log-entry.js';
import { leafHash, levelBelow, nodeHash } from '../log/merkle.js';
import { parseEntry } from '../log/parse-entry.js';
import { verifyPublicationProof } from '../log/publication-proof.js';
import { type LogProof, parseLogProof } from '../log/tlog-proof.js';
import type { LogTrust } from '../statements/log-trust.js';
import type { PublicationStatement } from '../statements/publication-statement.js';
import type { HistoryProof } from './history-proof.js';

/** What shows when a publication was the newest one. */
export type PeriodProof = Pick<HistoryProof, 'first_proof' | 'last_proof' | 'later_entries'>;

/** Between which times witnesses prove that a publication was in force. Both times are part of the period. */
export interface Period {
  /** When a quorum had seen the publication in the log, in milliseconds since 1970. */
  readonly from: number;
  /** Until when a quorum has seen no later publication in the log, in milliseconds since 1970. */
  readonly until: number;
  /** The names of the witnesses whose cosignatures prove the two times. */
  readonly witnesses: { readonly from: readonly string[]; readonly until: readonly string[] };
  /** The number of entries before the publication. */
  readonly index: number;
}

const notLogged = (message: string) =>
  new RegistryError('ERR_NOT_LOGGED', `the proof of the publication ${message}`);

/**
 * Verifies when a publication was in force (rule history-period): from the time when a quorum had cosigned a head with
 * it, to the time until which a quorum has cosigned a head without a later publication. A statement that expired was in
 * force no longer.
 *
 * Nothing is proven if fewer witnesses than the quorum are honest. With at least one honest witness in every quorum, the
 * publication was in the log at `from`, and was still the newest at `until`.
 *
 * @param statement - a statement whose signature has been verified
 * @param trust - with a quorum
 * @throws `ERR_NOT_LOGGED` | `ERR_TOO_FEW_COSIGNATURES` | `ERR_LOG_INCONSISTENT`
 */
export async function verifyPeriod(
  statement: PublicationStatement,
  { first_proof, last_proof, later_entries }: PeriodProof,
  trust: LogTrust,
): Promise<Period> {
  const { quorum } = trust;
  if (quorum === 0)
    throw new RegistryError('ERR_TOO_FEW_COSIGNATURES', 'without a quorum of witnesses, nothing is proven');
  const first = await verifyHead(first_proof, statement, trust);
  const last = await verifyHead(last_proof, statement, trust);
  const { index } = last;
  const later = later_entries.map((text) => new TextEncoder().encode(text));
  const before = subtreesBefore(last);
  const isBefore = first.index === index && first.head.size <= last.head.size;
  if (!isBefore || !areSame(subtreesBefore(first), before))
    throw new RegistryError(
      'ERR_LOG_INCONSISTENT',
      'the first proof is not for a head of the log before that of the last proof',
    );
  for (const entry of later) {
    const { type } = parseEntry(entry, (message) => notLogged(`has a later entry that ${message}`));
    if (type === 'publication') throw notLogged('has a later publication: it was no longer in force');
  }
  const tail = [entryBytes(publicationEntry(statement)), ...later];
  assertTail(last, before, tail);
  assertTail(first, before, tail.slice(0, first.head.size - index));
  const [earliest, newest] = [first.cosignatures.slice(-quorum), last.cosignatures.slice(0, quorum)];
  const from = Math.max(...earliest.map(({ time }) => time));
  const until = Math.min(...newest.map(({ time }) => time), statement.expiresAt);
  if (until < from) throw new RegistryError('ERR_TOO_FEW_COSIGNATURES', unproven(from, until, statement));
  return { from, until, witnesses: { from: namesOf(earliest), until: namesOf(newest) }, index };
}

function unproven(from: number, until: number, { expiresAt }: PublicationStatement): string {
  if (until === expiresAt) {
    return `the statement expired at ${formatTime(until)}, before enough witnesses had cosigned it at ${formatTime(from)}`;
  }
  return (
    'the witnesses have cosigned the list only once, or too few of them again, so nothing shows how long it was in force: ' +
    `enough had cosigned it at ${formatTime(from)}, and their newest cosignatures together reach only to ${formatTime(until)}. ` +
    'The operator proves later lists by running `checkpoint` again while they are in force'
  );
}

const namesOf = (cosignatures: readonly Cosignature[]) =>
  cosignatures.map(({ witness }) => witness.name).sort();

/** A verified proof with all cosignatures by known witnesses, newest first. */
interface VerifiedHead extends LogProof {
  readonly cosignatures: readonly Cosignature[];
}

/** Verifies one proof as a client does, whenever it was made. */
async function verifyHead(
  text: string,
  statement: PublicationStatement,
  trust: LogTrust,
): Promise<VerifiedHead> {
  const [since, until] = [Number.NEGATIVE_INFINITY, MAX_DATE_MS];
  await verifyPublicationProof(new TextEncoder().encode(text), statement, { ...trust, since, until });
  const proof = parseLogProof(text, notLogged);
  const { witnesses } = trust;
  const all = { witnesses, quorum: witnesses.length, since, until };
  return { ...proof, cosignatures: await newestCosignatures(proof.head.note, all) };
}

const areSame = (one: readonly Subtree[], other: readonly Subtree[]) =>
  one.every(({ root }, at) => isSameBytes(root, other[at]?.root ?? new Uint8Array()));

/** Asserts that the head of a proof has exactly these entries from the publication to its end. */
function assertTail(
  { head, index }: LogProof,
  before: readonly Subtree[],
  tail: readonly Uint8Array[],
): void {
  if (head.size - index === tail.length && isSameBytes(rootWithTail(before, tail), head.root)) return;
  throw notLogged(
    `is for a head with ${head.size - index - 1} later entries, which are not those that it names`,
  );
}

/** A complete subtree. */
interface Subtree {
  /** The number of its entries: a power of two. */
  readonly count: number;
  readonly root: Uint8Array;
}

/**
 * Returns the root of a tree from what is before an index, and all its entries from there. If the result is the root of a
 * head, the tree of the head has exactly these entries there.
 *
 * @param before - the complete subtrees before the index, largest first
 * @param entries - the entries from the index to the end of the tree
 */
function rootWithTail(before: readonly Subtree[], entries: readonly Uint8Array[]): Uint8Array {
  const subtrees = [...before];
  for (const entry of entries) {
    let subtree: Subtree = { count: 1, root: leafHash(entry) };
    while (subtrees.at(-1)?.count === subtree.count) {
      const left = subtrees.pop() as Subtree;
      subtree = { count: 2 * left.count, root: nodeHash(left.root, subtree.root) };
    }
    subtrees.push(subtree);
  }
  return subtrees.map(({ root }) => root).reduceRight((right, left) => nodeHash(left, right));
}

/**
 * Returns the complete subtrees that make up a tree before an index, largest first: the left sides of the inclusion proof of
 * the entry at the index. They are the same in every later tree of the log.
 *
 * @param proof - a valid proof
 */
function subtreesBefore({ index, path, head }: LogProof): Subtree[] {
  const found: Subtree[] = [];
  let [start, end] = [0, head.size];
  for (const root of [...path].reverse()) {
    const count = 2 ** levelBelow(end - start);
    if (index < start + count) {
      end = start + count;
    } else {
      found.push({ count, root });
      start += count;
    }
  }
  return found;
}
