import {
  type Check,
  type Clock,
  canonicalBytes,
  hasCode,
  hashHex,
  type PublicKey,
} from '@passport-registry/verifier/core';
import { assertClaims, assertValidNow, isNumericDate, readJws, verifyJws } from './passport-jws.js';
import { reject } from './rejection.js';

/** The claims of the proof of an action (docs/protocol/passports.md#action-proof). */
export interface ActionClaims {
  /** Seconds since 1970. */
  readonly iat: number;
  /** Seconds since 1970. At most 60 after `iat`. */
  readonly exp: number;
  /** Seconds since 1970. */
  readonly nbf?: number;
  /** The id of the proof, unique among the proofs of a passport. */
  readonly jti: string;
  /** The audience: the name of the verifier. */
  readonly aud: string;
  /** The `jti` of the passport. */
  readonly passport: string;
  /** The SHA-256 of the passport's token in base64url, as in DPoP (RFC 9449, section 4.2). */
  readonly ath: string;
  readonly action: string;
  /** The SHA-256 of the canonical bytes of the payload, in lower-case hexadecimal. */
  readonly payload_sha256: string;
}

/** The `typ` of the proof of an action. */
export const ACTION_TYPE = 'action+jwt';

/** The maximum validity of a proof, in seconds (rule action-proof). */
export const MAX_ACTION_SECONDS = 60;

const isString: Check = (value) => typeof value === 'string';
const CHECKS: Readonly<Record<string, Check>> = {
  iat: isNumericDate,
  exp: isNumericDate,
  jti: isString,
  aud: isString,
  passport: isString,
  ath: isString,
  action: isString,
  payload_sha256: isString,
};
/** The `jti` becomes part of a replay store's key, unchanged. */
const JTI = /^[\x21-\x7e]{1,128}$/;

/** Parses the proof of an action, and verifies that the holder of the passport's key signed the proof. */
export async function readProof(proof: unknown, holder: PublicKey): Promise<ActionClaims> {
  const jws = readJws(proof, 'proof', [ACTION_TYPE]);
  await verifyJws(jws, 'proof', holder);
  assertClaims(jws.payload, 'proof', CHECKS);
  const claims = jws.payload as unknown as ActionClaims;
  if (!JTI.test(claims.jti)) reject('proof-claims', 'jti is not 1 to 128 visible ASCII characters');
  return claims;
}

/** Checks that a proof is valid now, and that its validity is at most 60 seconds. */
export function checkProofTimes(claims: ActionClaims, clock: Clock): void {
  const { iat, exp } = claims;
  if (!(exp > iat) || exp - iat > MAX_ACTION_SECONDS) {
    reject('proof-lives-too-long', `the proof is not valid for 1 to ${MAX_ACTION_SECONDS} seconds`);
  }
  assertValidNow(claims, 'proof', clock);
}

/** Returns the hash of a payload for a proof. @throws `ERR_NOT_CANONICALIZABLE` */
export function hashPayload(payload: unknown): string {
  return hashHex(canonicalBytes(payload));
}

/** Returns the hash of an untrusted payload, or rejects the payload. */
export function hashUntrustedPayload(payload: unknown): string {
  try {
    return hashPayload(payload);
  } catch (error) {
    if (!hasCode(error, 'ERR_NOT_CANONICALIZABLE')) throw error;
    return reject('payload-malformed', error.message, error);
  }
}
