import { type Check, isObject, listOf, oneOf, text, uniqueListOf } from '../encoding/checks.js';
import { deepFreeze } from '../encoding/deep-freeze.js';
import { PolicyInvalid } from '../errors.js';
import { GRAMMAR, TIERS, type TrustPolicy } from '../generated/schemas.js';

const isDays: Check = (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 36500;

const isNamed: Check = (value) => {
  if (!isObject(value)) return false;
  const { issuer_id, reason, ...others } = value;
  const length = typeof reason === 'string' ? [...reason].length : 0;
  return (
    text(GRAMMAR.issuerId)(issuer_id) && length >= 1 && length <= 500 && Object.keys(others).length === 0
  );
};

/** A hand-written validator of schemas/trust-policy.schema.json; a test compares it with the schema. */
const CHECKS: Record<keyof TrustPolicy, Check> = {
  tiers: uniqueListOf(oneOf(TIERS)),
  domains: uniqueListOf(text(GRAMMAR.slug)),
  geography: uniqueListOf(text(GRAMMAR.geographicalCode)),
  passport_types: uniqueListOf(text(GRAMMAR.slug)),
  min_certified_days: isDays,
  max_audit_days: isDays,
  allow: listOf(isNamed),
  deny: listOf(isNamed),
};

/**
 * Asserts that a parsed JSON value conforms to schemas/trust-policy.schema.json. An unknown member is an error:
 * otherwise a misspelt requirement would be ignored silently.
 *
 * @throws {@link PolicyInvalid}
 *
 * @example
 * ```ts
 * import { assertTrustPolicy } from '@passport-registry/verifier';
 *
 * try {
 *   assertTrustPolicy({ tiers: ['certified'], domain: ['banking'] });
 * } catch (error) {
 *   console.log((error as Error).message); // "domain" is no member of a trust policy
 * }
 * ```
 */
export function assertTrustPolicy(value: unknown): asserts value is TrustPolicy {
  if (!isObject(value)) throw new PolicyInvalid('a trust policy is a JSON object');
  if (!Object.hasOwn(value, 'tiers'))
    throw new PolicyInvalid('a trust policy names the tiers that it accepts');
  for (const [member, content] of Object.entries(value)) {
    if (!Object.hasOwn(CHECKS, member)) {
      throw new PolicyInvalid(`${JSON.stringify(member)} is no member of a trust policy`);
    }
    if (!CHECKS[member as keyof TrustPolicy](content)) {
      throw new PolicyInvalid(`${member} is not what schemas/trust-policy.schema.json says`);
    }
  }
}

/** A checked policy, prepared for repeated use. */
export interface CompiledPolicy {
  readonly policy: TrustPolicy;
  readonly allow: ReadonlyMap<string, string>;
  readonly deny: ReadonlyMap<string, string>;
}

const compiled = new WeakMap<object, CompiledPolicy>();

/**
 * Checks a policy once. The object is frozen, because a later change would not be checked.
 *
 * @throws {@link PolicyInvalid}
 */
export function compilePolicy(policy: TrustPolicy): CompiledPolicy {
  const known = compiled.get(policy);
  if (known !== undefined) return known;
  assertTrustPolicy(policy);
  const byId = (named: TrustPolicy['allow']) =>
    new Map((named ?? []).map(({ issuer_id, reason }): [string, string] => [issuer_id, reason]));
  const fresh = { policy: deepFreeze(policy), allow: byId(policy.allow), deny: byId(policy.deny) };
  compiled.set(policy, fresh);
  return fresh;
}
