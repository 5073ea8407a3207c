import { type Clock, LruMap, type PublicKey } from '@passport-registry/verifier/core';
import { findMetadataFaults, type IssuerMetadata, type KnownIssuer } from '../documents/issuer-documents.js';
import type { PassportClaims } from '../passport/claims.js';
import { reject } from '../passport/rejection.js';
import { AsyncCache } from './async-cache.js';
import { askIssuer, type IssuerHostOptions } from './issuer-host.js';
import { fetchKeys, findKey, hasKey, type IssuerKeys } from './issuer-keys.js';
import { fetchStatus, type PassportStatus, statusUrl } from './passport-status.js';

/** The maximum numbers of issuers and passports in the caches. */
const MAX_ISSUERS = 1_000;
const MAX_PASSPORTS = 100_000;

/** How to send requests to issuers, and how long to cache their responses. Times are in milliseconds. */
interface IssuerCacheOptions {
  readonly host: IssuerHostOptions;
  readonly clock: Clock;
  readonly metadataMaxAge: number;
  readonly statusMaxAge: number;
  readonly grace: number;
  readonly cooldown: number;
}

/** Requests the documents of issuers, and caches them as long as the options allow. */
export class Issuers {
  readonly #host: IssuerHostOptions;
  readonly #metadata: AsyncCache<IssuerMetadata>;
  readonly #keys: AsyncCache<IssuerKeys>;
  readonly #statuses: AsyncCache<PassportStatus>;
  /** The worst reported status of each passport, so that an issuer cannot roll a status back. */
  readonly #worst = new LruMap<string, PassportStatus>(MAX_PASSPORTS);

  constructor({ host, clock, metadataMaxAge, statusMaxAge, grace, cooldown }: IssuerCacheOptions) {
    this.#host = host;
    const shared = { grace, cooldown, clock, timeout: host.timeout };
    this.#metadata = new AsyncCache({ ...shared, maxAge: metadataMaxAge, maxEntries: MAX_ISSUERS });
    this.#keys = new AsyncCache({ ...shared, maxAge: metadataMaxAge, maxEntries: MAX_ISSUERS });
    this.#statuses = new AsyncCache({ ...shared, maxAge: statusMaxAge, maxEntries: MAX_PASSPORTS });
  }

  /** Returns an issuer's metadata. */
  metadata(known: KnownIssuer): Promise<IssuerMetadata> {
    const { discovery_uri, jwks_uri } = known;
    // The metadata is checked against these two URLs, so both are part of the cache key.
    const key = JSON.stringify([discovery_uri, jwks_uri]);
    return this.#metadata.get(key, () => fetchMetadata(known, this.#host));
  }

  /** Returns a key of an issuer. A missing key may be new: keys that were requested before this call are requested again. */
  async key(jwksUri: string, kid: string): Promise<PublicKey> {
    const load = () => fetchKeys(jwksUri, this.#host);
    const before = this.#keys.peek(jwksUri);
    const keys = await this.#keys.get(jwksUri, load);
    const isNew = keys !== before;
    return findKey(isNew || hasKey(keys, kid) ? keys : await this.#keys.getNewer(jwksUri, load), kid);
  }

  /** Returns the revocation nonce of a passport. Rejects a passport that is not active, or was worse before. */
  async revocationNonce(passport: PassportClaims): Promise<number> {
    // The URL is the cache key, because two issuers may use the same passport id.
    const url = statusUrl(passport);
    const status = await this.#statuses.get(url, () => fetchStatus(passport, this.#host));
    this.#checkStatus(url, status);
    return status.revocationNonce;
  }

  /** Revocation is final, and the nonce only grows (rule status-memory). */
  #checkStatus(url: string, { status, revocationNonce }: PassportStatus): void {
    const worst = this.#worst.get(url);
    if (worst !== undefined && revocationNonce < worst.revocationNonce) {
      reject('revocation-nonce-rolled-back', 'the revocation nonce of the issuer is lower than before');
    }
    const isRevoked = status === 'revoked' || worst?.status === 'revoked';
    this.#worst.set(url, { status: isRevoked ? 'revoked' : status, revocationNonce });
    if (isRevoked) reject('passport-revoked', 'the issuer has revoked the passport');
    if (status === 'suspended') reject('passport-suspended', 'the issuer has suspended the passport');
  }
}

/**
 * Fetches the metadata of an issuer. Any difference from the known issuer leads to a rejection (rule issuer-metadata). The
 * caller must check that the metadata belongs to the issuer of the passport.
 */
async function fetchMetadata(known: KnownIssuer, options: IssuerHostOptions): Promise<IssuerMetadata> {
  const url = known.discovery_uri;
  const found = await askIssuer(url, 'discovery', options);
  const [fault] = findMetadataFaults(found, known);
  if (fault !== undefined) {
    const code = fault.about === 'form' ? 'discovery-invalid' : 'discovery-mismatch';
    return reject(code, `${url} ${fault.message}`);
  }
  const { issuer, issuer_id, jwks_uri } = found as IssuerMetadata;
  return { issuer, issuer_id, jwks_uri };
}
