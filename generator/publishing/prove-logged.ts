import {
  cosignatureTime,
  entryBytes,
  formatLogProof,
  formatNote,
  hashesFromTiles,
  inclusionProof,
  isPublication,
  type LogProof,
  type NoteSignature,
  type PublicationStatement,
  parseLogProof,
  provesEntry,
  publicationEntry,
  type SignedHead,
  tileReader,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../errors.js';
import { readIfReadable } from '../files/read-file.js';
import type { CosignChoice } from '../log/log-choice.js';
import type { ReadFileSync } from '../log/log-files.js';
import { newestEntries } from '../log/log-files.js';
import { cosignersOf } from '../log/read-cosignature.js';
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';
import type { ExtendedLog } from './extend-log.js';

/** What is to be proven, and by whose cosignatures. */
interface ProofRequest {
  /** The folder with the tiles of the log. */
  readonly folder: string;
  readonly statement: PublicationStatement;
  /** The new cosignatures of the head. */
  readonly cosignatures: readonly NoteSignature[];
  readonly choice: Pick<CosignChoice, 'witnesses' | 'quorum'>;
}

/** The proof of a publication, and whether its cosignatures make up the quorum. */
interface ProvenPublication {
  /** The files to write: the head with its cosignatures, the proof, and what is kept of it. */
  readonly files: Tree;
  /** The number of witnesses that have cosigned the newest head. */
  readonly cosigned: number;
}

/**
 * Makes the files that prove that the log contains a publication (rule log-files). The proof is for the newest head
 * that has the quorum. If no head with the publication has it, the proof is for the newest head.
 */
export async function proveLogged(
  { head, index }: Pick<ExtendedLog, 'head' | 'index'>,
  { folder, statement, cosignatures, choice }: ProofRequest,
): Promise<ProvenPublication> {
  const read = (path: string) => readIfReadable(folder, path);
  const published = readProof(read(PATHS.logProof));
  const entry = entryBytes(publicationEntry(statement));
  const isOfStatement = published !== undefined && published.index === index && provesEntry(published, entry);
  const known = published?.head.note.text === head.note.text ? published.head.note.signatures : [];
  const cosignedHead = withCosignatures(head, [...known, ...cosignatures]);
  const hashes = hashesFromTiles(
    head.size,
    tileReader(async (path) => read(path)),
  );
  const path = await inclusionProof(index, head.size, hashes);
  const fresh: LogProof = { index, path, head: cosignedHead };
  const [freshCount, publishedCount] = await Promise.all(
    [fresh, published].map((proof) => countIn(proof, choice)),
  );
  const keeps = isOfStatement && (freshCount ?? 0) < choice.quorum && (publishedCount ?? 0) >= choice.quorum;
  const proof = Buffer.from(formatLogProof(keeps ? published : fresh));
  const files = new Map<string, Uint8Array>([
    [PATHS.logHead, Buffer.from(formatNote(cosignedHead.note))],
    [PATHS.logProof, proof],
  ]);
  const count = (keeps ? publishedCount : freshCount) ?? 0;
  const first = readProof(read(PATHS.firstProof(index)));
  if (first === undefined || ((await countIn(first, choice)) < choice.quorum && count >= choice.quorum)) {
    files.set(PATHS.firstProof(index), proof);
  }
  const before = read(PATHS.logProof);
  if (published !== undefined && before !== undefined && isLastOfItself(published, read, head)) {
    files.set(PATHS.lastProof(published.index), before);
  }
  return { files, cosigned: freshCount ?? 0 };
}

/**
 * Whether a proof is for a head without a later publication, although the log has one by now. It then shows until when its
 * publication was in force, which no later proof can.
 */
function isLastOfItself({ index, head: { size } }: LogProof, read: ReadFileSync, head: SignedHead): boolean {
  let next: number | undefined;
  for (const indexed of newestEntries(read, head.size)) {
    if (indexed.index <= index) break;
    if (isPublication(indexed)) next = indexed.index;
  }
  return next !== undefined && size <= next;
}

/** Reads a proof. A damaged proof counts as missing, because the new one replaces it. */
function readProof(bytes: Uint8Array | undefined): LogProof | undefined {
  try {
    return bytes && parseLogProof(bytes, (message) => new TreeRejected(message));
  } catch (error) {
    if (error instanceof TreeRejected) return undefined;
    throw error;
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
async function countIn(
  proof: LogProof | undefined,
  { witnesses }: Pick<CosignChoice, 'witnesses'>,
): Promise<number> {
  if (proof === undefined) return 0;
  const keys = witnesses.map(({ key }) => key);
  return (await cosignersOf(proof.head, keys)).length;
}
