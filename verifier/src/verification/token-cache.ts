import { LruMap } from '../lru-map.js';

/** The maximum number of tokens. Each takes about 6 kB, and at most ten times as much. */
const MAX_TOKENS = 2_000;

/**
 * A cache of parsed tokens whose signatures were valid. A token is parsed, and its signature verified, once for its exact text
 * and for each key object of its issuer. Every use repeats all other checks, such as times, status and trust policy.
 */
export class TokenCache<Token extends { readonly token: string }> {
  readonly #tokens = new LruMap<string, Token>(MAX_TOKENS);
  readonly #parse: (token: string) => Token;

  constructor(parse: (token: string) => Token) {
    this.#parse = parse;
  }

  /** Returns a token from the cache. */
  get(token: string): Token | undefined {
    return this.#tokens.get(token);
  }

  /** Returns a token from the cache, or parses it. */
  read(token: string): Token {
    return this.get(token) ?? this.#parse(token);
  }

  /** Adds a token. Callers must add only verified tokens, so that an attacker cannot evict others. */
  add(token: Token): void {
    this.#tokens.set(token.token, token);
  }
}
