import type { Issuer, TrustPolicy } from '../core/generated/schemas.js';
import { instantOf } from '../core/list/date-time.js';
import { compilePolicy } from './trust-policy.js';

/** The stable codes of the reasons to accept or reject an issuer. */
export type ReasonCode =
  | 'issuer-unknown'
  | 'status-suspended'
  | 'status-revoked'
  | 'issuer-held'
  | 'denied'
  | 'tier-not-accepted'
  | 'domain-not-covered'
  | 'geography-not-covered'
  | 'passport-type-not-covered'
  | 'certified-too-recently'
  | 'audit-missing'
  | 'audit-too-old'
  | 'allowed'
  | 'policy-met';

/** One reason of a decision. */
export interface Reason {
  readonly code: ReasonCode;
  /** A message for people. May change. */
  readonly message: string;
}

/** Whether an issuer is trusted, with all reasons. */
export interface Decision {
  readonly accepted: boolean;
  readonly reasons: readonly Reason[];
  /** The issuer's record. Undefined if the registry has no such record. */
  readonly issuer: Issuer | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Applies a local trust policy to an issuer (docs/protocol.md#trust-policy). If the issuer has no record, or its status
 * is not `active`, every policy rejects the issuer. `deny` comes next, then `allow`, then all other requirements.
 *
 * This function does not know which issuers the checkpoint holds. The `decide` of a registry, and that of a look-up, do.
 *
 * A missing scope and an empty scope mean the same: neither covers a value that the policy names
 * (docs/protocol.md#scope-absent).
 *
 * @param issuer - the record from a verified list. Undefined if the list has no such issuer
 * @param policy - plain JSON. The first use checks and freezes the policy
 * @param now - the current time in milliseconds since 1970
 * @throws `ERR_POLICY_INVALID`
 *
 * @example
 * ```ts
 * import { decide } from '@passport-registry/verifier';
 *
 * const { accepted, reasons } = decide(undefined, { tiers: ['founding', 'certified'] });
 * console.log(accepted, reasons[0].code); // false issuer-unknown
 * ```
 */
export function decide(issuer: Issuer | undefined, policy: TrustPolicy, now: number = Date.now()): Decision {
  return decideWith(issuer, policy, { now, hold: undefined });
}

/** What a decision depends on besides the record and the policy. */
export interface Circumstances {
  /** The current time in milliseconds since 1970. */
  readonly now: number;
  /** The ids that the checkpoint holds (rule hold). Undefined without a checkpoint. */
  readonly hold: readonly string[] | undefined;
}

/** Does what {@link decide} does, and also rejects an issuer that the checkpoint holds. */
export function decideWith(
  issuer: Issuer | undefined,
  policy: TrustPolicy,
  { now, hold }: Circumstances,
): Decision {
  const { allow, deny } = compilePolicy(policy);
  if (issuer === undefined) return rejectIssuer(issuer, [UNKNOWN]);
  const reasons: Reason[] = [];
  if (issuer.status !== 'active') {
    reasons.push({
      code: `status-${issuer.status}`,
      message: `the registry has ${issuer.status} the issuer`,
    });
  }
  if (hold?.includes(issuer.issuer_id)) reasons.push(HELD);
  const denied = deny.get(issuer.issuer_id);
  if (denied !== undefined) reasons.push({ code: 'denied', message: denied });
  const allowed = allow.get(issuer.issuer_id);
  if (allowed === undefined) {
    reasons.push(...findUnmetAttributes(issuer, policy), ...findUnmetTimes(issuer, policy, now));
  }
  if (reasons.length > 0) return rejectIssuer(issuer, reasons);
  return {
    accepted: true,
    reasons: allowed === undefined ? MET : [{ code: 'allowed', message: allowed }],
    issuer,
  };
}

const UNKNOWN: Reason = { code: 'issuer-unknown', message: 'the registry has no such issuer' };
const HELD: Reason = {
  code: 'issuer-held',
  message: 'the checkpoint holds the issuer, as if suspended',
};
const MET: readonly Reason[] = Object.freeze([
  { code: 'policy-met', message: 'every requirement of the policy is met' },
]);

function rejectIssuer(issuer: Issuer | undefined, reasons: readonly Reason[]): Decision {
  return { accepted: false, reasons, issuer };
}

function findUnmetAttributes(issuer: Issuer, policy: TrustPolicy): Reason[] {
  const { tiers, domains, geography, passport_types } = policy;
  const reasons: Reason[] = [];
  if (!tiers.includes(issuer.tier)) {
    reasons.push({
      code: 'tier-not-accepted',
      message: `the policy does not accept the tier ${issuer.tier}`,
    });
  }
  if (domains !== undefined && !overlaps(domains, issuer.domain_scope)) {
    reasons.push({
      code: 'domain-not-covered',
      message: `the issuer declares none of ${domains.join(', ')}`,
    });
  }
  if (geography !== undefined && !coversPlace(geography, issuer.geographical_scope)) {
    reasons.push({
      code: 'geography-not-covered',
      message: `the issuer declares none of ${geography.join(', ')}`,
    });
  }
  if (passport_types !== undefined && !overlaps(passport_types, issuer.passport_types)) {
    const message = `the issuer declares none of ${passport_types.join(', ')}`;
    reasons.push({ code: 'passport-type-not-covered', message });
  }
  return reasons;
}

function findUnmetTimes(
  { certified_since, last_audit }: Issuer,
  { min_certified_days, max_audit_days }: TrustPolicy,
  now: number,
): Reason[] {
  const reasons: Reason[] = [];
  if (
    min_certified_days !== undefined &&
    !(now - instantOf(certified_since) >= min_certified_days * DAY_MS)
  ) {
    const message = `the issuer has been certified only since ${certified_since}`;
    reasons.push({ code: 'certified-too-recently', message });
  }
  if (max_audit_days === undefined) return reasons;
  if (last_audit === undefined || last_audit === null) {
    reasons.push({ code: 'audit-missing', message: 'the issuer has no audit' });
  } else if (instantOf(last_audit) > now) {
    const message = `the last audit is dated ${last_audit}, which is in the future`;
    reasons.push({ code: 'audit-missing', message });
  } else if (!(now - instantOf(last_audit) <= max_audit_days * DAY_MS)) {
    reasons.push({ code: 'audit-too-old', message: `the last audit was on ${last_audit}` });
  }
  return reasons;
}

function overlaps(wanted: readonly string[], declared: readonly string[] | undefined): boolean {
  return declared?.some((one) => wanted.includes(one)) === true;
}

/**
 * Returns whether scopes cover one of some places. A country covers its subdivisions, and `global` covers everything.
 */
export function coversPlace(wanted: readonly string[], declared: readonly string[] | undefined): boolean {
  return (
    declared?.some(
      (one) => one === 'global' || wanted.some((place) => place === one || place.startsWith(`${one}-`)),
    ) === true
  );
}
