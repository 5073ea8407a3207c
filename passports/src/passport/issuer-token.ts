import { type CompactJws, deepFreeze, type PublicKey } from '@passport-registry/verifier/core';
import { findKidFault } from '../documents/issuer-documents.js';
import { readJws, verifyJws } from './passport-jws.js';
import { reject } from './rejection.js';

/** The parsed token of an issuer. Nothing in it has been verified before {@link IssuerToken.verifySignature}. */
export class IssuerToken<Claims extends object> {
  readonly jws: CompactJws;
  readonly claims: Claims;
  /** The `kid` of the issuer's key. */
  readonly kid: string;
  #verifiedBy: PublicKey | undefined;

  /**
   * Parses a token. Checks its form, type and algorithm, and that it names a key.
   *
   * @param types - the accepted values of `typ`
   * @param readClaims - checks the claims
   */
  constructor(token: string, types: readonly string[], readClaims: (jws: CompactJws) => Claims) {
    // Bytes can change after they have been verified.
    if (typeof token !== 'string') reject('token-malformed', 'the token is not a string');
    this.jws = readJws(token, 'token', types);
    const { kid } = this.jws.header;
    const fault = findKidFault(kid);
    if (fault !== undefined) reject('token-header', `the token ${fault}`);
    this.kid = kid as string;
    this.claims = deepFreeze(readClaims(this.jws));
  }

  /**
   * Verifies the signature, once for each key. When the issuer's keys are requested again, they are other objects, under which
   * the signature is verified again.
   */
  async verifySignature(key: PublicKey): Promise<void> {
    if (this.#verifiedBy === key) return;
    await verifyJws(this.jws, 'token', key);
    this.#verifiedBy = key;
  }
}
