import type { Issuer, IssuerRegistry, TrustPolicy } from '../generated/schemas.js';
import { type Decision, decide } from '../policy/decide.js';

/** Which issuers to list. An issuer must match every member; for an array, it must match at least one value. */
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

/** A verified list and the queries on it. */
export interface Registry {
  /** The `updated_at` of the list. */
  readonly updatedAt: string;
  /** The payload hash: SHA-256 of the list, lower-case hexadecimal. */
  readonly sha256: string;
  /** The record of an issuer, with any status; undefined if the list has none. A record does not make an issuer trusted. */
  resolve(issuerId: string): Issuer | undefined;
  /** All issuers, or the issuers that match a filter, sorted by id. */
  list(filter?: IssuerFilter): Issuer[];
  /** Whether an issuer is trusted under a policy: {@link decide}. */
  decide(issuer: string | Issuer, policy: TrustPolicy): Decision;
}

/** The queries on a verified list. */
export function createRegistryView(
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
    // The caller's record is not evidence: the decision uses the record in the list with the same id.
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
