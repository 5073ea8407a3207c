import { hashBase64url } from '../core/bytes/sha256-sync.js';
import { type PassportClaims, readClaims } from './claims.js';
import { HolderKey } from './holder-key.js';
import { IssuerToken, readToken, type TokenParts } from './issuer-token.js';

/** The `typ` of a passport. */
export const PASSPORT_TYPE = 'passport+jwt';

/** The parsed token of a passport. */
export class ReadPassport extends IssuerToken<PassportClaims> {
  /** The key of the passport's holder. */
  readonly holder: HolderKey;
  #hash: string | undefined;

  constructor(parts: TokenParts, claims: PassportClaims, holder: HolderKey) {
    super(parts, claims);
    this.holder = holder;
  }

  /** Returns the hash of the token, as in a proof. */
  hash(): string {
    this.#hash ??= hashBase64url(this.token);
    return this.#hash;
  }
}

/**
 * Parses the token of a passport, and checks its form, type, algorithm and claims.
 *
 * @param holderOf - returns the key for a `cnf.jwk`
 */
export function readPassport(
  token: string,
  types: readonly string[],
  holderOf: (jwk: object) => HolderKey = (jwk) => new HolderKey(jwk),
): ReadPassport {
  const parts = readToken(token, types);
  const claims = readClaims(parts.jws);
  return new ReadPassport(parts, claims, holderOf(claims.cnf.jwk));
}
