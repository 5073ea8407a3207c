import { isObject } from '@passport-registry/verifier/core';
import type { Mandate } from './claims.js';
import { reject } from './rejection.js';

const SEGMENTS = '[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*';
const ACTION = new RegExp(`^${SEGMENTS}$`);
const SCOPE = new RegExp(`^${SEGMENTS}(?:\\.\\*)?$`);
const MAX_LENGTH = 256;

/**
 * Returns whether a value is an action: segments of ASCII letters, digits, `_` and `-`, separated by dots, with at most
 * 256 characters in total (rule scope-cover).
 */
export function isAction(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_LENGTH && ACTION.test(value);
}

/** Returns whether a value is a scope: an action, optionally with a trailing `.*`. */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_LENGTH && SCOPE.test(value);
}

/**
 * Returns whether at least one scope covers an action (docs/protocol/passports.md#scope-cover). `email.send` covers
 * only itself. `email.*` covers every deeper name, but not `email` itself. There are no other wildcards. Matching is
 * case-sensitive.
 *
 * @example
 * ```ts
 * import { coversAction } from '@passport-registry/passports';
 *
 * console.log(coversAction(['email.send'], 'email.send')); // true
 * console.log(coversAction(['email.send'], 'email.sendall')); // false
 * console.log(coversAction(['email.*'], 'email.send.bulk')); // true
 * ```
 */
export function coversAction(scopes: readonly string[], action: string): boolean {
  return (
    isAction(action) &&
    scopes.some(
      (scope) =>
        isScope(scope) && (scope.endsWith('.*') ? action.startsWith(scope.slice(0, -1)) : scope === action),
    )
  );
}

/**
 * Rejects an action unless the action and the payload are well-formed and a scope covers the action.
 *
 * @returns the payload
 */
export function checkScope(
  scopes: readonly string[],
  action: string,
  payload: unknown,
): Readonly<Record<string, unknown>> {
  if (!isAction(action)) reject('action-malformed', 'the action is not a dotted name');
  if (!isObject(payload)) return reject('payload-malformed', 'the payload is not a JSON object');
  if (!coversAction(scopes, action)) reject('scope-not-granted', `the mandate does not cover ${action}`);
  return payload;
}

/**
 * Returns the scope that a mandate grants whatever the action. Empty without a mandate, and for a mandate with further
 * conditions, which can be checked only for an action.
 */
export function unconditionalScope(
  mandate: Pick<Mandate, 'scope' | 'policy'> | undefined,
): readonly string[] {
  const isConditional = Object.keys(mandate?.policy ?? {}).length > 0;
  return isConditional ? [] : (mandate?.scope ?? []);
}
