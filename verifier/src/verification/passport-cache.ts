import { LruMap } from '../lru-map.js';
import { PASSPORT_TYPE, type ReadPassport, readPassport } from '../passport/read-passport.js';

/** The maximum number of tokens. Each takes about 6 kB, and at most ten times as much. */
const MAX_TOKENS = 2_000;

/**
 * A cache of parsed tokens whose signatures were valid. Only the parsing is cached: every use of a token repeats all
 * checks, including the check of the signature.
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
