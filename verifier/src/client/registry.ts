import type { Issuer, TrustPolicy } from '../generated/schemas.js';
import { type Decision, decide } from '../policy/decide.js';

/** Selects issuers. An issuer must match every member of the filter, and at least one value of each array. */
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

/** A verified list, and queries on it. */
export interface Registry {
  /** The `updated_at` of the list. */
  readonly updatedAt: string;
  /** The payload hash: SHA-256 of the list, in lower-case hexadecimal. */
  readonly sha256: string;
  /**
   * Returns the record of an issuer, whatever its status. Returns undefined if there is no such record. A record alone
   * does not make an issuer trusted.
   */
  resolve(issuerId: string): Issuer | undefined;
  /** Returns all issuers, or the issuers that match a filter, sorted by id. */
  list(filter?: IssuerFilter): Issuer[];
  /** Decides whether a policy trusts an issuer. See {@link decide}. */
  decide(issuer: string | Issuer, policy: TrustPolicy): Decision;
}

/** The records of a verified list. */
interface Records {
  readonly issuers: readonly Issuer[];
  get(issuerId: string): Issuer | undefined;
}

/** Creates the queries on a verified list. */
export function createRegistryView(
  records: Records,
  { updatedAt, sha256 }: Pick<Registry, 'updatedAt' | 'sha256'>,
  now: () => number,
): Registry {
  return {
    updatedAt,
    sha256,
    resolve: (id) => records.get(id),
    list: (filter = {}) => records.issuers.filter((issuer) => matches(issuer, filter)),
    // The caller's record proves nothing. The decision uses the record with the same id in the list.
    decide: (issuer, policy) =>
      decide(records.get(typeof issuer === 'string' ? issuer : issuer.issuer_id), policy, now()),
  };
}

function matches(
  issuer: Issuer,
  { tiers, statuses, domain, geography, passportType }: IssuerFilter,
): boolean {
  return (
    (tiers?.includes(issuer.tier) ?? true) &&
    (statuses?.includes(issuer.status) ?? true) &&
    (domain === undefined || issuer.domain_scope?.includes(domain) === true) &&
    (geography === undefined || issuer.geographical_scope?.includes(geography) === true) &&
    (passportType === undefined || issuer.passport_types?.includes(passportType) === true)
  );
}
