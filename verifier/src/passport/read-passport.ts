import { hashBase64url } from '../core/bytes/sha256-sync.js';
import { type PassportClaims, readClaims } from './claims.js';
import { HolderKey } from './holder-key.js';
import { IssuerToken } from './issuer-token.js';

/** The `typ` of a passport. */
export const PASSPORT_TYPE = 'passport+jwt';

/** The parsed token of a passport, whose form, type, algorithm and claims have been checked. */
export class ReadPassport extends IssuerToken<PassportClaims> {
  /** The key of the passport's holder. */
  readonly holder: HolderKey;
  #hash: string | undefined;

  /** @param holderOf - returns the key for a `cnf.jwk` */
  constructor(token: string, types: readonly string[], holderOf = (jwk: object) => new HolderKey(jwk)) {
    super(token, types, readClaims);
    this.holder = holderOf(this.claims.cnf.jwk);
  }

  /** Returns the hash of the token, as in a proof. */
  hash(): string {
    this.#hash ??= hashBase64url(this.jws.text);
    return this.#hash;
  }
}
