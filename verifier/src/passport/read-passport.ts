import { deepFreeze } from '../core/bytes/deep-freeze.js';
import { hashBase64url } from '../core/bytes/sha256-sync.js';
import { type CheckedJwk, importChecked, type PublicKey, publicMembers } from '../core/keys/public-key.js';
import { type PassportClaims, readClaims } from './claims.js';
import { type CompactJws, readJws, verifyJws } from './passport-jws.js';
import { Rejection, reject } from './rejection.js';

/** The `typ` of a passport. */
export const PASSPORT_TYPE = 'passport+jwt';

/** The parts of a passport's token. */
interface PassportParts {
  readonly jws: CompactJws;
  readonly claims: PassportClaims;
  readonly kid: string;
  readonly holderJwk: CheckedJwk;
}

/** The parsed token of a passport. Nothing in it has been verified before {@link ReadPassport.verifySignature}. */
export class ReadPassport {
  readonly token: string;
  readonly jws: CompactJws;
  readonly claims: PassportClaims;
  /** The `kid` of the issuer's key. */
  readonly kid: string;
  readonly #holderJwk: CheckedJwk;
  #hash: string | undefined;
  #verifiedBy: PublicKey | undefined;
  #holder: Promise<PublicKey> | undefined;

  constructor(token: string, { jws, claims, kid, holderJwk }: PassportParts) {
    this.token = token;
    this.jws = jws;
    this.claims = deepFreeze(claims);
    this.kid = kid;
    this.#holderJwk = holderJwk;
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
  // Bytes can change after they have been verified.
  if (typeof token !== 'string') return reject('token-malformed', 'the token is not a string');
  const jws = readJws(token, 'token', { types });
  const { kid } = jws.header;
  if (typeof kid !== 'string' || kid.length > 256) {
    return reject('token-header', 'the token names no key (kid)');
  }
  const claims = readClaims(jws);
  const holderJwk = publicMembers(claims.cnf.jwk, rejectKey);
  return new ReadPassport(token, { jws, claims, kid, holderJwk });
}

function rejectKey(message: string, cause?: unknown): Rejection {
  return new Rejection([{ code: 'token-claims', message: `cnf.jwk ${message}` }], { cause });
}
