import { randomUUID } from 'node:crypto';
import type { IssuanceNonce, NonceRequest, Passport, PublicJwk } from '@passport-registry/verifier';
import { type AuditEntry, Journal, type Recorded } from './journal.js';
import { mandateClaims } from './mandate.js';
import { Nonces } from './nonces.js';
import { checkPossession } from './possession.js';
import { Refused } from './refused.js';
import type { MintBody } from './requests.js';
import {
  generatePrivateJwk,
  type KeyType,
  type SigningKey,
  signingKey,
  signPassport,
} from './signing-key.js';
import { thumbprint } from './thumbprint.js';

/** Who the issuer is and how it works. Times are in seconds. */
export interface IssuerOptions {
  /** Its id in the registry. Default: `playground`. */
  readonly issuerId?: string;
  /** Its base address, as the registry knows it. Default: `https://playground.example`. */
  readonly issuerUrl?: string;
  /** A file that keeps its state over restarts. Default: in memory. */
  readonly journal?: string;
  /** How its keys sign. Default: `ed25519`. */
  readonly keyType?: KeyType;
  /** 1 to 300. Default: 300. */
  readonly nonceLifetime?: number;
  /** Default: 3600. */
  readonly passportLifetime?: number;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/** A passport with its token. */
export type Minted = Passport & { readonly token: string };

/** A key that is published: it verifies, and the newest one signs. */
const LIVE_KEYS = 2;

/** An issuer of agent passports: what it is asked, and what it has done. */
export class SandboxIssuer {
  readonly issuerId: string;
  readonly issuerUrl: string;
  readonly #options: Required<Pick<IssuerOptions, 'keyType' | 'passportLifetime' | 'now'>>;
  readonly #nonces: Nonces;
  readonly #journal: Journal;
  readonly #passports = new Map<string, Passport>();
  /** The newest passport of each key, by thumbprint. */
  readonly #byKey = new Map<string, string>();
  /** Newest last. */
  #keys: SigningKey[] = [];

  /** @throws {@link JournalError} */
  constructor(options: IssuerOptions = {}) {
    const { issuerId = 'playground', issuerUrl = 'https://playground.example', journal } = options;
    const { keyType = 'ed25519', nonceLifetime = 300, passportLifetime = 3600, now = Date.now } = options;
    this.issuerId = issuerId;
    this.issuerUrl = issuerUrl.replace(/\/$/, '');
    this.#options = { keyType, passportLifetime, now };
    this.#nonces = new Nonces(Math.min(nonceLifetime, 300) * 1000, now);
    this.#journal = new Journal(journal, (recorded) => this.#apply(recorded));
    if (this.#keys.length === 0) this.rotateKeys();
  }

  /** The issuer's metadata (SPEC B8). */
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

  /** The public keys, without `alg`: one marked `EdDSA` would not match a token marked `Ed25519` everywhere (SPEC B11). */
  keys(): { keys: object[] } {
    return { keys: this.#keys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig' })) };
  }

  requestNonce(request: NonceRequest): IssuanceNonce {
    return this.#nonces.issue(request);
  }

  /** Mints a passport, in this order: possession of the key, the mandate, one passport a key. */
  async mint(request: MintBody): Promise<Minted> {
    const { public_key, signed_nonce } = request;
    const now = this.#time();
    const challenge = { nonce: this.#nonces.use(request), audience: this.issuerUrl, now };
    await checkPossession(signed_nonce, public_key, challenge);
    const mandate = await mandateClaims(request, now);
    // From here to the journal nothing is awaited: of two requests with one key, the second one finds the first.
    this.#assertFree(public_key, now);
    const passport = this.#newPassport(request, now);
    this.#record({ event: 'passport-issued', passport });
    return { ...passport, token: await this.#token(request, passport, mandate) };
  }

  /** A passport with its status. */
  passport(did: string): Passport {
    const passport = this.#passports.get(did);
    if (passport === undefined) throw new Refused('not_found', 'there is no such passport');
    return passport;
  }

  /** Suspends or reinstates a passport. Suspension does not raise the revocation nonce (SPEC B11). */
  setStatus(did: string, status: 'active' | 'suspended'): Passport {
    const passport = this.passport(did);
    if (passport.status === 'revoked') throw new Refused('passport_revoked', 'a revocation is final');
    if (passport.status !== status) {
      const event = status === 'suspended' ? 'passport-suspended' : 'passport-reinstated';
      this.#record({ event, passport_did: did });
    }
    return this.passport(did);
  }

  /** Revokes a passport for good, and raises its revocation nonce. */
  revoke(did: string): Passport {
    if (this.passport(did).status !== 'revoked')
      this.#record({ event: 'passport-revoked', passport_did: did });
    return this.passport(did);
  }

  /** Signs by a new key from now on; retires the key before the last. */
  rotateKeys(): { keys: object[] } {
    const secret = generatePrivateJwk(this.#options.keyType);
    const { kid, publicJwk: public_key } = signingKey(secret);
    this.#apply({
      entry: this.#journal.record({ event: 'key-created', kid, public_key }, this.#time(), secret),
      secret,
    });
    for (const { kid: retired } of this.#keys.slice(0, -LIVE_KEYS)) {
      this.#record({ event: 'key-retired', kid: retired });
    }
    return this.keys();
  }

  /** What the issuer has done, oldest first. */
  audit(after: number): readonly AuditEntry[] {
    return this.#journal.after(after, 1000);
  }

  close(): void {
    this.#journal.close();
  }

  #time(): Date {
    return new Date(this.#options.now());
  }

  #record(event: Parameters<Journal['record']>[0]): void {
    this.#apply({ entry: this.#journal.record(event, this.#time()), secret: undefined });
  }

  /** What an event changes: the same when it happens and when it is read from the journal. */
  #apply({ entry, secret }: Recorded): void {
    switch (entry.event) {
      case 'key-created':
        if (secret !== undefined) this.#keys.push(signingKey(secret));
        return;
      case 'key-retired':
        this.#keys = this.#keys.filter(({ kid }) => kid !== entry.kid);
        return;
      case 'passport-issued':
        this.#passports.set(entry.passport.passport_did, entry.passport);
        this.#byKey.set(thumbprint(entry.passport.public_key), entry.passport.passport_did);
        return;
      default: {
        const passport = this.passport(entry.passport_did);
        this.#passports.set(entry.passport_did, { ...passport, ...CHANGES[entry.event](passport) });
      }
    }
  }

  /** A key may have another passport once the one before has expired, unless that was revoked. */
  #assertFree(key: PublicJwk, now: Date): void {
    const did = this.#byKey.get(thumbprint(key));
    if (did === undefined) return;
    const { status, expires_at = '' } = this.passport(did);
    if (status === 'revoked' || Date.parse(expires_at) > now.getTime()) {
      throw new Refused('key_has_passport', 'this key has a passport; make a new key');
    }
  }

  #newPassport({ public_key, principal_id, memory_anchor_id }: MintBody, now: Date): Passport {
    const passport_id = randomUUID();
    const key_fingerprint = `sha256:${thumbprint(public_key)}`;
    const { kty, crv, x, y } = public_key;
    return {
      passport_id,
      passport_did: `did:passport:${passport_id}`,
      issuer_id: this.issuerId,
      issued_at: now.toISOString(),
      expires_at: new Date(now.getTime() + this.#options.passportLifetime * 1000).toISOString(),
      status: 'active',
      public_key: y === undefined ? { kty, crv, x } : { kty, crv, x, y },
      key_fingerprint,
      principal_id,
      memory_anchor_id: memory_anchor_id ?? key_fingerprint,
      revocation_nonce: 0,
    };
  }

  /** The passport as a JWS (SPEC B10). */
  #token(request: MintBody, passport: Passport, mandate: object): Promise<string> {
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

const CHANGES = {
  'passport-suspended': () => ({ status: 'suspended' }),
  'passport-reinstated': () => ({ status: 'active' }),
  'passport-revoked': ({ revocation_nonce }: Passport) => ({
    status: 'revoked',
    revocation_nonce: revocation_nonce + 1,
  }),
} as const satisfies Record<string, (passport: Passport) => Partial<Passport>>;
