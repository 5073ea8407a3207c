import { NONCE_TYPE, readForeignJws } from '@passport-registry/passports/agent';
import type { PublicJwk } from '@passport-registry/verifier';
import {
  decodeBase64url,
  hasPassed,
  importPublicKey,
  isSignedBy,
  isToCome,
  JwsRefused,
  type PublicKey,
  verifyCompactJws,
} from '@passport-registry/verifier/core';
import { possessionFailed } from './refusal.js';

/** The maximum clock difference between agent and issuer. */
const CLOCK_TOLERANCE_MS = 60_000;
/** The maximum age of a signed nonce. It equals the maximum lifetime of a nonce. */
const MAX_AGE_MS = 300_000;

/** The proof by which an agent shows that it has a key, and the values that the issuer expects in the proof. */
interface PossessionProof {
  readonly signedNonce: string;
  /** The nonce that must be signed. */
  readonly nonce: string;
  readonly publicKey: PublicJwk;
  /** The issuer's base URL. */
  readonly audience: string;
  readonly now: Date;
}

/**
 * Checks that a key signed a nonce. A signed nonce is either the raw signature over the ASCII bytes of the nonce
 * or a JWS of type `passport-nonce+jwt` (rule nonce-signature). Invalid public keys are refused (rule public-key).
 *
 * @returns the imported public key
 */
export async function checkPossession(proof: PossessionProof): Promise<PublicKey> {
  const failed = (message: string) => possessionFailed('signature_invalid', message);
  const key = await importPublicKey(proof.publicKey, (message) => failed(`the key ${message}`));
  const isSigned = proof.signedNonce.includes('.') ? isSignedJws(proof, key) : isSignedRaw(proof, key);
  if (!(await isSigned)) throw failed('the nonce is not signed by the key');
  return key;
}

/** Returns whether two public JWKs describe the same key. */
export function isSameKey(a: Partial<PublicJwk>, b: PublicJwk): boolean {
  return a.x === b.x && a.y === b.y;
}

async function isSignedRaw({ signedNonce, nonce }: PossessionProof, key: PublicKey): Promise<boolean> {
  const signature = decodeBase64url(signedNonce);
  return signature !== undefined && isSignedBy(key, signature, new TextEncoder().encode(nonce));
}

async function isSignedJws(proof: PossessionProof, key: PublicKey): Promise<boolean> {
  const { signedNonce, nonce, audience, now } = proof;
  const clock = { now: now.getTime(), tolerance: CLOCK_TOLERANCE_MS };
  try {
    const jws = readForeignJws(signedNonce, [NONCE_TYPE], 'jwk');
    await verifyCompactJws(jws, key);
    const { header, payload } = jws;
    const issuedAt = Number(payload['iat'] ?? Number.NaN) * 1000;
    return (
      payload['nonce'] === nonce &&
      payload['aud'] === audience &&
      isSameKey(header['jwk'] ?? {}, key.jwk) &&
      !isToCome(issuedAt, clock) &&
      !hasPassed(issuedAt + MAX_AGE_MS, clock)
    );
  } catch (error) {
    if (error instanceof JwsRefused) return false;
    throw error;
  }
}
