import { hashBase64url } from '../core/bytes/sha256-sync.js';
import { type CheckedJwk, importChecked, type PublicKey, publicMembers } from '../core/keys/public-key.js';
import { type PassportClaims, readClaims } from './claims.js';
import { IssuerToken, readToken, type TokenParts } from './issuer-token.js';
import { Rejection } from './rejection.js';

/** The `typ` of a passport. */
export const PASSPORT_TYPE = 'passport+jwt';

/** The parsed token of a passport. */
export class ReadPassport extends IssuerToken<PassportClaims> {
  readonly #holderJwk: CheckedJwk;
  #hash: string | undefined;
  #holder: Promise<PublicKey> | undefined;

  constructor(parts: TokenParts, claims: PassportClaims) {
    super(parts, claims);
    this.#holderJwk = publicMembers(claims.cnf.jwk, rejectKey);
  }

  /** Returns the hash of the token, as in a proof. */
  hash(): string {
    this.#hash ??= hashBase64url(this.token);
    return this.#hash;
  }

  /** Returns the key of the passport's holder. */
  holder(): Promise<PublicKey> {
    this.#holder ??= importChecked(this.#holderJwk, rejectKey);
    return this.#holder;
  }
}

/** Parses the token of a passport, and checks its form, type, algorithm and claims. */
export function readPassport(token: string, types: readonly string[]): ReadPassport {
  const parts = readToken(token, types);
  return new ReadPassport(parts, readClaims(parts.jws));
}

function rejectKey(message: string, cause?: unknown): Rejection {
  return new Rejection([{ code: 'token-claims', message: `cnf.jwk ${message}` }], { cause });
}
