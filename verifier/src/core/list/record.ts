import { deepFreeze } from '../bytes/deep-freeze.js';
import { decodeUtf8 } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import { assertIssuer } from './issuer.js';

/**
 * Parses a record. Its hash must have been verified before.
 *
 * @param bytes - the content of `issuers/<issuer_id>`
 * @throws `ERR_RECORD_INVALID` unless the bytes are the canonical form of an issuer with this id (rule record-form)
 */
export function readRecord(bytes: Uint8Array, issuerId: string): Issuer {
  const invalid = (problem: string, cause?: unknown) =>
    new RegistryError('ERR_RECORD_INVALID', `issuers/${issuerId} ${problem}`, { cause });
  let text: string;
  let record: unknown;
  try {
    text = decodeUtf8(bytes);
    record = JSON.parse(text);
    assertIssuer(record);
  } catch (cause) {
    throw invalid(`is not a record: ${(cause as Error).message}`, cause);
  }
  if (record.issuer_id !== issuerId) throw invalid(`is the record of ${record.issuer_id}`);
  if (text !== canonicalRecord(record)) throw invalid('is not in the canonical form of RFC 8785');
  return deepFreeze(record);
}

/**
 * Returns the canonical form of a valid record. All values are ASCII strings, arrays of them, or null, so RFC 8785 asks
 * only for the order of the members.
 */
function canonicalRecord(record: Issuer): string {
  return JSON.stringify(record, Object.keys(record).sort());
}
