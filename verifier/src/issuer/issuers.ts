import type { Clock } from '../core/bytes/clock.js';
import type { PublicKey } from '../core/keys/public-key.js';
import type { IssuerMetadata, KnownIssuer } from '../http/issuer-documents.js';
import type { PassportClaims } from '../passport/claims.js';
import { AsyncCache } from './async-cache.js';
import { type IssuerHostOptions, isUnreachable } from './issuer-host.js';
import { fetchKeys, findKey, hasKey, type IssuerKeys } from './issuer-keys.js';
import { fetchMetadata } from './issuer-metadata.js';
import { fetchStatus, type PassportStatus, statusUrl, WorstStatuses } from './passport-status.js';

/** The maximum numbers of issuers and passports in the caches. */
const MAX_ISSUERS = 1_000;
const MAX_PASSPORTS = 100_000;

/** How to send requests to issuers, and how long to cache their responses. Times are in milliseconds. */
export interface IssuerCacheOptions {
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
  readonly #worst = new WorstStatuses(MAX_PASSPORTS);

  constructor({ host, clock, metadataMaxAge, statusMaxAge, grace, cooldown }: IssuerCacheOptions) {
    this.#host = host;
    const shared = { grace, cooldown, now: () => clock.now, isTransient: isUnreachable };
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

  /** Returns a key of an issuer. A missing key may be new, so the keys are then requested again after the cooldown. */
  async key(jwksUri: string, kid: string): Promise<PublicKey> {
    const load = () => fetchKeys(jwksUri, this.#host);
    let keys = await this.#keys.get(jwksUri, load);
    if (!hasKey(keys, kid)) keys = await this.#keys.getNewer(jwksUri, load);
    return findKey(keys, kid);
  }

  /** Returns the status of a passport. Rejects the status if the issuer has reported a worse one before. */
  async status(passport: PassportClaims): Promise<PassportStatus> {
    // The URL is the cache key, because two issuers may use the same passport id.
    const url = statusUrl(passport);
    const status = await this.#statuses.get(url, () => fetchStatus(passport, this.#host));
    this.#worst.check(url, status);
    return status;
  }
}
