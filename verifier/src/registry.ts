import { type Decision, decide } from './decide.js';
import type { Issuer, IssuerRegistry, TrustPolicy } from './generated/schemas.js';

/** Which issuers to list. Each member narrows; arrays name the values of which one must fit. */
export interface IssuerFilter {
  readonly tiers?: readonly Issuer['tier'][];
  readonly statuses?: readonly Issuer['status'][];
  /** A value that must be among the issuer's `domain_scope`. */
  readonly domain?: string;
  /** A value that must be among the issuer's `geographical_scope`. */
  readonly geography?: string;
  /** A value that must be among the issuer's `passport_types`. */
  readonly passportType?: string;
}

/** A list that may be trusted, with its questions. */
export interface Registry {
  /** The `updated_at` of the list. */
  readonly updatedAt: string;
  /** The payload hash: SHA-256 of the list, lower-case hexadecimal. */
  readonly sha256: string;
  /** The record of an issuer, whatever its status; undefined when there is none. Finding one is no acceptance. */
  resolve(issuerId: string): Issuer | undefined;
  /** All issuers, or those that a filter lets through, by id. */
  list(filter?: IssuerFilter): Issuer[];
  /** Whether an issuer is trusted under a policy: {@link decide}. */
  decide(issuer: string | Issuer, policy: TrustPolicy): Decision;
}

/** The questions over a verified list. */
export function indexed(
  { issuers, updated_at }: IssuerRegistry,
  sha256: string,
  now: () => number,
): Registry {
  const byId = new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
  return {
    updatedAt: updated_at,
    sha256,
    resolve: (id) => byId.get(id),
    list: (filter = {}) => issuers.filter((issuer) => fits(issuer, filter)),
    // A record from elsewhere is no evidence: what counts is what the list has under its id.
    decide: (issuer, policy) =>
      decide(byId.get(typeof issuer === 'string' ? issuer : issuer.issuer_id), policy, now()),
  };
}

function fits(issuer: Issuer, { tiers, statuses, domain, geography, passportType }: IssuerFilter): boolean {
  return (
    (tiers?.includes(issuer.tier) ?? true) &&
    (statuses?.includes(issuer.status) ?? true) &&
    (domain === undefined || issuer.domain_scope?.includes(domain) === true) &&
    (geography === undefined || issuer.geographical_scope?.includes(geography) === true) &&
    (passportType === undefined || issuer.passport_types?.includes(passportType) === true)
  );
}
