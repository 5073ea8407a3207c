import { decodeBase64url, encodeBase64url } from '../encoding/base64url.js';
import { SignatureInvalid, SignatureMalformed } from '../errors.js';
import { isSignedBy } from './public-key.js';
import type { RootKey } from './root-key.js';

/** Length of a raw signature, Ed25519 (RFC 8032) and ES256 (RFC 7518, section 3.4) alike, in bytes. */
const SIGNATURE_LENGTH = 64;

/**
 * Verifies the detached signature of the registry over some bytes. Only the root key determines the
 * algorithm, never downloaded data (SPEC B2).
 *
 * @param bytes - the bytes exactly as received
 * @param signature - the text of issuers.sig: base64url without padding; ASCII white space around it
 *   (tab, line feed, form feed, carriage return, space) is ignored, a byte order mark is refused
 * @param rootKey - the pinned root key
 * @throws {@link SignatureMalformed} | {@link SignatureInvalid}
 *
 * @example
 * ```ts
 * import { importRootKey, verifySignature } from '@passport-registry/verifier';
 *
 * // RFC 8032, section 7.1, test 2
 * const rootKey = await importRootKey({
 *   kty: 'OKP',
 *   crv: 'Ed25519',
 *   x: 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw',
 * });
 * const signature = 'kqAJqfDUyrhyDoILX2QlQKKye1QWUD-Ps3YiI-vbadoIWsHkPhWZbkWPNhPQ8R2MOHsurrQwKu6wDSkWErsMAA';
 * await verifySignature(Uint8Array.of(0x72), signature, rootKey);
 * ```
 */
export async function verifySignature(bytes: Uint8Array, signature: string, rootKey: RootKey): Promise<void> {
  const raw = decodeBase64url(trimSignature(signature));
  if (raw?.length !== SIGNATURE_LENGTH) {
    throw new SignatureMalformed('the signature is not 64 bytes in base64url without padding');
  }
  const good = await isSignedBy(rootKey, raw, bytes);
  if (!good) {
    throw new SignatureInvalid(`these bytes were not signed by the root key ${rootKey.thumbprint}`);
  }
}

/**
 * The text of issuers.sig for a raw signature: base64url without padding, and nothing else (SPEC B2).
 *
 * @throws {@link SignatureMalformed} when it is not 64 bytes long; a DER signature must be turned into r||s first
 *
 * @example
 * ```ts
 * import { encodeSignature } from '@passport-registry/verifier';
 *
 * console.log(encodeSignature(new Uint8Array(64)).length); // 86
 * ```
 */
export function encodeSignature(raw: Uint8Array): string {
  if (raw.length !== SIGNATURE_LENGTH) {
    throw new SignatureMalformed(`a raw signature has 64 bytes, this one ${raw.length}`);
  }
  return encodeBase64url(raw);
}

/**
 * The text of issuers.sig without the ASCII white space around it (SPEC B2): tab, line feed, form feed, carriage return and
 * space, as the Infra Standard has it. `String.prototype.trim` would also remove a byte order mark.
 */
export function trimSignature(text: string): string {
  return text.replace(/^[\t\n\f\r ]+/, '').replace(/[\t\n\f\r ]+$/, '');
}
