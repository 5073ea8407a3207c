import { importPublicKey, type PublicKey, publicMembers } from '../public-key.js';
import { BoundedMap } from './bounded-map.js';
import { type PassportClaims, readClaims } from './claims.js';
import { hasPassed, isToCome, type TolerantClock } from './clock.js';
import { type CompactJws, readJws, verifyJws } from './compact-jws.js';
import type { IssuerMetadata, KnownIssuer } from './issuer-metadata.js';
import type { Issuers } from './issuers.js';
import { type Findings, Rejection, type RunCheck, reject } from './verdict.js';

/** The `typ` of a passport. */
export const PASSPORT_TYPE = 'passport+jwt';

/** A passport of which nothing is verified yet. */
export interface UnverifiedPassport {
  readonly jws: CompactJws;
  readonly claims: PassportClaims;
  readonly kid: string;
}

/** Reads a passport's token: its form, type, algorithm and claims. */
export function readPassport(token: unknown, types: readonly string[]): UnverifiedPassport {
  const jws = readJws(token, 'token', types);
  const { kid } = jws.header;
  if (typeof kid !== 'string' || kid.length > 256) reject('token-header', 'the token names no key (kid)');
  const claims = readClaims(jws);
  publicMembers(claims.cnf.jwk, unusableKey);
  return { jws, claims, kid: kid as string };
}

/**
 * The runtime verification of a passport (SPEC A3) once its issuer is known: metadata, keys, signature, times, status.
 *
 * @returns the claims, which from here on may be believed
 */
export async function verifyAtIssuer(
  { jws, claims, kid }: UnverifiedPassport,
  known: KnownIssuer,
  issuers: Issuers,
  clock: TolerantClock,
  check: RunCheck,
  findings: Findings,
): Promise<PassportClaims> {
  const metadata = await check('discovery', async () => sameIssuer(claims, await issuers.metadata(known)));
  const key = await check('jwks', () => issuers.key(metadata.jwks_uri, kid));
  await check('signature', () => verifyJws(jws, 'token', key));
  findings.passport = claims;
  await check('times', () => checkTimes(claims, clock));
  await check('status', async () => {
    const { revocationNonce } = await issuers.status(claims);
    if (claims.revocation_nonce !== revocationNonce) {
      reject('revocation-nonce-mismatch', 'the passport was issued before a revocation');
    }
  });
  return claims;
}

function sameIssuer({ iss, issuer_id }: PassportClaims, metadata: IssuerMetadata): IssuerMetadata {
  if (iss !== metadata.issuer) reject('iss-mismatch', `iss is not the issuer's address, ${metadata.issuer}`);
  if (issuer_id !== metadata.issuer_id) {
    reject('discovery-mismatch', `the issuer's metadata are of ${JSON.stringify(metadata.issuer_id)}`);
  }
  return metadata;
}

function checkTimes({ iat, nbf, exp }: PassportClaims, clock: TolerantClock): void {
  if (isToCome(Math.max(iat, nbf ?? iat) * 1000, clock)) {
    reject('token-not-yet-valid', 'the passport is not valid yet');
  }
  if (hasPassed(exp * 1000, clock)) reject('token-expired', 'the passport has expired');
}

/** The keys of passport holders, ready to verify with. */
export class HolderKeys {
  readonly #known = new BoundedMap<string, PublicKey>(10_000);

  async import({ cnf }: PassportClaims): Promise<PublicKey> {
    const { kty, crv, x, y } = cnf.jwk;
    const name = JSON.stringify([kty, crv, x, y]);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const key = await importPublicKey(cnf.jwk, unusableKey);
    this.#known.set(name, key);
    return key;
  }
}

function unusableKey(message: string, cause?: unknown): Rejection {
  return new Rejection([{ code: 'token-claims', message: `cnf.jwk ${message}` }], { cause });
}
