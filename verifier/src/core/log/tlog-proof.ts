import { decodeBase64, encodeBase64, isSameBytes } from '../bytes/encodings.js';
import { type Invalid, textOf } from '../bytes/utf8.js';
import { LIMITS } from '../limits.js';
import { parseHead, type SignedHead } from './log-head.js';
import { leafHash, rootFromInclusion } from './merkle.js';
import { formatNote } from './signed-note.js';

/** The proof that a log contains an entry (C2SP tlog-proof), in parsed form. Nothing has been verified. */
export interface LogProof {
  /** The number of entries before the entry. */
  readonly index: number;
  /** The inclusion proof (RFC 6962, section 2.1.1). */
  readonly path: readonly Uint8Array[];
  readonly head: SignedHead;
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
/** A tree of 2^53 entries has 53 levels. */
const MAX_HASHES = 63;

/**
 * Parses a proof. The member `extra` is skipped: nothing authenticates it.
 *
 * @param file - the proof, or the bytes of a file exactly as received
 * @param invalid - creates the error to throw
 */
export function parseLogProof(file: Uint8Array | string, invalid: Invalid): LogProof {
  const text = textOf(file, invalid);
  // A file has been limited when it was read, but not every proof comes from a file.
  if (new TextEncoder().encode(text).length > LIMITS.logProof)
    throw invalid(`is larger than ${LIMITS.logProof} bytes`);
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, Math.max(end, 0)).split('\n');
  const [first, ...rest] = lines;
  if (end === -1 || first !== FIRST_LINE) throw invalid(`does not begin with ${FIRST_LINE}`);
  const extra = rest[0]?.startsWith('extra ') ? rest.shift() : undefined;
  if (extra !== undefined && decodeBase64(extra.slice('extra '.length)) === undefined) {
    throw invalid('has a malformed line');
  }
  const [, index] = /^index (0|[1-9][0-9]{0,15})$/.exec(rest.shift() ?? '') ?? [];
  const path = rest.map(decodeBase64);
  const isPath = (hashes: typeof path): hashes is Uint8Array[] => hashes.every((hash) => hash?.length === 32);
  const isIndex = index !== undefined && Number.isSafeInteger(Number(index));
  if (!isIndex || !isPath(path) || path.length > MAX_HASHES) throw invalid('has a malformed line');
  return { index: Number(index), path, head: parseHead(text.slice(end + 2), invalid) };
}

/** Formats a proof. */
export function formatLogProof({ index, path, head }: LogProof): string {
  const hashes = path.map((hash) => `${encodeBase64(hash)}\n`).join('');
  return `${FIRST_LINE}\nindex ${index}\n${hashes}\n${formatNote(head.note)}`;
}

/** Whether a proof shows that its head contains an entry. */
export function provesEntry({ index, path, head }: LogProof, entry: Uint8Array): boolean {
  const root = rootFromInclusion({ index, size: head.size }, leafHash(entry), path);
  return root !== undefined && isSameBytes(root, head.root);
}
