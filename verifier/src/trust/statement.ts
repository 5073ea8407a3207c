import { NotYetValid } from '../errors.js';
import { MAX_DATE_MS } from '../list/date-time.js';
import {
  type CompactJws,
  JwsRefused,
  readCompactJws,
  type VerificationKey,
  verifyCompactJws,
} from './compact-jws.js';

/** The time of the verifier, and the tolerance for other clocks. */
export interface Clock {
  /** Now, in milliseconds since 1970. */
  readonly now: number;
  /** Tolerance either way, in milliseconds. */
  readonly tolerance: number;
}

/** The `typ` of each statement of a registry, and whether such a statement must have an `exp`. */
const MUST_EXPIRE = {
  'registry-delegation+jwt': true,
  'registry-checkpoint+jwt': true,
  'registry-root-rotation+jwt': false,
} as const;

/** The `typ` of a statement of a registry (SPEC B6, B7). */
export type StatementType = keyof typeof MUST_EXPIRE;

/** A statement of a registry, read and not yet verified. */
export interface Statement {
  readonly type: StatementType;
  /** RFC 7638 thumbprint of the key that the statement names as its signer. */
  readonly kid: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  /** `iat`, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** `nbf`, in milliseconds since 1970; `iat` if there is no `nbf`. */
  readonly notBefore: number;
  /** `exp`, in milliseconds since 1970; the last instant of a `Date` if the statement needs no `exp`. */
  readonly expiresAt: number;
  readonly jws: CompactJws;
}

/** Makes the error for a statement. The message is a predicate, such as "is not a JWS in compact form". */
export type InvalidStatement = (message: string, cause?: unknown) => Error;

/**
 * Reads a statement of a registry by the JWT profile of SPEC C5, without verifying it: see {@link verifyStatement}.
 *
 * @param jwt - the text, or the bytes of the file exactly as received
 * @param invalid - makes the error to throw
 */
export function readStatement(
  jwt: Uint8Array | string,
  type: StatementType,
  invalid: InvalidStatement,
): Statement {
  const jws = compactJws(jwt, type, invalid);
  const { iat, exp, nbf } = jws.payload as { iat?: number; exp?: number; nbf?: number };
  if (iat === undefined) throw invalid('has no iat');
  if (exp === undefined && MUST_EXPIRE[type]) throw invalid('has no exp');
  const milliseconds = (seconds: number) => Math.min(seconds * 1000, MAX_DATE_MS);
  const { kid } = jws.header;
  return {
    type,
    kid: typeof kid === 'string' ? kid : undefined,
    claims: jws.payload,
    issuedAt: milliseconds(iat),
    notBefore: milliseconds(nbf ?? iat),
    expiresAt: exp === undefined ? MAX_DATE_MS : milliseconds(exp),
    jws,
  };
}

function compactJws(jwt: Uint8Array | string, type: StatementType, invalid: InvalidStatement): CompactJws {
  try {
    return readCompactJws(jwt, [type]);
  } catch (error) {
    throw error instanceof JwsRefused ? invalid(error.message, error) : error;
  }
}

/** The errors for a kind of statement. */
export interface StatementFailures {
  readonly invalid: InvalidStatement;
  /** Absent to skip the check of `exp`. */
  readonly expired?: ((message: string) => Error) | undefined;
}

/** How to verify a statement: the clock, and the errors for its kind. */
export interface StatementChecks extends StatementFailures {
  /** Undefined to skip the check of times. */
  readonly clock: Clock | undefined;
}

/**
 * Verifies a statement of a registry: signed by the key with the algorithm of the key, already valid, and not
 * expired. At `iat` or `nbf` minus the tolerance it is valid; at `exp` plus the tolerance it has expired.
 *
 * @throws {@link NotYetValid}, and the errors of the callbacks
 */
export async function verifyStatement(
  { type, jws, issuedAt, notBefore, expiresAt }: Statement,
  key: VerificationKey,
  { clock, invalid, expired }: StatementChecks,
): Promise<void> {
  try {
    await verifyCompactJws(jws, key);
  } catch (error) {
    throw error instanceof JwsRefused ? invalid(error.message, error) : error;
  }
  if (clock === undefined) return;
  const from = Math.max(issuedAt, notBefore);
  if (from > clock.now + clock.tolerance) {
    throw new NotYetValid(`a ${type} is valid from ${new Date(from).toISOString()}, which is in the future`);
  }
  if (expired !== undefined && clock.now >= expiresAt + clock.tolerance) {
    throw expired(`expired at ${new Date(expiresAt).toISOString()}`);
  }
}
