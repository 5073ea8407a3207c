import { clockNote, DAY_MS } from '../core/bytes/clock.js';
import type { Issuer, TrustPolicy } from '../core/generated/schemas.js';
import { instantOf } from '../core/list/date-time.js';

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

/**
 * Checks one requirement of a policy. Returns why the issuer does not meet the requirement; undefined if it does.
 *
 * @param now - returns the current time in milliseconds since 1970. Most requirements do not ask
 */
export type Requirement = (issuer: Issuer, now: () => number) => Reason | undefined;

/** Returns the requirements of a policy, apart from `allow` and `deny`, prepared for repeated use. */
export function requirementsOf(policy: TrustPolicy): readonly Requirement[] {
  const { tiers, domains, geography, passport_types: types, min_certified_days, max_audit_days } = policy;
  const found: Requirement[] = [tierAmong(tiers)];
  if (domains !== undefined) {
    const wanted = coverage('domain-not-covered', domains);
    found.push((issuer) => faultOf(issuer.domain_scope, wanted));
  }
  if (geography !== undefined) {
    const wanted = coverage('geography-not-covered', geography, placesCovering(geography));
    found.push((issuer) => faultOf(issuer.geographical_scope, wanted));
  }
  if (types !== undefined) {
    const wanted = coverage('passport-type-not-covered', types);
    found.push((issuer) => faultOf(issuer.passport_types, wanted));
  }
  if (min_certified_days !== undefined) found.push(certifiedFor(min_certified_days * DAY_MS));
  if (max_audit_days !== undefined) found.push(auditedWithin(max_audit_days * DAY_MS));
  return found;
}

function tierAmong(tiers: TrustPolicy['tiers']): Requirement {
  return ({ tier }) =>
    tiers.includes(tier)
      ? undefined
      : { code: 'tier-not-accepted', message: `the policy does not accept the tier ${tier}` };
}

/** What a scope must cover. */
interface Coverage {
  /** The values of which the issuer must declare one. */
  readonly accepted: ReadonlySet<string>;
  /** The reason if it declares none. All decisions under the policy have the same. */
  readonly reason: Reason;
}

/** @param accepted - all values that are as good as one that the policy names. Default: only these */
function coverage(
  code: ReasonCode,
  named: readonly string[],
  accepted: ReadonlySet<string> = new Set(named),
): Coverage {
  const reason = { code, message: `the issuer declares none of ${named.join(', ')}` };
  return { accepted, reason: Object.freeze(reason) };
}

/** Returns why a scope of an issuer does not cover what the policy demands. */
function faultOf(declared: readonly string[] = [], { accepted, reason }: Coverage): Reason | undefined {
  // By index: gateways decide often, and for each value, `some` would call a function, and `for of` a slow iterator of frozen
  // arrays.
  for (let at = 0; at < declared.length; at++) if (accepted.has(declared[at] as string)) return undefined;
  return reason;
}

function certifiedFor(minimum: number): Requirement {
  return ({ certified_since: since }, now) =>
    now() - instantOf(since) >= minimum
      ? undefined
      : { code: 'certified-too-recently', message: `the issuer has been certified only since ${since}` };
}

function auditedWithin(maximum: number): Requirement {
  return ({ last_audit: audit }, now) => {
    if (audit === undefined || audit === null)
      return { code: 'audit-missing', message: 'the issuer has no audit' };
    const age = now() - instantOf(audit);
    if (age < 0)
      return {
        code: 'audit-missing',
        message: `the last audit is dated ${audit}, which is in the future ${clockNote(now())}`,
      };
    return age <= maximum ? undefined : { code: 'audit-too-old', message: `the last audit was on ${audit}` };
  };
}

/**
 * Returns whether scopes cover one of some places. A country covers its subdivisions, and `global` covers everything.
 *
 * @param wanted - ISO 3166 codes of countries or subdivisions, such as `NO` or `US-CA`
 * @param declared - the `geographical_scope` of an issuer. Undefined covers nothing
 *
 * @example
 * ```ts
 * import { coversPlace } from '@passport-registry/verifier';
 *
 * console.log(coversPlace(['US-CA'], ['US'])); // true
 * console.log(coversPlace(['US'], ['US-CA'])); // false
 * ```
 */
export function coversPlace(wanted: readonly string[], declared: readonly string[] | undefined): boolean {
  const places = placesCovering(wanted);
  return declared?.some((one) => places.has(one)) === true;
}

/**
 * Returns all places that cover one of some places: `US-CA` is covered by itself, by `US`, and by `global`. None covers no
 * place.
 */
function placesCovering(wanted: readonly string[]): ReadonlySet<string> {
  return new Set(wanted.flatMap((place) => ['global', place, place.replace(/-.*/, '')]));
}
