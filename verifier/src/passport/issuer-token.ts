import { deepFreeze } from '../core/bytes/deep-freeze.js';
import type { PublicKey } from '../core/keys/public-key.js';
import { type CompactJws, readJws, verifyJws } from './passport-jws.js';
import { reject } from './rejection.js';

/** The parsed token of an issuer. Nothing in it has been verified before {@link IssuerToken.verifySignature}. */
export class IssuerToken<Claims extends object> {
  readonly token: string;
  readonly jws: CompactJws;
  readonly claims: Claims;
  /** The `kid` of the issuer's key. */
  readonly kid: string;
  #verifiedBy: PublicKey | undefined;

  constructor({ token, jws, kid }: TokenParts, claims: Claims) {
    this.token = token;
    this.jws = jws;
    this.claims = deepFreeze(claims);
    this.kid = kid;
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

/** A token whose form is valid, whatever its claims. */
export interface TokenParts {
  readonly token: string;
  readonly jws: CompactJws;
  readonly kid: string;
}

/** Parses the token of an issuer. Checks its form, type and algorithm, and that it names a key. */
export function readToken(token: string, types: readonly string[]): TokenParts {
  // Bytes can change after they have been verified.
  if (typeof token !== 'string') return reject('token-malformed', 'the token is not a string');
  const jws = readJws(token, 'token', { types });
  const { kid } = jws.header;
  if (typeof kid !== 'string' || kid.length > 256) {
    return reject('token-header', 'the token names no key (kid)');
  }
  return { token, jws, kid };
}
