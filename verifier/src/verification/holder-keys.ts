import { LruMap } from '../lru-map.js';
import { HolderKey } from '../passport/holder-key.js';
import type { ReadPassport } from '../passport/read-passport.js';

/** The maximum number of keys. */
const MAX_KEYS = 2_000;

/**
 * The keys of holders whose passports were valid, by the exact text of the JWK. An agent renews its passport often, and keeps
 * its key: the key is checked and imported once.
 */
export class HolderKeys {
  readonly #keys = new LruMap<string, HolderKey>(MAX_KEYS);

  /** Returns the key that a passport names. */
  read(jwk: object): HolderKey {
    return this.#keys.get(JSON.stringify(jwk)) ?? new HolderKey(jwk);
  }

  /** Adds the key of a passport. Callers must add only those of verified passports, so that an attacker cannot evict others. */
  add({ claims, holder }: ReadPassport): void {
    this.#keys.set(JSON.stringify(claims.cnf.jwk), holder);
  }
}
