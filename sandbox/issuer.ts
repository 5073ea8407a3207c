import { randomUUID } from 'node:crypto';
import type { IssuanceNonce, NonceRequest, Passport } from '@passport-registry/passports/agent';
import { thumbprintOf } from '@passport-registry/verifier/core';
import { mandateClaims } from './mandate.js';
import { checkPossession, Nonces } from './possession.js';
import { Refusal } from './refusal.js';
import type { MintBody } from './requests.js';
import { generateSigningKey, type KeyType, type SigningKey, signPassport } from './signing-key.js';

/** The options of an issuer. Times are in seconds. */
export interface IssuerOptions {
  /** The issuer's id in the registry. Default: `playground`. */
  readonly issuerId?: string;
  /** The issuer's base URL in the registry. Default: `https://playground.example`. */
  readonly issuerUrl?: string;
  /** The type of the keys that sign passports. Default: `Ed25519`. */
  readonly keyType?: KeyType;
  /** The lifetime of a nonce, 1 to 300. Default: 300. */
  readonly nonceLifetime?: number;
  /** The lifetime of a passport. Default: 3600. */
  readonly passportLifetime?: number;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** A passport with its token. */
export type Minted = Passport & { readonly token: string };

/** The number of published keys. All of them verify passports. The newest one signs. */
const MAX_PUBLISHED_KEYS = 2;

/** An issuer of agent passports. Keeps its state in memory, so the state is lost when the process ends. */
export class SandboxIssuer {
  readonly issuerId: string;
  readonly issuerUrl: string;
  readonly #keyType: KeyType;
  readonly #passportLifetimeMs: number;
  readonly #now: () => number;
  readonly #nonces: Nonces;
  readonly #passports = new Map<string, Passport>();
  /** The DID of each key's newest passport, by the key's thumbprint. */
  readonly #didByThumbprint = new Map<string, string>();
  /** In order of creation, newest last. */
  #keys: readonly SigningKey[] = [];

  private constructor(options: IssuerOptions) {
    const { issuerId = 'playground', issuerUrl = 'https://playground.example' } = options;
    const { keyType = 'Ed25519', nonceLifetime = 300, passportLifetime = 3600, now = Date.now } = options;
    this.issuerId = issuerId;
    this.issuerUrl = issuerUrl.replace(/\/$/, '');
    this.#keyType = keyType;
    this.#passportLifetimeMs = passportLifetime * 1000;
    this.#now = now;
    this.#nonces = new Nonces(Math.min(nonceLifetime, 300) * 1000, now);
  }

  /** Creates an issuer with a new key. */
  static async create(options: IssuerOptions = {}): Promise<SandboxIssuer> {
    const issuer = new SandboxIssuer(options);
    await issuer.rotateKeys();
    return issuer;
  }

  /** The issuer's metadata (rule issuer-metadata). */
  metadata(): object {
    return {
      issuer: this.issuerUrl,
      issuer_id: this.issuerId,
      jwks_uri: `${this.issuerUrl}/.well-known/jwks.json`,
      issuance_nonce_endpoint: `${this.issuerUrl}/v1/issuance/nonce`,
      passports_endpoint: `${this.issuerUrl}/v1/passports`,
      passport_signing_alg_values_supported: ['EdDSA', 'ES256'],
    };
  }

  /**
   * The public keys. They have no `alg`, because in jose a key with `EdDSA` does not match a token with `Ed25519`
   * (rule jwt-profile).
   */
  keys(): { keys: object[] } {
    return { keys: this.#keys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig' })) };
  }

  requestNonce(request: NonceRequest): IssuanceNonce {
    return this.#nonces.issue(request);
  }

  /** Mints a passport. Checks in this order: possession of the key, the mandate, one passport per key. */
  async mint(request: MintBody): Promise<Minted> {
    const now = new Date(this.#now());
    const { jwk } = await checkPossession({
      signedNonce: request.signed_nonce,
      nonce: this.#nonces.use(request),
      publicKey: request.public_key,
      audience: this.issuerUrl,
      now,
    });
    const thumbprint = thumbprintOf(jwk);
    const mandate = await mandateClaims(request.mandate, thumbprint, now);
    // No `await` between the check and the store, so that two concurrent requests cannot use the same key.
    this.#assertNoPassport(thumbprint, now);
    const passport = this.#newPassport({ ...request, public_key: jwk }, thumbprint, now);
    this.#passports.set(passport.passport_did, passport);
    this.#didByThumbprint.set(thumbprint, passport.passport_did);
    return { ...passport, token: await this.#signToken(request, passport, mandate) };
  }

  /** Returns a passport with its status. */
  passport(did: string): Passport {
    const passport = this.#passports.get(did);
    if (passport === undefined) throw new Refusal('not_found', 'no passport has this DID');
    return passport;
  }

  /** Suspends or reinstates a passport. Suspension does not raise the revocation nonce (rule revocation-nonce). */
  setStatus(did: string, status: 'active' | 'suspended'): Passport {
    const passport = this.passport(did);
    if (passport.status === 'revoked')
      throw new Refusal('passport_revoked', 'a revoked passport stays revoked');
    return this.#replace({ ...passport, status });
  }

  /** Revokes a passport permanently, and raises its revocation nonce. */
  revoke(did: string): Passport {
    const passport = this.passport(did);
    if (passport.status === 'revoked') return passport;
    const revocation_nonce = passport.revocation_nonce + 1;
    return this.#replace({ ...passport, status: 'revoked', revocation_nonce });
  }

  /** Adds a key, which signs from now on, and removes the oldest key once more than two are published. */
  async rotateKeys(): Promise<{ keys: object[] }> {
    const key = await generateSigningKey(this.#keyType);
    this.#keys = [...this.#keys, key].slice(-MAX_PUBLISHED_KEYS);
    return this.keys();
  }

  #replace(passport: Passport): Passport {
    this.#passports.set(passport.passport_did, passport);
    return passport;
  }

  /** Refuses a key that has a passport. A key whose passport has expired can get another one, unless it was revoked. */
  #assertNoPassport(thumbprint: string, now: Date): void {
    const did = this.#didByThumbprint.get(thumbprint);
    if (did === undefined) return;
    const { status, expires_at = '' } = this.passport(did);
    if (status === 'revoked' || Date.parse(expires_at) > now.getTime()) {
      throw new Refusal('key_has_passport', 'this key already has a passport; generate a new key');
    }
  }

  #newPassport(request: MintBody, thumbprint: string, now: Date): Passport {
    const { public_key, principal_id, memory_anchor_id } = request;
    const passport_id = randomUUID();
    const key_fingerprint = `sha256:${thumbprint}`;
    return {
      passport_id,
      passport_did: `did:passport:${passport_id}`,
      issuer_id: this.issuerId,
      issued_at: now.toISOString(),
      expires_at: new Date(now.getTime() + this.#passportLifetimeMs).toISOString(),
      status: 'active',
      public_key,
      key_fingerprint,
      principal_id,
      memory_anchor_id: memory_anchor_id ?? key_fingerprint,
      revocation_nonce: 0,
    };
  }

  /** Signs the passport as a JWS (rule passport-claims). */
  #signToken(request: MintBody, passport: Passport, mandate: object): Promise<string> {
    const seconds = (time: string | undefined) => Math.floor(Date.parse(time ?? '') / 1000);
    const { realm_id, principal_id, agent_type, capabilities } = request;
    const [newest] = this.#keys.slice(-1);
    return signPassport(newest as SigningKey, {
      iss: this.issuerUrl,
      sub: passport.passport_did,
      jti: passport.passport_id,
      iat: seconds(passport.issued_at),
      exp: seconds(passport.expires_at),
      issuer_id: this.issuerId,
      realm_id,
      principal_id,
      agent_type,
      capabilities,
      revocation_nonce: passport.revocation_nonce,
      cnf: { jwk: passport.public_key },
      ...mandate,
    });
  }
}
