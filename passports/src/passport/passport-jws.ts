import {
  type Check,
  type Clock,
  type CompactJws,
  clockNote,
  hasPassed,
  isToCome,
  JwsRefused,
  type PublicKey,
  readCompactJws,
  verifyCompactJws,
} from '@passport-registry/verifier/core';
import { type PassportReasonCode, reject } from './rejection.js';

/**
 * Parses a JWS that an issuer, an agent or a principal has signed with a library of their choice (rule jwt-profile). This
 * function does what {@link readCompactJws} does, but compares `typ` as a media type, and accepts times with fractions.
 *
 * @param allowed - a header member to accept that is refused by default
 * @throws {@link JwsRefused}
 *
 * @example
 * ```ts
 * import { MANDATE_TYPE, readForeignJws } from '@passport-registry/passports/agent';
 *
 * try {
 *   readForeignJws('what a principal sent', [MANDATE_TYPE], 'jwk');
 * } catch (error) {
 *   console.log((error as Error).message); // is not a JWS in compact form
 * }
 * ```
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
 * without a slash leaves out (RFC 7515, section 4.1.9). Letters beyond ASCII stay, because lower case turns some of them into
 * ASCII.
 */
export function mediaTypeOf(typ: string): string {
  const lower = typ.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return lower.includes('/') ? lower : `application/${lower}`;
}

/** The kinds of JWS. The codes of their rejections begin with these names. */
type JwsKind = 'token' | 'proof' | 'mandate';

/**
 * Parses a compact JWS with {@link readForeignJws}, and turns a fault into a rejection. Only the header of a mandate may have
 * the key (rule mandate-jws).
 *
 * @param types - the accepted values of `typ`
 */
export function readJws(text: unknown, kind: JwsKind, types: readonly string[]): CompactJws {
  try {
    return readForeignJws(text, types, kind === 'mandate' ? 'jwk' : undefined);
  } catch (error) {
    return rejectJws(error, kind);
  }
}

/** Verifies the signature of a JWS with {@link verifyCompactJws}, and turns a fault into a rejection. */
export async function verifyJws(jws: CompactJws, kind: JwsKind, key: PublicKey): Promise<void> {
  try {
    await verifyCompactJws(jws, key);
  } catch (error) {
    rejectJws(error, kind);
  }
}

function rejectJws(error: unknown, kind: JwsKind): never {
  if (!(error instanceof JwsRefused)) throw error;
  reject(codeOf(error, kind), `the ${kind} ${error.message}`, error);
}

function codeOf({ fault }: JwsRefused, kind: JwsKind): PassportReasonCode {
  if (fault === 'signature') return `${kind}-signature-invalid`;
  return fault === 'claims' ? claimsCode(kind) : `${kind}-${fault}`;
}

function claimsCode(kind: JwsKind): PassportReasonCode {
  return kind === 'mandate' ? 'mandate-malformed' : `${kind}-claims`;
}

/** Asserts that the claims of a payload pass their checks. */
export function assertClaims(payload: object, kind: JwsKind, checks: Readonly<Record<string, Check>>): void {
  for (const [claim, check] of Object.entries(checks)) {
    const value = (payload as Readonly<Record<string, unknown>>)[claim];
    if (!check(value)) {
      const problem = value === undefined ? 'is missing' : 'is invalid';
      reject(claimsCode(kind), `the ${claim} of the ${kind} ${problem}`);
    }
  }
}

/** The times of a JWS, in seconds since 1970. */
interface JwsTimes {
  readonly iat?: number | undefined;
  readonly nbf?: number | undefined;
  readonly exp?: number | undefined;
}

/** Asserts that a JWS is valid now. Only times that it has are checked. */
export function assertValidNow({ iat = 0, nbf = iat, exp }: JwsTimes, kind: JwsKind, clock: Clock): void {
  if (isToCome(Math.max(iat, nbf) * 1000, clock)) {
    reject(`${kind}-not-yet-valid`, `the ${kind} is not valid yet ${clockNote(clock.now)}`);
  }
  if (exp !== undefined && hasPassed(exp * 1000, clock)) {
    reject(`${kind}-expired`, `the ${kind} has expired ${clockNote(clock.now)}`);
  }
}
