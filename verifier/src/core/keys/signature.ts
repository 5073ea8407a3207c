import { decodeBase64url, encodeBase64url } from '../bytes/encodings.js';
import { RegistryError } from '../errors.js';
import { LIMITS } from '../limits.js';
import { isSignedBy, SIGNATURE_BYTES } from './public-key.js';
import type { RootKey } from './root-key.js';

/**
 * Verifies a detached signature by the root key. Only the root key determines the algorithm, never downloaded data
 * (docs/protocol.md#signature-algorithm). The form is defined in docs/protocol.md#signature-form.
 *
 * @param bytes - the signed bytes, exactly as received
 * @param signature - the content of issuers.sig: base64url without padding. Leading and trailing ASCII white space
 *   (tab, line feed, form feed, carriage return, space) is ignored. A byte order mark is refused
 * @param rootKey - the pinned root key
 * @throws `ERR_SIGNATURE_MALFORMED` | `ERR_SIGNATURE_INVALID`
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
  // A caller that fetches the signature may have no limit of its own.
  const raw = signature.length > LIMITS.signature ? undefined : decodeBase64url(trimSignature(signature));
  if (raw?.length !== SIGNATURE_BYTES) {
    throw new RegistryError(
      'ERR_SIGNATURE_MALFORMED',
      `the signature is not 64 bytes in base64url without padding, in at most ${LIMITS.signature} characters`,
    );
  }
  if (!(await isSignedBy(rootKey, raw, bytes))) {
    throw new RegistryError(
      'ERR_SIGNATURE_INVALID',
      `these bytes were not signed by the root key ${rootKey.thumbprint}`,
    );
  }
}

/**
 * Encodes a raw signature as the content of issuers.sig: base64url without padding, and nothing else
 * (docs/protocol.md#signature-form).
 *
 * @throws `ERR_SIGNATURE_MALFORMED` if the signature is not 64 bytes long. Convert a DER signature to r||s first
 *
 * @example
 * ```ts
 * import { encodeSignature } from '@passport-registry/verifier/core';
 *
 * console.log(encodeSignature(new Uint8Array(64)).length); // 86
 * ```
 */
export function encodeSignature(raw: Uint8Array): string {
  if (raw.length !== SIGNATURE_BYTES) {
    throw new RegistryError(
      'ERR_SIGNATURE_MALFORMED',
      `a raw signature must have 64 bytes, but this signature has ${raw.length}`,
    );
  }
  return encodeBase64url(raw);
}

/**
 * Removes leading and trailing ASCII white space from the content of issuers.sig (rule signature-form): tab, line feed,
 * form feed, carriage return and space, as in the Infra Standard. `String.prototype.trim` would also remove a byte
 * order mark.
 */
export function trimSignature(text: string): string {
  const isSpace = (at: number) => '\t\n\f\r '.includes(text.charAt(at));
  let begin = 0;
  let end = text.length;
  while (begin < end && isSpace(begin)) begin += 1;
  // A regular expression would try again at each space.
  while (begin < end && isSpace(end - 1)) end -= 1;
  return text.slice(begin, end);
}
