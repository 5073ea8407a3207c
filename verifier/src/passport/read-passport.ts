import { deepFreeze } from '../deep-freeze.js';
import { hashBase64url } from '../hash-now.js';
import { importPublicKey, type PublicKey, publicMembers } from '../public-key.js';
import { BoundedMap } from './bounded-map.js';
import { type PassportClaims, readClaims } from './claims.js';
import { type CompactJws, readJws } from './compact-jws.js';
import { Rejection, reject } from './verdict.js';

/** The `typ` of a passport. */
export const PASSPORT_TYPE = 'passport+jwt';

/** What a passport's token says, and what follows from it. Nothing of it is verified. */
export class ReadPassport {
  readonly token: string;
  readonly jws: CompactJws;
  readonly claims: PassportClaims;
  /** The name of the issuer's key. */
  readonly kid: string;
  #hash: string | undefined;
  #holder: Promise<PublicKey> | undefined;

  constructor(token: string, jws: CompactJws, claims: PassportClaims, kid: string) {
    this.token = token;
    this.jws = jws;
    this.claims = deepFreeze(claims);
    this.kid = kid;
  }

  /** The token's hash, as a proof has it. */
  hash(): string {
    this.#hash ??= hashBase64url(this.token);
    return this.#hash;
  }

  /** The key of the passport's holder. */
  holder(): Promise<PublicKey> {
    this.#holder ??= importPublicKey(this.claims.cnf.jwk, unusableKey);
    return this.#holder;
  }
}

/** Reads a passport's token: its form, type, algorithm and claims. */
export function readPassport(token: string, types: readonly string[]): ReadPassport {
  const jws = readJws(token, 'token', types);
  const { kid } = jws.header;
  if (typeof kid !== 'string' || kid.length > 256) {
    return reject('token-header', 'the token names no key (kid)');
  }
  const claims = readClaims(jws);
  publicMembers(claims.cnf.jwk, unusableKey);
  return new ReadPassport(token, jws, claims, kid);
}

function unusableKey(message: string, cause?: unknown): Rejection {
  return new Rejection([{ code: 'token-claims', message: `cnf.jwk ${message}` }], { cause });
}

/** About 6 kB each, and ten times that at worst. */
const MAX_TOKENS = 2_000;

/**
 * What was read of tokens that proved to be their issuers'. Reading is the same each time, so it is done once; whether
 * the token may be believed is asked anew each time, and its signature verified.
 */
export class ReadPassports {
  readonly #known = new BoundedMap<string, ReadPassport>(MAX_TOKENS);

  /** A passport that its issuer has signed, as it turned out before. */
  known(token: string): ReadPassport | undefined {
    return this.#known.get(token);
  }

  read(token: string): ReadPassport {
    return this.known(token) ?? readPassport(token, [PASSPORT_TYPE]);
  }

  /** Only what its issuer has signed, so that a stranger cannot push others out. */
  remember(passport: ReadPassport): void {
    this.#known.set(passport.token, passport);
  }
}
