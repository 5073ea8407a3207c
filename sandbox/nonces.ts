import { randomBytes, randomUUID } from 'node:crypto';
import type { IssuanceNonce, NonceRequest } from '@passport-registry/verifier';
import { possessionFailed, Refused } from './refusal.js';
import type { MintBody } from './requests.js';
import { thumbprint } from './thumbprint.js';

interface Waiting {
  readonly nonce: string;
  readonly expires: number;
  readonly request: NonceRequest;
}

/** At one time. A stranger can ask for nonces, so their number must have an end. */
const MAX_WAITING = 10_000;

/**
 * The nonces that wait to be used. They are in memory only: a restart makes them all unknown, which refuses them, and
 * none can ever be used twice.
 */
export class Nonces {
  readonly #waiting = new Map<string, Waiting>();
  readonly #lifetime: number;
  readonly #now: () => number;

  /** @param lifetime - in milliseconds */
  constructor(lifetime: number, now: () => number) {
    this.#lifetime = lifetime;
    this.#now = now;
  }

  issue(request: NonceRequest): IssuanceNonce {
    const now = this.#now();
    this.#forgetExpired(now);
    if (this.#waiting.size >= MAX_WAITING) {
      throw new Refused('busy', 'too many nonces are waiting to be used', { retryAfter: 60 });
    }
    const nonce_id = randomUUID();
    const nonce = randomBytes(32).toString('base64url');
    const expires = now + this.#lifetime;
    this.#waiting.set(nonce_id, { nonce, expires, request });
    return { nonce_id, nonce, expires_at: new Date(expires).toISOString() };
  }

  /** Uses a nonce up, whether or not the request that names it turns out right; gives the nonce. */
  use({ nonce_id, principal_id, realm_id, owner_user_id, public_key }: MintBody): string {
    const waiting = this.#waiting.get(nonce_id);
    this.#waiting.delete(nonce_id);
    if (waiting === undefined) {
      throw possessionFailed('nonce_unknown', 'there is no such nonce, or it has been used');
    }
    if (this.#now() >= waiting.expires) throw possessionFailed('nonce_expired', 'the nonce has expired');
    const { request } = waiting;
    const same =
      request.principal_id === principal_id &&
      request.realm_id === realm_id &&
      (request.owner_user_id === undefined || request.owner_user_id === (owner_user_id ?? null));
    if (!same) {
      throw possessionFailed(
        'nonce_of_another_request',
        'the nonce was issued to another principal, realm or owner',
      );
    }
    if (request.public_key !== undefined && thumbprint(request.public_key) !== thumbprint(public_key)) {
      throw possessionFailed('nonce_for_another_key', 'the nonce was issued to another key');
    }
    return waiting.nonce;
  }

  /** They expire in the order in which they were issued. */
  #forgetExpired(now: number): void {
    for (const [id, { expires }] of this.#waiting) {
      if (expires > now) return;
      this.#waiting.delete(id);
    }
  }
}
