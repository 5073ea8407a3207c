import { isObject } from '../core/bytes/checks.js';
import { deepFreeze } from '../core/bytes/deep-freeze.js';
import { type Fault, faultIn, shown } from '../core/bytes/fault.js';
import { RegistryError } from '../core/errors.js';
import { isNamedMember, isPolicyMember } from '../core/generated/predicates.js';
import {
  REQUIRED_NAMED_MEMBERS,
  REQUIRED_POLICY_MEMBERS,
  TIERS,
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
 *   console.log((error as Error).message); // "domain" is not a member of a trust policy
 * }
 * ```
 */
export function assertTrustPolicy(value: unknown): asserts value is TrustPolicy {
  if (!isObject(value)) throw new RegistryError('ERR_POLICY_INVALID', 'a trust policy must be a JSON object');
  for (const [member, content] of Object.entries(value)) {
    const conforms = isPolicyMember(member, content);
    if (conforms === undefined) {
      throw new RegistryError('ERR_POLICY_INVALID', `${shown(member)} is not a member of a trust policy`);
    }
    if (!conforms) throw wrongMember(member, content);
  }
  const missing = REQUIRED_POLICY_MEMBERS.find((member) => !Object.hasOwn(value, member));
  if (missing !== undefined)
    throw new RegistryError('ERR_POLICY_INVALID', `a trust policy must have the member ${missing}`);
}

function wrongMember(member: string, content: unknown): RegistryError {
  const fault = faultIn(member, content, (value) => isPolicyMember(member, value) === true);
  const item = Array.isArray(content) && fault.index !== undefined ? content[fault.index] : undefined;
  const { path, problem } = isObject(item) ? faultInNamed(fault.path, item) : fault;
  const tiers = member === 'tiers' ? `; the tiers are ${TIERS.join(', ')}` : '';
  return new RegistryError(
    'ERR_POLICY_INVALID',
    `${path} ${problem}, which does not match schemas/trust-policy.schema.json${tiers}`,
  );
}

/** Finds the invalid member of an entry of `allow` or `deny`. */
function faultInNamed(path: string, entry: Readonly<Record<string, unknown>>): Fault {
  for (const [member, value] of Object.entries(entry)) {
    const conforms = isNamedMember(member, value);
    if (conforms === undefined) return { path, problem: `has the unknown member ${shown(member)}` };
    if (!conforms) return { path: `${path}.${member}`, problem: `is ${shown(value)}` };
  }
  const missing = REQUIRED_NAMED_MEMBERS.find((member) => !Object.hasOwn(entry, member));
  return { path: `${path}.${missing}`, problem: 'is missing' };
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
