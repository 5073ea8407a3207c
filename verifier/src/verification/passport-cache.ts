import { LruMap } from '../lru-map.js';
import { PASSPORT_TYPE, type ReadPassport, readPassport } from '../passport/read-passport.js';

/** The maximum number of tokens. Each takes about 6 kB, and at most ten times as much. */
const MAX_TOKENS = 2_000;

/**
 * A cache of parsed tokens whose signatures were valid. A token is parsed, and its signature verified, once for its exact text
 * and for each key object of its issuer. Every use repeats all other checks, such as times, status and trust policy.
 */
export class PassportCache {
  readonly #passports = new LruMap<string, ReadPassport>(MAX_TOKENS);

  /** Returns a passport from the cache. */
  get(token: string): ReadPassport | undefined {
    return this.#passports.get(token);
  }

  /** Returns a passport from the cache, or parses the token. */
  read(token: string): ReadPassport {
    return this.get(token) ?? readPassport(token, [PASSPORT_TYPE]);
  }

  /** Adds a passport. Callers must add only verified passports, so that an attacker cannot evict others. */
  add(passport: ReadPassport): void {
    this.#passports.set(passport.token, passport);
  }
}
