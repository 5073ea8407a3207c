import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { LogHead, NoteKey, NoteSignature } from '@passport-registry/verifier/core';

/*
 * Keys and signatures of notes, written as docs/protocol/log.md#log-bytes describes them, and not as the verifier reads
 * and writes them.
 */

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

/** What a parser of notes, heads or keys refuses, in whatever words. */
export class Invalid extends Error {}
export const invalid = (message: string) => new Invalid(message);

const KEY_TYPES = { log: 0x01, witness: 0x04 };

/** Creates a key pair for a log or a witness. @param pair - an Ed25519 key pair. Default: a new one */
export function noteSigner(name: string, purpose: 'log' | 'witness', pair = generatePair()): NoteSigner {
  const { x = '' } = pair.publicKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  const [type, keyId] = [KEY_TYPES[purpose], keyIdOf(name, KEY_TYPES[purpose], publicKey)];
  return {
    vkey: `${name}+${keyId}+${Buffer.from([type, ...publicKey]).toString('base64')}`,
    pair,
    key: { name, keyId, jwk: { kty: 'OKP', crv: 'Ed25519', x, algorithm: 'Ed25519' } },
    sign: (text) => new Uint8Array(sign(null, Buffer.from(text), pair.privateKey)),
  };
}

/** Creates an Ed25519 key pair, so that one key can have several names. */
export function generatePair(): KeyPair {
  return generateKeyPairSync('ed25519');
}

/** Reads the key pair of a PEM file. */
export function pairIn(file: string): KeyPair {
  const privateKey = createPrivateKey(readFileSync(file));
  return { privateKey, publicKey: createPublicKey(privateKey) };
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
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = Buffer.concat([time, signText(`cosignature/v1\ntime ${seconds}\n${text}`)]);
  return { name: key.name, keyId: key.keyId, signature: new Uint8Array(signature) };
}

/** Returns the line of a signature in a note. */
export function lineOf({ name, keyId, signature }: NoteSignature): string {
  const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), signature]);
  return `— ${name} ${bytes.toString('base64')}\n`;
}

/** Returns the text of the head of a log. */
function headText({ origin, size, root }: LogHead): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

/** Signs the head of a log. @param more - further signatures over the text of the head */
export function signedHead(
  log: NoteSigner,
  head: Omit<LogHead, 'origin'> & Partial<LogHead>,
  more: (text: string) => readonly NoteSignature[] = () => [],
): string {
  const text = headText({ origin: log.key.name, ...head });
  return `${text}\n${[signatureBy(log, text), ...more(text)].map(lineOf).join('')}`;
}

/** Computes the id of a key as C2SP signed-note describes it. */
export function keyIdOf(name: string, type: number, publicKey: Uint8Array): string {
  const hash = createHash('sha256').update(`${name}\n`).update(Uint8Array.of(type)).update(publicKey);
  return hash.digest('hex').slice(0, 8);
}
