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

/** What precedes the head: the first line, perhaps a member `extra`, the index, and hashes of 32 bytes. */
const BEFORE_HEAD =
  /^c2sp\.org\/tlog-proof@v1\n(?:extra ([A-Za-z0-9+/=]*)\n)?index (0|[1-9][0-9]{0,15})\n((?:[A-Za-z0-9+/]{43}=\n){0,63})\n/;

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
  const [before = '', extra = '', digits, lines = ''] = BEFORE_HEAD.exec(text) ?? [];
  const index = Number(digits);
  const path = lines.split('\n').slice(0, -1).map(decodeBase64);
  const isPath = (hashes: typeof path): hashes is Uint8Array[] => !hashes.includes(undefined);
  if (!Number.isSafeInteger(index) || decodeBase64(extra) === undefined || !isPath(path)) {
    throw invalid('is not a tlog-proof of C2SP');
  }
  return { index, path, head: parseHead(text.slice(before.length), invalid) };
}

/** Formats a proof. */
export function formatLogProof({ index, path, head }: LogProof): string {
  const hashes = path.map((hash) => `${encodeBase64(hash)}\n`).join('');
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${hashes}\n${formatNote(head.note)}`;
}

/** Whether a proof shows that its head contains an entry. */
export function provesEntry({ index, path, head }: LogProof, entry: Uint8Array): boolean {
  const root = rootFromInclusion({ index, size: head.size }, leafHash(entry), path);
  return root !== undefined && isSameBytes(root, head.root);
}
