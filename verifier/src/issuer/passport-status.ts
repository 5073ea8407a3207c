import { isObject, oneOf } from '../core/bytes/checks.js';
import { PASSPORT_STATUSES } from '../core/generated/schemas.js';
import { LruMap } from '../lru-map.js';
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
  if (found === undefined) return reject('passport-unknown', `the issuer has no passport ${passport.sub}`);
  const { passport_did, passport_id, issuer_id, status, revocation_nonce } = isObject(found) ? found : {};
  if (!isStatus(status) || !Number.isSafeInteger(revocation_nonce) || Number(revocation_nonce) < 0) {
    return reject('status-invalid', `${url} has no status or no revocation nonce`);
  }
  const { sub, jti } = passport;
  if (passport_did !== sub || passport_id !== jti || issuer_id !== passport.issuer_id) {
    return reject('status-mismatch', `${url} describes another passport`);
  }
  return { status: status as PassportStatus['status'], revocationNonce: Number(revocation_nonce) };
}

/** Keeps the worst reported status of each passport, so that an issuer cannot roll a status back. */
export class WorstStatuses {
  readonly #worst: LruMap<string, PassportStatus>;

  constructor(maxPassports: number) {
    this.#worst = new LruMap(maxPassports);
  }

  /**
   * Rejects a status that is better than an earlier one. Revocation is final, and the nonce only grows
   * (rule status-memory).
   */
  check(url: string, { status, revocationNonce }: PassportStatus): void {
    const worst = this.#worst.get(url);
    if (worst !== undefined && revocationNonce < worst.revocationNonce) {
      reject('revocation-nonce-rolled-back', 'the revocation nonce of the issuer is lower than before');
    }
    const isRevoked = status === 'revoked' || worst?.status === 'revoked';
    this.#worst.set(url, { status: isRevoked ? 'revoked' : status, revocationNonce });
    if (isRevoked) reject('passport-revoked', 'the issuer has revoked the passport');
    if (status === 'suspended') reject('passport-suspended', 'the issuer has suspended the passport');
  }
}
