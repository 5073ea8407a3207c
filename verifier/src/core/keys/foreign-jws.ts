import type { Check } from '../bytes/checks.js';
import { type CompactJws, readCompactJws } from './compact-jws.js';

/**
 * Parses a JWS that an issuer, an agent or a principal has signed, with a library of their choice (rule jwt-profile): as
 * {@link readCompactJws}, but `typ` is compared as a media type, and times may have fractions.
 *
 * @param allowed - a header member to accept that is refused by default
 * @throws {@link JwsRefused}
 */
export function readForeignJws(jws: unknown, types: readonly string[], allowed?: 'jwk'): CompactJws {
  const isType = (typ: string, accepted: string) => mediaTypeOf(typ) === mediaTypeOf(accepted);
  return readCompactJws(jws, types, { isType, isTime: isNumericDate, allowed });
}

/** Whether a claim is a NumericDate (RFC 7519, section 2) from 1970 on: seconds, perhaps with a fraction. */
export const isNumericDate: Check = (value) =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/**
 * Returns a `typ` in the form in which two of them can be compared: in lower case, and with the `application/` that a `typ`
 * without a slash leaves out (RFC 7515, section 4.1.9). Letters beyond ASCII stay, because some of them become ASCII.
 */
export function mediaTypeOf(typ: string): string {
  const lower = typ.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return lower.includes('/') ? lower : `application/${lower}`;
}
