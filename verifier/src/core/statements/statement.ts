import { type Clock, clockNote, isToCome } from '../bytes/clock.js';
import { hashHex } from '../bytes/sha256-sync.js';
import type { Invalid } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { type CompactJws, JwsRefused, readCompactJws, verifyCompactJws } from '../keys/compact-jws.js';
import type { VerificationKey } from '../keys/public-key.js';
import { MAX_DATE_MS } from '../list/date-time.js';
import { type Claims, EXPIRING_TYPE } from './statement-types.js';

/** How to check the times of a statement. */
export interface StatementTimes {
  /** Undefined skips the check of times. */
  readonly clock: Clock | undefined;
  /** Whether to refuse expired statements. If false, the caller must check the age. */
  readonly expiry: boolean;
}

/** Skips the check of times: for statements of any age. */
export const ANY_TIME: StatementTimes = { clock: undefined, expiry: false };

/** A parsed statement of a registry. The signature has not been verified. */
export interface Statement<Type extends string = string> {
  readonly type: string;
  /** The RFC 7638 thumbprint of the key that the statement names as its signer. */
  readonly kid: string | undefined;
  readonly claims: Claims<Type>;
  /** `iat`, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** `nbf`, in milliseconds since 1970. Equal to `issuedAt` if there is no `nbf`. */
  readonly notBefore: number;
  /** `exp`, in milliseconds since 1970. The last instant of a `Date` if there is no `exp`. */
  readonly expiresAt: number;
  /** The statement itself: a JWT in compact form. */
  readonly text: string;
  readonly jws: CompactJws;
}

/**
 * Returns the hash of a statement (rule statement-hash): the SHA-256 of its JWS signing input, in lower-case hexadecimal. It
 * is known before the statement is signed, and two signatures over one input are one statement.
 *
 * @param text - a JWT in compact form, or its signing input: `header.payload`
 */
export function statementHash(text: string): string {
  return hashHex(text.split('.', 2).join('.'));
}

/** Returns from when a statement is valid, in milliseconds since 1970: from `iat` or `nbf`, whichever is later. */
export function validFrom({ issuedAt, notBefore }: Pick<Statement, 'issuedAt' | 'notBefore'>): number {
  return Math.max(issuedAt, notBefore);
}

/**
 * Parses a statement of a registry and checks the JWT profile (rule jwt-profile). {@link verifyStatement} verifies the
 * statement.
 *
 * @param jwt - the statement: a string, or the bytes of the file exactly as received
 * @param invalid - creates the error to throw
 */
export function readStatement<Type extends string>(
  jwt: Uint8Array | string,
  type: Type,
  invalid: Invalid,
): Statement<Type> {
  let jws: CompactJws;
  try {
    jws = readCompactJws(jwt, [type]);
  } catch (error) {
    throw asInvalid(error, invalid);
  }
  const { iat, exp, nbf } = jws.payload as { iat?: number; exp?: number; nbf?: number };
  if (iat === undefined) throw invalid('has no iat');
  if (exp === undefined && type === EXPIRING_TYPE) throw invalid('has no exp');
  // Later times, which no clock accepts, count as the last instant of a `Date`.
  const milliseconds = (seconds: number) => Math.min(seconds * 1000, MAX_DATE_MS);
  const { kid } = jws.header;
  return {
    type,
    kid: typeof kid === 'string' ? kid : undefined,
    claims: jws.payload as Claims<Type>,
    issuedAt: milliseconds(iat),
    notBefore: milliseconds(nbf ?? iat),
    expiresAt: exp === undefined ? MAX_DATE_MS : milliseconds(exp),
    text: jws.text,
    jws,
  };
}

/**
 * Verifies a statement of a registry: the key signed it with the algorithm of the key, and the statement is already valid. A
 * statement is valid from `iat` or `nbf`, whichever is later, minus the tolerance (rule clocks).
 *
 * @param clock - undefined skips the check of times
 * @param invalid - creates the error to throw
 * @throws `ERR_NOT_YET_VALID`, and the error of `invalid`
 */
export async function verifyStatement(
  { type, jws, issuedAt, notBefore }: Statement,
  key: VerificationKey,
  { clock, invalid }: { readonly clock: Clock | undefined; readonly invalid: Invalid },
): Promise<void> {
  try {
    await verifyCompactJws(jws, key);
  } catch (error) {
    throw asInvalid(error, invalid);
  }
  const from = validFrom({ issuedAt, notBefore });
  if (clock !== undefined && isToCome(from, clock)) {
    throw new RegistryError(
      'ERR_NOT_YET_VALID',
      `a ${type} is valid from ${new Date(from).toISOString()}, which is in the future ${clockNote(clock.now)}`,
    );
  }
}

/** Returns the error of a kind of statement for what is wrong with its JWS. */
function asInvalid(error: unknown, invalid: Invalid): unknown {
  return error instanceof JwsRefused ? invalid(error.message, error) : error;
}
