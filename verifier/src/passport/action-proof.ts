import { type Clock, hasPassed, isToCome } from '../core/bytes/clock.js';
import { hashHex } from '../core/bytes/sha256-sync.js';
import { hasCode } from '../core/errors.js';
import type { PublicKey } from '../core/keys/public-key.js';
import { canonicalBytes } from '../core/list/canonical.js';
import { readJws, verifyJws } from './passport-jws.js';
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

const STRING_CLAIMS = ['jti', 'aud', 'passport', 'ath', 'action', 'payload_sha256'];
/** The `jti` becomes part of a replay store's key, unchanged. */
const JTI = /^[\x21-\x7e]{1,128}$/;

/** Parses the proof of an action, and verifies that the holder of the passport's key signed the proof. */
export async function readProof(proof: unknown, holder: PublicKey): Promise<ActionClaims> {
  const jws = readJws(proof, 'proof', [ACTION_TYPE]);
  await verifyJws(jws, 'proof', holder);
  const { iat, exp, jti } = jws.payload;
  const wrong = STRING_CLAIMS.find((claim) => typeof jws.payload[claim] !== 'string');
  if (wrong !== undefined) reject('proof-claims', `${wrong} is missing in the proof or is not a string`);
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp))
    reject('proof-claims', 'iat or exp is not a time');
  if (!JTI.test(String(jti))) reject('proof-claims', 'jti is not 1 to 128 visible ASCII characters');
  return jws.payload as unknown as ActionClaims;
}

/** Checks that a proof is valid now, and that its validity is at most 60 seconds. */
export function checkProofTimes({ iat, nbf = iat, exp }: ActionClaims, clock: Clock): void {
  if (!(exp > iat) || exp - iat > MAX_ACTION_SECONDS) {
    reject('proof-lives-too-long', `the proof is not valid for 1 to ${MAX_ACTION_SECONDS} seconds`);
  }
  if (isToCome(Math.max(iat, nbf) * 1000, clock)) {
    reject('proof-not-yet-valid', 'the proof is not valid yet');
  }
  if (hasPassed(exp * 1000, clock)) reject('proof-expired', 'the proof has expired');
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
