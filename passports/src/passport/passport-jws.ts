import {
  type Check,
  type Clock,
  type CompactJws,
  clockNote,
  hasPassed,
  isToCome,
  JwsRefused,
  type PublicKey,
  readForeignJws,
  verifyCompactJws,
} from '@passport-registry/verifier/core';
import { type PassportReasonCode, reject } from './rejection.js';

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

/** Asserts that a JWS is valid now, by those of its times that it has. */
export function assertValidNow({ iat = 0, nbf = iat, exp }: JwsTimes, kind: JwsKind, clock: Clock): void {
  if (isToCome(Math.max(iat, nbf) * 1000, clock)) {
    reject(`${kind}-not-yet-valid`, `the ${kind} is not valid yet ${clockNote(clock.now)}`);
  }
  if (exp !== undefined && hasPassed(exp * 1000, clock)) {
    reject(`${kind}-expired`, `the ${kind} has expired ${clockNote(clock.now)}`);
  }
}
