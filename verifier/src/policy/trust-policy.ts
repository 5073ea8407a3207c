import { isObject } from '../core/bytes/checks.js';
import { deepFreeze } from '../core/bytes/deep-freeze.js';
import { faultInObject } from '../core/bytes/fault.js';
import { RegistryError } from '../core/errors.js';
import { isNamedMember, isPolicyMember } from '../core/generated/predicates.js';
import {
  REQUIRED_NAMED_MEMBERS,
  REQUIRED_POLICY_MEMBERS,
  type TrustPolicy,
} from '../core/generated/schemas.js';
import { type Requirement, requirementsOf } from './requirements.js';

/**
 * Asserts that a parsed JSON value conforms to schemas/trust-policy.schema.json. An unknown member is an error, because
 * otherwise a misspelled requirement would be ignored silently.
 *
 * @throws `ERR_POLICY_INVALID`
 *
 * @example
 * ```ts
 * import { assertTrustPolicy } from '@passport-registry/verifier';
 *
 * try {
 *   assertTrustPolicy({ tiers: ['certified'], domain: ['banking'] });
 * } catch (error) {
 *   console.log((error as Error).message); // the trust policy has the unknown member "domain": see schemas/trust-policy.schema.json
 * }
 * ```
 */
export function assertTrustPolicy(value: unknown): asserts value is TrustPolicy {
  const fault = faultInObject(value, {
    name: 'the trust policy',
    required: REQUIRED_POLICY_MEMBERS,
    isMember: isPolicyMember,
    faultInside: faultInNamed,
  });
  if (fault === undefined) return;
  throw new RegistryError('ERR_POLICY_INVALID', `${fault}: see schemas/trust-policy.schema.json`);
}

/** Finds the invalid member of an entry of `allow` or `deny`. */
function faultInNamed(path: string, entry: unknown): string | undefined {
  if (!isObject(entry) || !path.endsWith(']')) return undefined;
  return faultInObject(entry, {
    name: path,
    prefix: `${path}.`,
    required: REQUIRED_NAMED_MEMBERS,
    isMember: isNamedMember,
  });
}

/** A checked policy, prepared for repeated use. */
interface CompiledPolicy {
  readonly allow: ReadonlyMap<string, string>;
  readonly deny: ReadonlyMap<string, string>;
  readonly requirements: readonly Requirement[];
}

const compiled = new WeakMap<object, CompiledPolicy>();

/**
 * Checks and prepares a policy once. The function freezes the object, because it would not check later changes.
 *
 * @throws `ERR_POLICY_INVALID`
 */
export function compilePolicy(policy: TrustPolicy): CompiledPolicy {
  const known = compiled.get(policy);
  if (known !== undefined) return known;
  assertTrustPolicy(policy);
  const byId = (named: TrustPolicy['allow']) =>
    new Map((named ?? []).map(({ issuer_id, reason }): [string, string] => [issuer_id, reason]));
  deepFreeze(policy);
  const fresh = { allow: byId(policy.allow), deny: byId(policy.deny), requirements: requirementsOf(policy) };
  compiled.set(policy, fresh);
  return fresh;
}
