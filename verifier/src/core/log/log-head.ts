import { decodeBase64, encodeBase64 } from '../bytes/encodings.js';
import { shown } from '../bytes/fault.js';
import type { Invalid } from '../bytes/utf8.js';
import { isSignedByNoteKey, type NoteKey } from '../keys/note-key.js';
import type { TreeHead } from './merkle.js';
import { isNamed, parseNote, type SignedNote } from './signed-note.js';

/**
 * The head of a log: the text of a checkpoint of C2SP tlog-checkpoint. Not to be confused with the checkpoint of a registry.
 */
export interface LogHead extends TreeHead {
  /** The name of the log, such as `registry.example/log`. */
  readonly origin: string;
}

/** The head of a log with its signatures, which have not been verified. */
export interface SignedHead extends LogHead {
  readonly note: SignedNote;
}

const HEAD = /^([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n((?:[^\n]+\n)*)$/;

/**
 * Parses the signed head of a log (rule log-head).
 *
 * @param signed - the head, or the bytes of a file exactly as received
 * @param invalid - creates the error to throw
 */
export function parseHead(signed: Uint8Array | string, invalid: Invalid): SignedHead {
  const note = parseNote(signed, invalid);
  const [, origin = '', size, encoded = ''] = HEAD.exec(note.text) ?? [];
  const root = decodeBase64(encoded);
  if (root === undefined || !Number.isSafeInteger(Number(size))) throw invalid('is not the head of a log');
  return { origin, size: Number(size), root, note };
}

/** Formats the text that a log signs. */
export function formatHead({ origin, size, root }: LogHead): string {
  return `${origin}\n${size}\n${encodeBase64(root)}\n`;
}

/**
 * Asserts that the key of a log has signed a head. Signatures by other keys are ignored.
 *
 * @param invalid - creates the error to throw
 */
export async function assertSignedByLog(
  { note, origin }: SignedHead,
  key: NoteKey,
  invalid: Invalid,
): Promise<void> {
  if (origin !== key.name) throw invalid(`has the origin ${shown(origin)}, but the log is ${key.name}`);
  const own = note.signatures.filter((signature) => isNamed(signature, key));
  if (own.length === 0) throw invalid('is not signed by the key of the log');
  for (const { signature } of own) {
    if (!(await isSignedByNoteKey(key, signature, note.text))) {
      throw invalid('has an invalid signature by the key of the log');
    }
  }
}
