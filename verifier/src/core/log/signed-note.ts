import { decodeBase64, encodeBase64, hexOf } from '../bytes/encodings.js';
import { type Invalid, textOf } from '../bytes/utf8.js';
import { isKeyName, type NoteKey } from '../keys/note-key.js';

/** A signature line of a note. */
export interface NoteSignature {
  /** The name of the key. */
  readonly name: string;
  /** The id of the key, in lower-case hexadecimal. Another key can have the same id. */
  readonly keyId: string;
  /** What follows the id of the key. */
  readonly signature: Uint8Array;
}

/** A parsed note of C2SP signed-note. No signature has been verified. */
export interface SignedNote {
  /** The signed text, with its last newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** The maximum number of signatures of a note. C2SP demands at least 16. */
export const MAX_SIGNATURES = 100;

/** Characters that no note contains: control characters below U+0020 except the newline, and what UTF-8 cannot express. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the format refuses them
const FORBIDDEN = /[\0-\t\x0b-\x1f\p{Surrogate}]/u;
/** Em dash, name of the key, and signature. */
const SIGNATURE_LINE = /^\u2014 ([^ ]+) ([A-Za-z0-9+/=]+)$/;

/**
 * Parses a signed note (C2SP signed-note). The signatures are not verified.
 *
 * @param file - the note, or the bytes of a file exactly as received
 * @param invalid - creates the error to throw
 */
export function parseNote(file: Uint8Array | string, invalid: Invalid): SignedNote {
  const note = textOf(file, invalid);
  const end = note.lastIndexOf('\n\n');
  if (end === -1) throw invalid('has no signature');
  const text = note.slice(0, end + 1);
  refuseForbidden(text, invalid);
  return { text, signatures: parseSignatureLines(note.slice(end + 2), invalid) };
}

/** Parses signature lines that a witness returns, each with its newline. @param invalid - as for {@link parseNote} */
export function parseSignatureLines(text: string, invalid: Invalid): readonly NoteSignature[] {
  refuseForbidden(text, invalid);
  if (!text.endsWith('\n')) throw invalid('has no signature, or does not end with a newline');
  const lines = text.slice(0, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw invalid(`has more than ${MAX_SIGNATURES} signatures`);
  return lines.map((line) => parseSignature(line, invalid));
}

function refuseForbidden(text: string, invalid: Invalid): void {
  if (FORBIDDEN.test(text)) throw invalid('contains a character that a note cannot contain');
}

function parseSignature(line: string, invalid: Invalid): NoteSignature {
  const [, name = '', encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = decodeBase64(encoded);
  if (!isKeyName(name) || bytes === undefined || bytes.length <= 4) {
    throw invalid('has a malformed signature line');
  }
  return { name, keyId: hexOf(bytes.subarray(0, 4)), signature: bytes.slice(4) };
}

/** Whether a signature line names a key. Its signature can still be wrong. */
export function isNamed({ name, keyId }: NoteSignature, key: NoteKey): boolean {
  return name === key.name && keyId === key.keyId;
}

/** Formats a signature line, with its newline. */
export function formatSignature({ name, keyId, signature }: NoteSignature): string {
  const id = keyId.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  return `\u2014 ${name} ${encodeBase64(Uint8Array.of(...id, ...signature))}\n`;
}

/** Formats a signed note. */
export function formatNote({ text, signatures }: SignedNote): string {
  return `${text}\n${signatures.map(formatSignature).join('')}`;
}
