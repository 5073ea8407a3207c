import { LruMap } from '../issuer/lru-map.js';
import { PASSPORT_TYPE, type ReadPassport, readPassport } from '../passport/read-passport.js';

/** About 6 kB each, and up to ten times as much. */
const MAX_TOKENS = 2_000;

/**
 * Parsed tokens whose signature has been verified before. Only the parsing is cached: every use of a token is verified
 * again, including its signature.
 */
export class PassportCache {
  readonly #passports = new LruMap<string, ReadPassport>(MAX_TOKENS);

  /** A passport from the cache. */
  get(token: string): ReadPassport | undefined {
    return this.#passports.get(token);
  }

  read(token: string): ReadPassport {
    return this.get(token) ?? readPassport(token, [PASSPORT_TYPE]);
  }

  /** Add only verified passports, so that an attacker cannot evict the others. */
  add(passport: ReadPassport): void {
    this.#passports.set(passport.token, passport);
  }
}
