import {
  cosignatureTime,
  entryBytes,
  formatLogProof,
  formatNote,
  inclusionProof,
  type LogProof,
  type NoteSignature,
  type PublicationStatement,
  parseLogProof,
  provesEntry,
  publicationEntry,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { ignoring, TreeRejected } from '../errors.js';
import { readIfReadable } from '../files/read-file.js';
import type { CosignChoice } from '../log/log-choice.js';
import { hashesIn } from '../log/log-files.js';
import { cosignersOf } from '../log/read-cosignature.js';

/** A publication statement, its place in the log, and the newest head of the log. */
export interface ProvableEntry {
  readonly head: SignedHead;
  /** The number of entries before the statement. */
  readonly index: number;
  readonly statement: PublicationStatement;
}

/**
 * Makes what proves that a publication is the last entry of the log (rule log-proof). The published proof stays if it has the
 * quorum and the new one has not, and while another publication waits after this one.
 *
 * @param published - the published proof
 * @param cosignatures - the new cosignatures of the head
 * @returns the head with its cosignatures, the proof, and how many witnesses have cosigned the newest head
 */
export async function proveLogged(
  { head, index, statement }: ProvableEntry,
  cosignatures: readonly NoteSignature[],
  { published: text, folder, choice }: ProofContext,
): Promise<{ readonly head: Uint8Array; readonly proof: string; readonly cosigned: number }> {
  const read = (path: string) => readIfReadable(folder, path);
  const published = readProof(text);
  const entry = entryBytes(publicationEntry(statement));
  const isOfStatement = published !== undefined && published.index === index && provesEntry(published, entry);
  const known = published?.head.note.text === head.note.text ? published.head.note.signatures : [];
  const cosignedHead = withCosignatures(head, [...known, ...cosignatures]);
  const path = await inclusionProof(index, head.size, hashesIn(read, head.size));
  const fresh: LogProof = { index, path, head: cosignedHead };
  const cosigned = await countIn(fresh, choice);
  const publishedCount = isOfStatement ? await countIn(published, choice) : 0;
  const isLast = index === head.size - 1;
  const hasMore = cosigned < choice.quorum && publishedCount >= choice.quorum;
  const keeps = isOfStatement && (hasMore || !isLast);
  return {
    head: Buffer.from(formatNote(cosignedHead.note)),
    proof: formatLogProof(keeps ? published : fresh),
    cosigned,
  };
}

/** Where a log is, what its publisher demands, and what is published. */
interface ProofContext {
  readonly published: string | undefined;
  readonly folder: string;
  readonly choice: CosignChoice;
}

/** Reads a proof. A damaged proof counts as missing, because the new one replaces it. */
export function readProof(proof: string | undefined): LogProof | undefined {
  try {
    return proof === undefined ? undefined : parseLogProof(proof, (message) => new TreeRejected(message));
  } catch (error) {
    return ignoring(TreeRejected)(error);
  }
}

/** Returns a head with the newest cosignature of each witness, in the order of their names. */
function withCosignatures(head: SignedHead, found: readonly NoteSignature[]): SignedHead {
  const { signatures } = head.note;
  const timeOf = (line: NoteSignature) => cosignatureTime(line) ?? 0;
  const newest = new Map<string, NoteSignature>();
  for (const line of [...signatures, ...found]) {
    const id = `${line.name}+${line.keyId}`;
    const other = newest.get(id);
    if (timeOf(line) > 0 && (other === undefined || timeOf(line) > timeOf(other))) newest.set(id, line);
  }
  const cosignatures = [...newest].sort(([one], [next]) => (one < next ? -1 : 1)).map(([, line]) => line);
  const own = signatures.filter((line) => timeOf(line) === 0);
  return { ...head, note: { ...head.note, signatures: [...own, ...cosignatures] } };
}

/** Returns how many of the witnesses have cosigned the head of a proof. */
export async function countIn(
  proof: LogProof | undefined,
  { witnesses }: Pick<CosignChoice, 'witnesses'>,
): Promise<number> {
  if (proof === undefined) return 0;
  const keys = witnesses.map(({ key }) => key);
  return (await cosignersOf(proof.head, keys)).length;
}
