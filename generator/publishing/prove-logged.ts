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
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';

/** A publication statement, its place in the log, and the newest head of the log. */
export interface ProvableEntry {
  readonly head: SignedHead;
  /** The number of entries before the statement. */
  readonly index: number;
  readonly statement: PublicationStatement;
}

/**
 * Makes the files that prove that the log contains a publication (rule log-files). The proof is for the newest head
 * that has the quorum. If no head with the publication has it, the proof is for the newest head.
 *
 * @param cosignatures - the new cosignatures of the head
 * @returns the files: the head with its cosignatures, and the proof. And how many witnesses have cosigned the newest head
 */
export async function proveLogged(
  { head, index, statement }: ProvableEntry,
  cosignatures: readonly NoteSignature[],
  { folder, choice }: { readonly folder: string; readonly choice: CosignChoice },
): Promise<{ readonly files: Tree; readonly cosigned: number }> {
  const read = (path: string) => readIfReadable(folder, path);
  const published = readProof(read(PATHS.logProof));
  const entry = entryBytes(publicationEntry(statement));
  const isOfStatement = published !== undefined && published.index === index && provesEntry(published, entry);
  const known = published?.head.note.text === head.note.text ? published.head.note.signatures : [];
  const cosignedHead = withCosignatures(head, [...known, ...cosignatures]);
  const path = await inclusionProof(index, head.size, hashesIn(read, head.size));
  const fresh: LogProof = { index, path, head: cosignedHead };
  const cosigned = await countIn(fresh, choice);
  const publishedCount = isOfStatement ? await countIn(published, choice) : 0;
  const keeps = isOfStatement && cosigned < choice.quorum && publishedCount >= choice.quorum;
  const proof = Buffer.from(formatLogProof(keeps ? published : fresh));
  const files = new Map<string, Uint8Array>([
    [PATHS.logHead, Buffer.from(formatNote(cosignedHead.note))],
    [PATHS.logProof, proof],
  ]);
  return { files, cosigned };
}

/** Reads a proof. A damaged proof counts as missing, because the new one replaces it. */
export function readProof(bytes: Uint8Array | undefined): LogProof | undefined {
  try {
    return bytes && parseLogProof(bytes, (message) => new TreeRejected(message));
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
