import {
  type CheckedJwk,
  hashBase64url,
  type Invalid,
  importChecked,
  type PublicKey,
  publicMembers,
} from '@passport-registry/verifier/core';
import { type PassportClaims, readClaims } from './claims.js';
import { IssuerToken } from './issuer-token.js';
import { rejection } from './rejection.js';

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

/** The checked public key of a passport's holder. It is imported at its first use. */
export class HolderKey {
  readonly #jwk: CheckedJwk;
  #imported: Promise<PublicKey> | undefined;

  /** @param jwk - the `cnf.jwk` of a passport */
  constructor(jwk: unknown) {
    this.#jwk = publicMembers(jwk, invalid);
  }

  imported(): Promise<PublicKey> {
    this.#imported ??= importChecked(this.#jwk, invalid);
    return this.#imported;
  }
}

const invalid: Invalid = (message, cause) => rejection('token-claims', `cnf.jwk ${message}`, cause);
