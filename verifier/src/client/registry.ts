import { deepFreeze } from '../core/bytes/deep-freeze.js';
import type { Issuer, TrustPolicy } from '../core/generated/schemas.js';
import type { AcceptedStatements } from '../core/publication/statements.js';
import { type Decision, decideWith } from '../policy/decide.js';

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
   * The ids of the issuers that the checkpoint holds, sorted. `decide` rejects them, and filters treat them as suspended.
   * Their records are as signed. Frozen.
   */
  readonly hold: readonly string[];
  /**
   * Returns the record of an issuer, whatever its status. Returns undefined if there is no such record. A record alone
   * does not make an issuer trusted. Records are frozen.
   */
  resolve(issuerId: string): Issuer | undefined;
  /** Returns all issuers, or the issuers that match a filter, sorted by id. A held issuer does not match `active`. */
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
  { updatedAt, sha256, checkpoint }: AcceptedStatements,
  now: () => number,
): Registry {
  const { hold } = checkpoint;
  return {
    updatedAt,
    sha256,
    hold,
    resolve: (id) => frozen(records.get(id)),
    list: (filter = {}) => records.issuers.filter((issuer) => matches(frozen(issuer), filter, hold)),
    // The caller's record proves nothing. The decision uses the record with the same id in the list.
    decide: (issuer, policy) =>
      decideWith(frozen(records.get(typeof issuer === 'string' ? issuer : issuer.issuer_id)), policy, {
        now,
        hold,
      }),
  };
}

/** Creates a registry that calls `current` for every query. `current` throws once the list is stale. */
export function withFreshnessCheck(current: () => Registry): Registry {
  return {
    get updatedAt() {
      return current().updatedAt;
    },
    get sha256() {
      return current().sha256;
    },
    get hold() {
      return current().hold;
    },
    resolve: (id) => current().resolve(id),
    list: (filter) => current().list(filter),
    decide: (issuer, policy) => current().decide(issuer, policy),
  };
}

/** Freezes a record before anybody gets it. Later decisions use the same record. */
function frozen<T extends Issuer | undefined>(record: T): T {
  return Object.isFrozen(record) ? record : deepFreeze(record);
}

function matches(
  issuer: Issuer,
  { tiers, statuses, domain, geography, passportType }: IssuerFilter,
  hold: readonly string[],
): boolean {
  const isHeld = issuer.status === 'active' && hold.includes(issuer.issuer_id);
  const status = isHeld ? 'suspended' : issuer.status;
  return (
    (tiers?.includes(issuer.tier) ?? true) &&
    (statuses?.includes(status) ?? true) &&
    (domain === undefined || issuer.domain_scope?.includes(domain) === true) &&
    (geography === undefined || issuer.geographical_scope?.includes(geography) === true) &&
    (passportType === undefined || issuer.passport_types?.includes(passportType) === true)
  );
}
