import { type NoteKey, parseNoteKey } from '../keys/note-key.js';
import { assertSignedByLog, type SignedHead } from '../log/log-head.js';

/** A key of a log, and the size of the log from which it signs heads. */
export interface LogKey {
  /** The key in the form of C2SP signed-note. */
  readonly vkey: string;
  readonly from: number;
}

/**
 * Adds the key that a publication names to the keys that earlier ones have named.
 *
 * @param size - of the log with the publication
 */
export function withLogKey(
  keys: readonly LogKey[],
  vkey: string | undefined,
  size: number,
): readonly LogKey[] {
  return vkey === undefined || keys.at(-1)?.vkey === vkey ? keys : [...keys, { vkey, from: size }];
}

/**
 * Returns the key that signs a head of a size: the one that the newest publication before it names (rule
 * log-head). Before the first publication, it is the key of that one. Several keys from the same size are alternatives.
 *
 * @returns an empty array if no publication names a key
 */
export function keysAt(keys: readonly LogKey[], size: number): readonly string[] {
  const named = keys.filter(({ from }) => from <= size).at(-1) ?? keys[0];
  if (named === undefined) return [];
  return keys.filter(({ from }) => from === named.from).map(({ vkey }) => vkey);
}

/** A key has not signed a head, or is not in the form of a key. */
class NotSigned extends Error {}

const notSigned = (message: string) => new NotSigned(message);

/** Returns the first of some keys of a log that has signed a head. Undefined if none has. */
export async function signerAmong(head: SignedHead, vkeys: readonly string[]): Promise<NoteKey | undefined> {
  for (const vkey of vkeys) {
    try {
      const key = parseNoteKey(vkey, 'log', notSigned);
      await assertSignedByLog(head, key, notSigned);
      return key;
    } catch (error) {
      if (!(error instanceof NotSigned)) throw error;
    }
  }
  return undefined;
}
