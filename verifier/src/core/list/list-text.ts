import { concat } from '../bytes/encodings.js';
import type { Steps } from '../bytes/steps.js';
import type { Issuer } from '../generated/schemas.js';

/** How many records to encode in one step. */
const STEP = 16;

/**
 * Returns the canonical form of a record from a verified list. The members of such a record are in order, and its
 * strings have no lone surrogates, so `JSON.stringify` writes what RFC 8785 demands.
 */
export function recordText(issuer: Issuer): string {
  return JSON.stringify(issuer);
}

/**
 * Returns the canonical bytes of a list (rule list-form), in small steps.
 *
 * @param issuers - records from verified lists, sorted by id
 */
export function* listBytesSteps(issuers: readonly Issuer[], updatedAt: string): Steps<Uint8Array> {
  const encoder = new TextEncoder();
  const parts = [encoder.encode('{"issuers":[')];
  for (let at = 0; at < issuers.length; at += STEP) {
    const texts = issuers.slice(at, at + STEP).map(recordText);
    parts.push(encoder.encode((at === 0 ? '' : ',') + texts.join(',')));
    yield;
  }
  parts.push(encoder.encode(`],"updated_at":${JSON.stringify(updatedAt)}}`));
  return concat(parts);
}
