import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  cosignedText,
  encodeCosignature,
  formatHead,
  formatNote,
  formatNoteKey,
  type LogHead,
  type NoteKey,
  type NoteSignature,
  parseNoteKey,
} from '@passport-registry/verifier/internal';

/** An Ed25519 key pair. */
export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A key pair that signs notes. */
export interface NoteSigner {
  readonly key: NoteKey;
  readonly vkey: string;
  /** The key pair, which can have several names. */
  readonly pair: KeyPair;
  /** Signs a text. Returns the raw Ed25519 signature. */
  readonly sign: (text: string) => Uint8Array;
}

/** Creates the error of a parser. The message is unchanged. */
export const invalid = (message: string) => new Error(message);

/** Creates a key pair for a log or a witness. @param pair - an Ed25519 key pair. Default: a new one */
export function noteSigner(name: string, purpose: 'log' | 'witness', pair = generatePair()): NoteSigner {
  const vkey = formatNoteKey(name, purpose, pair.publicKey.export({ format: 'jwk' }).x ?? '');
  return {
    vkey,
    pair,
    key: parseNoteKey(vkey, purpose, invalid),
    sign: (text) => new Uint8Array(sign(null, Buffer.from(text), pair.privateKey)),
  };
}

/** Creates an Ed25519 key pair, so that one key can have several names. */
export function generatePair(): KeyPair {
  return generateKeyPairSync('ed25519');
}

/** Signs a text. Returns the signature line of the note. */
export function signatureBy({ key, sign: signText }: NoteSigner, text: string): NoteSignature {
  return { name: key.name, keyId: key.keyId, signature: signText(text) };
}

/** Cosigns the text of a head. @param seconds - since 1970 */
export function cosignatureBy(
  { key, sign: signText }: NoteSigner,
  text: string,
  seconds: number,
): NoteSignature {
  const signature = encodeCosignature(seconds, signText(cosignedText(text, seconds)));
  return { name: key.name, keyId: key.keyId, signature };
}

/** Signs the head of a log. @param more - further signatures over the text of the head */
export function signedHead(
  log: NoteSigner,
  head: Omit<LogHead, 'origin'> & Partial<LogHead>,
  more: (text: string) => readonly NoteSignature[] = () => [],
): string {
  const text = formatHead({ origin: log.key.name, ...head });
  return formatNote({ text, signatures: [signatureBy(log, text), ...more(text)] });
}

/** Computes the id of a key as C2SP signed-note describes it. */
export function keyIdOf(name: string, type: number, publicKey: Uint8Array): string {
  const hash = createHash('sha256').update(`${name}\n`).update(Uint8Array.of(type)).update(publicKey);
  return hash.digest('hex').slice(0, 8);
}
