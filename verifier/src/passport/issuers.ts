import type { PublicKey } from '../public-key.js';
import type { PassportClaims } from './claims.js';
import { isUnreachable } from './issuer-host.js';
import { fetchKeys, hasKey, type IssuerKeys, keyNamed } from './issuer-keys.js';
import { fetchMetadata, type IssuerMetadata, type KnownIssuer } from './issuer-metadata.js';
import type { withDefaults } from './options.js';
import { fetchStatus, type PassportStatus, statusAddress, WorstKnown } from './passport-status.js';
import { Remembered } from './remembered.js';

/** Issuers and passports whose answers are kept at one time. */
const MAX_ISSUERS = 1_000;
const MAX_PASSPORTS = 100_000;

/** What issuers say, kept for as long as the options allow. */
export class Issuers {
  readonly #host;
  readonly #metadata: Remembered<IssuerMetadata>;
  readonly #keys: Remembered<IssuerKeys>;
  readonly #statuses: Remembered<PassportStatus>;
  readonly #worst = new WorstKnown(MAX_PASSPORTS);

  constructor({
    host,
    clock,
    metadataMaxAge,
    statusMaxAge,
    grace,
    cooldown,
  }: ReturnType<typeof withDefaults>) {
    this.#host = host;
    const shared = { grace, cooldown, now: clock.now, isPassing: isUnreachable };
    this.#metadata = new Remembered({ ...shared, maxAge: metadataMaxAge, maxEntries: MAX_ISSUERS });
    this.#keys = new Remembered({ ...shared, maxAge: metadataMaxAge, maxEntries: MAX_ISSUERS });
    this.#statuses = new Remembered({ ...shared, maxAge: statusMaxAge, maxEntries: MAX_PASSPORTS });
  }

  /** The issuer's metadata. */
  metadata(known: KnownIssuer): Promise<IssuerMetadata> {
    const { discovery_uri, jwks_uri } = known;
    // What was found right for one record says nothing about another.
    const key = JSON.stringify([discovery_uri, jwks_uri]);
    return this.#metadata.get(key, () => fetchMetadata(known, this.#host));
  }

  /** A key of an issuer. One that is not there may be new: the keys are then asked for again, not too often. */
  async key(jwksUri: string, kid: string): Promise<PublicKey> {
    const load = () => fetchKeys(jwksUri, this.#host);
    let keys = await this.#keys.get(jwksUri, load);
    if (!hasKey(keys, kid)) keys = await this.#keys.newer(jwksUri, load);
    return keyNamed(keys, kid);
  }

  /** What the issuer says of a passport, unless it has said worse before. */
  async status(passport: PassportClaims): Promise<PassportStatus> {
    // By address: two issuers may have passports of one id, and must not meet.
    const address = statusAddress(passport);
    const status = await this.#statuses.get(address, () => fetchStatus(passport, this.#host));
    this.#worst.check(address, status);
    return status;
  }
}
