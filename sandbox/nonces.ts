import { randomBytes, randomUUID } from 'node:crypto';
import type { IssuanceNonce, NonceRequest } from '@passport-registry/passports/agent';
import { isSameKey } from './possession.js';
import { possessionFailed, Refusal } from './refusal.js';
import type { MintBody } from './requests.js';

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
