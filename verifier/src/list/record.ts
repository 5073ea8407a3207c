import { decodeUtf8 } from '../encoding/utf8.js';
import { RecordInvalid } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import { canonicalBytes, isShortestForm } from './canonical.js';
import { assertIssuer } from './issuer.js';

/**
 * Parses a record, whose hash must have been verified before: the canonical bytes of one issuer (SPEC B1) with the id
 * of its path.
 *
 * @throws {@link RecordInvalid}
 */
export function readRecord(bytes: Uint8Array, issuerId: string): Issuer {
  try {
    const text = decodeUtf8(bytes);
    const value: unknown = JSON.parse(text);
    assertIssuer(value);
    if (value.issuer_id !== issuerId) throw new Error(`it is the record of ${value.issuer_id}`);
    if (!isShortestForm(text, value) && decodeUtf8(canonicalBytes(value)) !== text)
      throw new Error('it is not in the canonical form of RFC 8785');
    return value;
  } catch (cause) {
    throw new RecordInvalid(`the record of ${issuerId} is invalid: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Returns the canonical form of a record from a verified list. The members of such a record are in order, and its
 * strings have no lone surrogates, so `JSON.stringify` writes what RFC 8785 demands.
 */
export function recordText(issuer: Issuer): string {
  return JSON.stringify(issuer);
}
