import { type Clock, hasPassed, isToCome } from '../core/bytes/clock.js';
import type { KnownIssuer } from '../http/issuer-documents.js';
import type { Issuers } from '../issuer/issuers.js';
import type { PassportClaims } from '../passport/claims.js';
import type { IssuerToken } from '../passport/issuer-token.js';
import type { ReadPassport } from '../passport/read-passport.js';
import { reject } from '../passport/rejection.js';
import type { Findings, RunCheck } from './verdict.js';

/** The issuer of a passport, and how to request its documents. */
interface PassportIssuer {
  readonly known: KnownIssuer;
  readonly issuers: Issuers;
  readonly clock: Clock;
}

/** The claims of every token of an issuer. */
interface CommonClaims {
  readonly iss: string;
  readonly iat: number;
  readonly nbf?: number;
  readonly exp: number;
}

/**
 * Verifies a passport with the documents of its issuer (rule run-time-order): metadata, keys, signature, times and
 * status.
 *
 * @returns the verified claims
 */
export async function verifyAtIssuer(
  passport: ReadPassport,
  { known, issuers, clock }: PassportIssuer,
  { check, findings }: { check: RunCheck; findings: Findings },
): Promise<PassportClaims> {
  const { claims } = passport;
  const { issuer_id } = claims;
  await verifyIssued(passport, { issuer_id, known, issuers }, check);
  findings.passport = claims;
  check('times', () => checkTimes(claims, clock));
  await check('status', async () => {
    if (claims.revocation_nonce !== (await issuers.revocationNonce(claims))) {
      reject('revocation-nonce-mismatch', 'the passport was issued before a revocation');
    }
  });
  return claims;
}

/** Verifies that an issuer has signed a token: with its metadata, which must name the same issuer, and its keys. */
export async function verifyIssued(
  token: IssuerToken<CommonClaims>,
  { issuer_id, known, issuers }: { issuer_id: string; known: KnownIssuer; issuers: Issuers },
  check: RunCheck,
): Promise<void> {
  const metadata = await check('discovery', async () => {
    const found = await issuers.metadata(known);
    if (token.claims.iss !== found.issuer)
      reject('iss-mismatch', `iss is not the issuer's URL, ${found.issuer}`);
    if (issuer_id !== found.issuer_id) {
      reject('discovery-mismatch', `the metadata belongs to the issuer ${JSON.stringify(found.issuer_id)}`);
    }
    return found;
  });
  const key = await check('jwks', () => issuers.key(metadata.jwks_uri, token.kid));
  await check('signature', () => token.verifySignature(key));
}

/** Asserts that a token is valid now. */
export function checkTimes({ iat, nbf, exp }: CommonClaims, clock: Clock): void {
  if (isToCome(Math.max(iat, nbf ?? iat) * 1000, clock)) {
    reject('token-not-yet-valid', 'the token is not valid yet');
  }
  if (hasPassed(exp * 1000, clock)) reject('token-expired', 'the token has expired');
}
