import { randomBytes, randomUUID } from 'node:crypto';
import {
  type IssuanceNonce,
  NONCE_TYPE,
  type NonceRequest,
  readForeignJws,
} from '@passport-registry/passports/agent';
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
import { possessionFailed, Refusal } from './refusal.js';
import type { MintBody } from './requests.js';

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
function isSameKey(a: Partial<PublicJwk>, b: PublicJwk): boolean {
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

interface PendingNonce {
  readonly nonce: string;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
  readonly request: NonceRequest;
}

/** Anybody can request nonces, so their number is limited. */
const MAX_PENDING = 10_000;

/** The nonces that have not been used. Each can be used once. A restart discards all of them. */
export class Nonces {
  readonly #pending = new Map<string, PendingNonce>();
  readonly #lifetimeMs: number;
  readonly #now: () => number;

  constructor(lifetimeMs: number, now: () => number) {
    this.#lifetimeMs = lifetimeMs;
    this.#now = now;
  }

  issue(request: NonceRequest): IssuanceNonce {
    const now = this.#now();
    this.#removeExpired(now);
    if (this.#pending.size >= MAX_PENDING) {
      throw new Refusal('busy', 'too many nonces are waiting to be used', { retryAfter: 60 });
    }
    const nonce_id = randomUUID();
    const nonce = randomBytes(32).toString('base64url');
    const expiresAtMs = now + this.#lifetimeMs;
    this.#pending.set(nonce_id, { nonce, expiresAtMs, request });
    return { nonce_id, nonce, expires_at: new Date(expiresAtMs).toISOString() };
  }

  /** Consumes and returns a nonce. The nonce is consumed even if the request is refused. */
  use({ nonce_id, principal_id, realm_id, owner_user_id, public_key }: MintBody): string {
    const pending = this.#pending.get(nonce_id);
    this.#pending.delete(nonce_id);
    if (pending === undefined) {
      throw possessionFailed('nonce_unknown', 'the nonce is unknown or has been used');
    }
    if (this.#now() >= pending.expiresAtMs) throw possessionFailed('nonce_expired', 'the nonce has expired');
    const { request, nonce } = pending;
    const matchesRequest =
      request.principal_id === principal_id &&
      request.realm_id === realm_id &&
      (request.owner_user_id === undefined || request.owner_user_id === (owner_user_id ?? null));
    if (!matchesRequest) {
      throw possessionFailed(
        'nonce_of_another_request',
        'the nonce was issued for another principal, realm or owner',
      );
    }
    if (request.public_key !== undefined && !isSameKey(request.public_key, public_key)) {
      throw possessionFailed('nonce_for_another_key', 'the nonce was issued for another key');
    }
    return nonce;
  }

  /** Removes expired nonces. All have the same lifetime, so they expire in the order in which they were issued. */
  #removeExpired(now: number): void {
    for (const [id, { expiresAtMs }] of this.#pending) {
      if (expiresAtMs > now) return;
      this.#pending.delete(id);
    }
  }
}
