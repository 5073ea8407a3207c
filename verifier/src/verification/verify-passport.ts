import { hasPassed, isToCome } from '../core/bytes/clock.js';
import type { IssuerMetadata, KnownIssuer } from '../issuer/issuer-metadata.js';
import type { Issuers } from '../issuer/issuers.js';
import type { PassportClaims } from '../passport/claims.js';
import type { ReadPassport } from '../passport/read-passport.js';
import { reject } from '../passport/rejection.js';
import { type RunningClock, timeOf } from '../passport/running-clock.js';
import type { Findings, RunCheck } from './verdict.js';

/** The issuer of a passport, and how to request its documents. */
export interface PassportIssuer {
  readonly known: KnownIssuer;
  readonly issuers: Issuers;
  readonly clock: RunningClock;
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
  const { claims, kid } = passport;
  const metadata = await check('discovery', async () =>
    assertSameIssuer(claims, await issuers.metadata(known)),
  );
  const key = await check('jwks', () => issuers.key(metadata.jwks_uri, kid));
  await check('signature', () => passport.verifySignature(key));
  findings.passport = claims;
  check('times', () => checkTimes(claims, clock));
  await check('status', async () => {
    const { revocationNonce } = await issuers.status(claims);
    if (claims.revocation_nonce !== revocationNonce) {
      reject('revocation-nonce-mismatch', 'the passport was issued before a revocation');
    }
  });
  return claims;
}

function assertSameIssuer({ iss, issuer_id }: PassportClaims, metadata: IssuerMetadata): IssuerMetadata {
  if (iss !== metadata.issuer) reject('iss-mismatch', `iss is not the issuer's URL, ${metadata.issuer}`);
  if (issuer_id !== metadata.issuer_id) {
    reject('discovery-mismatch', `the metadata belongs to the issuer ${JSON.stringify(metadata.issuer_id)}`);
  }
  return metadata;
}

function checkTimes({ iat, nbf, exp }: PassportClaims, clock: RunningClock): void {
  if (isToCome(Math.max(iat, nbf ?? iat) * 1000, timeOf(clock))) {
    reject('token-not-yet-valid', 'the passport is not valid yet');
  }
  if (hasPassed(exp * 1000, timeOf(clock))) reject('token-expired', 'the passport has expired');
}
