import type { Issuer, TrustPolicy } from '../core/generated/schemas.js';
import type { Reason } from './requirements.js';
import { compilePolicy } from './trust-policy.js';

/** Whether an issuer is trusted, with all reasons. */
export interface Decision {
  readonly accepted: boolean;
  readonly reasons: readonly Reason[];
  /** The issuer's record. Undefined if the registry has no such record. */
  readonly issuer: Issuer | undefined;
}

/**
 * Applies a local trust policy to an issuer (docs/protocol.md#trust-policy). If the issuer has no record, or its status
 * is not `active`, every policy rejects the issuer. `deny` comes next, then `allow`, then all other requirements.
 *
 * This function does not know which issuers the checkpoint holds. The methods `decide` of a registry and of a look-up do.
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
  return decideWith(issuer, policy, { now: () => now, hold: undefined });
}

/** What a decision depends on besides the record and the policy. */
export interface Circumstances {
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  /** The ids that the checkpoint holds (rule hold). Undefined without a checkpoint. */
  readonly hold: readonly string[] | undefined;
}

/** Does what {@link decide} does, and also rejects an issuer that the checkpoint holds. */
export function decideWith(
  issuer: Issuer | undefined,
  policy: TrustPolicy,
  { now, hold }: Circumstances,
): Decision {
  const { allow, deny, requirements } = compilePolicy(policy);
  if (issuer === undefined) return rejectIssuer(issuer, [UNKNOWN]);
  const { issuer_id: id, status } = issuer;
  const reasons: Reason[] = [];
  if (status !== 'active') {
    reasons.push({ code: `status-${status}`, message: `the registry has ${status} the issuer` });
  }
  if (hold?.includes(id)) reasons.push(HELD);
  const denied = deny.get(id);
  if (denied !== undefined) reasons.push({ code: 'denied', message: denied });
  const allowed = allow.get(id);
  if (allowed === undefined) {
    for (const unmetBy of requirements) {
      const reason = unmetBy(issuer, now);
      if (reason !== undefined) reasons.push(reason);
    }
  }
  if (reasons.length > 0) return rejectIssuer(issuer, reasons);
  return {
    accepted: true,
    reasons: allowed === undefined ? MET : [{ code: 'allowed', message: allowed }],
    issuer,
  };
}

const shared = (reason: Reason): Reason => Object.freeze(reason);
const UNKNOWN = shared({ code: 'issuer-unknown', message: 'the registry has no such issuer' });
const HELD = shared({ code: 'issuer-held', message: 'the checkpoint holds the issuer, as if suspended' });
const MET: readonly Reason[] = Object.freeze([
  shared({ code: 'policy-met', message: 'every requirement of the policy is met' }),
]);

function rejectIssuer(issuer: Issuer | undefined, reasons: readonly Reason[]): Decision {
  return { accepted: false, reasons, issuer };
}
