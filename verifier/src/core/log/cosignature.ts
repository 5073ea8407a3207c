import { isSignedByNoteKey, type NoteKey } from '../keys/note-key.js';
import { SIGNATURE_BYTES } from '../keys/public-key.js';
import { isNamed, type NoteSignature, type SignedNote } from './signed-note.js';

/** The time and the signature of a cosignature. */
const TIME_BYTES = 8;
const COSIGNATURE_BYTES = TIME_BYTES + SIGNATURE_BYTES;

/** A verified cosignature. */
export interface Cosignature {
  readonly witness: NoteKey;
  /** When the witness signed, in milliseconds since 1970. */
  readonly time: number;
}

/** Returns the text that a witness signs for the text of a head (C2SP tlog-cosignature). @param seconds - since 1970 */
export function cosignedText(head: string, seconds: number): string {
  return `cosignature/v1\ntime ${seconds}\n${head}`;
}

/** Returns what follows the id of the key in a cosignature: the time and the Ed25519 signature. */
export function encodeCosignature(seconds: number, signature: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES + signature.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(seconds));
  bytes.set(signature, TIME_BYTES);
  return bytes;
}

/** Returns the time of a cosignature, in seconds since 1970. Undefined if the bytes are not a cosignature. */
export function cosignatureTime({ signature }: NoteSignature): number | undefined {
  if (signature.length !== COSIGNATURE_BYTES) return undefined;
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  return Number.isSafeInteger(seconds * 1000) ? seconds : undefined;
}

/** Accepts every time that {@link cosignatureTime} returns. Plain numbers, so that bundlers can leave the constant out. */
export const COSIGNED_ANY_TIME = { since: 0, until: 2 ** 53 };

/** What a verifier demands of the cosignatures of a head. */
export interface CosignatureRules {
  readonly witnesses: readonly NoteKey[];
  /** How many witnesses must have signed. */
  readonly quorum: number;
  /** The oldest and the newest acceptable time, in milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
}

/**
 * Returns the newest valid cosignatures of a head by known witnesses, at most the quorum (rule log-quorum). A witness counts
 * once, by its public key, whatever names it has.
 */
export async function newestCosignatures(
  { text, signatures }: SignedNote,
  { witnesses, quorum, since, until }: CosignatureRules,
): Promise<Cosignature[]> {
  const candidates = signatures.flatMap((line) => {
    const witness = witnesses.find((key) => isNamed(line, key));
    const seconds = cosignatureTime(line);
    if (witness === undefined || seconds === undefined) return [];
    return [{ witness, seconds, time: seconds * 1000, signature: line.signature.subarray(TIME_BYTES) }];
  });
  const timely = candidates.filter(({ time }) => time >= since && time <= until);
  const counted = new Map<string, Cosignature>();
  for (const { witness, seconds, time, signature } of timely.sort((one, next) => next.time - one.time)) {
    if (counted.size === quorum) break;
    if (counted.has(witness.jwk.x)) continue;
    const isValid = await isSignedByNoteKey(witness, signature, cosignedText(text, seconds));
    if (isValid) counted.set(witness.jwk.x, { witness, time });
  }
  return [...counted.values()];
}
