import { base64, bytesToHex, concatBytes, sha256, utf8 } from './encoding.js';
import type { Key } from './keys.js';

/** Heads of logs and their signature lines (rule log-bytes). */

const TYPES = { log: 0x01, witness: 0x04 };

/** Whose signature line a note gets: a key, and the name under which it signs. */
export interface NoteSigner {
  readonly key: Key;
  readonly name: string;
  readonly purpose: keyof typeof TYPES;
}

function keyId({ key, name, purpose }: NoteSigner): Uint8Array {
  return sha256(concatBytes(utf8(`${name}\n`), Uint8Array.of(TYPES[purpose]), key.publicKey)).slice(0, 4);
}

/** The verifier key of C2SP signed-note. */
export function verifierKey(signer: NoteSigner): string {
  const id = bytesToHex(keyId(signer));
  const encoded = base64(concatBytes(Uint8Array.of(TYPES[signer.purpose]), signer.key.publicKey));
  return `${signer.name}+${id}+${encoded}`;
}

/** The text of a head. */
export function headText(origin: string, size: number, root: Uint8Array): string {
  return `${origin}\n${size}\n${base64(root)}\n`;
}

/** The signature line of a log. */
export function logLine(signer: NoteSigner, text: string): string {
  return lineOf(signer, signer.key.sign(utf8(text)));
}

/** The signature line of a witness. @param seconds - since 1970 */
export function witnessLine(signer: NoteSigner, text: string, seconds: number): string {
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigUint64(0, BigInt(seconds));
  const signed = signer.key.sign(utf8(`cosignature/v1\ntime ${seconds}\n${text}`));
  return lineOf(signer, concatBytes(time, signed));
}

function lineOf(signer: NoteSigner, signature: Uint8Array): string {
  return `— ${signer.name} ${base64(concatBytes(keyId(signer), signature))}\n`;
}

/** The content of a proof. */
export function proofText(index: number, path: readonly Uint8Array[], head: string): string {
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${path.map((hash) => `${base64(hash)}\n`).join('')}\n${head}`;
}
