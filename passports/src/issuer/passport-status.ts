import { isCount, isObject, oneOf } from '@passport-registry/verifier/core';
import { PASSPORT_STATUSES } from '../generated/agents.js';
import type { PassportClaims } from '../passport/claims.js';
import { reject } from '../passport/rejection.js';
import { askIssuer, type IssuerHostOptions } from './issuer-host.js';

/** The current status of a passport, as its issuer reports it (rule issuer-status). */
export interface PassportStatus {
  readonly status: (typeof PASSPORT_STATUSES)[number];
  readonly revocationNonce: number;
}

const isStatus = oneOf(PASSPORT_STATUSES);

/** Returns the URL of a passport's status at its issuer. */
export function statusUrl({ iss, sub }: PassportClaims): string {
  return `${iss.replace(/\/$/, '')}/v1/passports/${sub}`;
}

/** Fetches the status of a passport from its issuer. */
export async function fetchStatus(
  passport: PassportClaims,
  options: IssuerHostOptions,
): Promise<PassportStatus> {
  const url = statusUrl(passport);
  const found = await askIssuer(url, 'status', options);
  const { passport_did, passport_id, issuer_id, status, revocation_nonce } = isObject(found) ? found : {};
  if (!isStatus(status) || !isCount(revocation_nonce)) {
    return reject('status-invalid', `${url} has no status or no revocation nonce`);
  }
  const { sub, jti } = passport;
  if (passport_did !== sub || passport_id !== jti || issuer_id !== passport.issuer_id) {
    return reject('status-mismatch', `${url} describes another passport`);
  }
  return { status: status as PassportStatus['status'], revocationNonce: revocation_nonce };
}
