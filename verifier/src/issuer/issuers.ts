import type { PassportClaims } from '../passport/claims.js';
import type { PublicKey } from '../trust/public-key.js';
import { AsyncCache } from './async-cache.js';
import { type IssuerHostOptions, isUnreachable } from './issuer-host.js';
import { fetchKeys, hasKey, type IssuerKeys, keyNamed } from './issuer-keys.js';
import { fetchMetadata, type IssuerMetadata, type KnownIssuer } from './issuer-metadata.js';
import { fetchStatus, type PassportStatus, statusAddress, WorstKnown } from './passport-status.js';

/** How many issuers and passports the caches hold. */
const MAX_ISSUERS = 1_000;
const MAX_PASSPORTS = 100_000;

/** How to send requests to issuers, and how long to use their answers. Times are in milliseconds. */
export interface IssuerCacheOptions {
  readonly host: IssuerHostOptions;
  readonly clock: { readonly now: () => number };
  readonly metadataMaxAge: number;
  readonly statusMaxAge: number;
  readonly grace: number;
  readonly cooldown: number;
}

/** The answers of issuers, cached for as long as the options allow. */
export class Issuers {
  readonly #host: IssuerHostOptions;
  readonly #metadata: AsyncCache<IssuerMetadata>;
  readonly #keys: AsyncCache<IssuerKeys>;
  readonly #statuses: AsyncCache<PassportStatus>;
  readonly #worst = new WorstKnown(MAX_PASSPORTS);

  constructor({ host, clock, metadataMaxAge, statusMaxAge, grace, cooldown }: IssuerCacheOptions) {
    this.#host = host;
    const shared = { grace, cooldown, now: clock.now, isTransient: isUnreachable };
    this.#metadata = new AsyncCache({ ...shared, maxAge: metadataMaxAge, maxEntries: MAX_ISSUERS });
    this.#keys = new AsyncCache({ ...shared, maxAge: metadataMaxAge, maxEntries: MAX_ISSUERS });
    this.#statuses = new AsyncCache({ ...shared, maxAge: statusMaxAge, maxEntries: MAX_PASSPORTS });
  }

  /** The issuer's metadata. */
  metadata(known: KnownIssuer): Promise<IssuerMetadata> {
    const { discovery_uri, jwks_uri } = known;
    // The checks compare the metadata with one record, so the record is part of the key.
    const key = JSON.stringify([discovery_uri, jwks_uri]);
    return this.#metadata.get(key, () => fetchMetadata(known, this.#host));
  }

  /** A key of an issuer. A missing key may be new: the keys are then requested again, within the cooldown. */
  async key(jwksUri: string, kid: string): Promise<PublicKey> {
    const load = () => fetchKeys(jwksUri, this.#host);
    let keys = await this.#keys.get(jwksUri, load);
    if (!hasKey(keys, kid)) keys = await this.#keys.newer(jwksUri, load);
    return keyNamed(keys, kid);
  }

  /** The status of a passport. Rejects if the issuer has reported a worse status before. */
  async status(passport: PassportClaims): Promise<PassportStatus> {
    // The address is the key, because two issuers may use the same passport id.
    const address = statusAddress(passport);
    const status = await this.#statuses.get(address, () => fetchStatus(passport, this.#host));
    this.#worst.check(address, status);
    return status;
  }
}
