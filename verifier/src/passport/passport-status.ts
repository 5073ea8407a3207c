import { isObject } from '../checks.js';
import { BoundedMap } from './bounded-map.js';
import type { PassportClaims } from './claims.js';
import { askIssuer, type IssuerHostOptions } from './issuer-host.js';
import { reject } from './verdict.js';

/** What the issuer says of a passport now (SPEC B9). */
export interface PassportStatus {
  readonly status: 'active' | 'suspended' | 'revoked';
  readonly revocationNonce: number;
}

const STATUSES: readonly unknown[] = ['active', 'suspended', 'revoked'];

/** The address at which an issuer tells the status of a passport. */
export function statusAddress({ iss, sub }: PassportClaims): string {
  return `${iss.replace(/\/$/, '')}/v1/passports/${sub}`;
}

/** Asks the issuer of a passport for its status. */
export async function fetchStatus(
  passport: PassportClaims,
  options: IssuerHostOptions,
): Promise<PassportStatus> {
  const url = statusAddress(passport);
  const found = await askIssuer(url, 'status', options);
  if (found === undefined) return reject('passport-unknown', `the issuer has no passport ${passport.sub}`);
  const { passport_did, passport_id, issuer_id, status, revocation_nonce } = isObject(found) ? found : {};
  if (!STATUSES.includes(status) || !Number.isSafeInteger(revocation_nonce) || Number(revocation_nonce) < 0) {
    return reject('status-invalid', `${url} lacks a status or a revocation nonce`);
  }
  const { sub, jti } = passport;
  if (passport_did !== sub || passport_id !== jti || issuer_id !== passport.issuer_id) {
    return reject('status-mismatch', `${url} is of another passport`);
  }
  return { status: status as PassportStatus['status'], revocationNonce: Number(revocation_nonce) };
}

/** The worst that was ever heard of each passport, so that an issuer that goes back in time is not believed. */
export class WorstKnown {
  readonly #worst: BoundedMap<string, PassportStatus>;

  constructor(maxPassports: number) {
    this.#worst = new BoundedMap(maxPassports);
  }

  /** What the issuer says, unless it has said worse before. Revocation is final, and a nonce only grows (SPEC B11). */
  check(address: string, { status, revocationNonce }: PassportStatus): void {
    const worst = this.#worst.get(address);
    if (worst !== undefined && revocationNonce < worst.revocationNonce) {
      reject('revocation-nonce-rolled-back', 'the revocation nonce at the issuer is lower than it has been');
    }
    const revoked = status === 'revoked' || worst?.status === 'revoked';
    this.#worst.set(address, { status: revoked ? 'revoked' : status, revocationNonce });
    if (revoked) reject('passport-revoked', 'the issuer has revoked the passport');
    if (status === 'suspended') reject('passport-suspended', 'the issuer has suspended the passport');
  }
}
