import { isSameBytes } from '../bytes/encodings.js';
import { jsonOf } from '../bytes/strict-json.js';
import { type Invalid, textOf } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import type { Issuer, IssuerRegistry } from '../generated/schemas.js';
import { canonicalBytes, isShortestForm } from './canonical.js';
import { assertIssuerRegistry } from './issuer.js';

/**
 * Parses the bytes of a list and checks its rules (docs/protocol.md#list-checks): UTF-8 without a byte order mark,
 * JSON, the schema, the order by id without duplicates, and the canonical form. To verify the signature as well, use
 * `verifyList`.
 *
 * @throws `ERR_LIST_MALFORMED` | {@link ListNonconforming} | `ERR_LIST_UNSORTED` | `ERR_LIST_NOT_CANONICAL`
 *
 * @example
 * ```ts
 * import { readList } from '@passport-registry/verifier/core';
 *
 * const bytes = new TextEncoder().encode('{"issuers":[],"updated_at":"2026-11-21T08:00:00Z"}');
 * console.log(readList(bytes).updated_at); // 2026-11-21T08:00:00Z
 * ```
 */
export function readList(bytes: Uint8Array): IssuerRegistry {
  const text = textOf(bytes, malformed);
  const list = conformingList(text);
  assertSorted(list);
  if (!isShortestForm(text, list)) throw notCanonical();
  return list;
}

/**
 * Parses the bytes of a list and checks only the schema. This is the first step of {@link readList}, for reports that
 * name each step.
 *
 * @throws `ERR_LIST_MALFORMED` | {@link ListNonconforming}
 *
 * @example
 * ```ts
 * import { parseList } from '@passport-registry/verifier/core';
 *
 * const bytes = new TextEncoder().encode('{ "issuers": [], "updated_at": "2026-11-21T08:00:00Z" }');
 * console.log(parseList(bytes).issuers.length); // 0
 * ```
 */
export function parseList(bytes: Uint8Array): IssuerRegistry {
  return conformingList(textOf(bytes, malformed));
}

function conformingList(text: string): IssuerRegistry {
  const value = jsonOf(text, malformed);
  assertIssuerRegistry(value);
  return value;
}

const malformed: Invalid = (problem, cause) =>
  new RegistryError('ERR_LIST_MALFORMED', `the list ${problem}`, { cause });

/**
 * Asserts that a list is sorted by id, in UTF-16 code units, and contains no id twice (docs/protocol.md#list-order).
 *
 * @throws `ERR_LIST_UNSORTED`
 *
 * @example
 * ```ts
 * import { assertSorted } from '@passport-registry/verifier/core';
 *
 * try {
 *   assertSorted({ issuers: [{ issuer_id: 'b' }, { issuer_id: 'a' }] });
 * } catch (error) {
 *   console.log((error as Error).message); // a is listed after b
 * }
 * ```
 */
export function assertSorted({ issuers }: { readonly issuers: readonly Pick<Issuer, 'issuer_id'>[] }): void {
  let previous = '';
  for (const { issuer_id } of issuers) {
    if (issuer_id === previous)
      throw new RegistryError('ERR_LIST_UNSORTED', `${issuer_id} appears in the list twice`);
    if (issuer_id < previous)
      throw new RegistryError('ERR_LIST_UNSORTED', `${issuer_id} is listed after ${previous}`);
    previous = issuer_id;
  }
}

/**
 * Asserts that bytes are the canonical form of a list (RFC 8785; docs/protocol.md#list-form). The check also detects
 * duplicate member names.
 *
 * @throws `ERR_LIST_NOT_CANONICAL`
 *
 * @example
 * ```ts
 * import type { RegistryError } from '@passport-registry/verifier';
 * import { assertCanonical } from '@passport-registry/verifier/core';
 *
 * const list = { issuers: [], updated_at: '2026-11-21T08:00:00Z' };
 * try {
 *   assertCanonical(new TextEncoder().encode(JSON.stringify(list, undefined, 2)), list);
 * } catch (error) {
 *   console.log((error as RegistryError).code); // ERR_LIST_NOT_CANONICAL
 * }
 * ```
 */
export function assertCanonical(bytes: Uint8Array, registry: IssuerRegistry): void {
  if (!isSameBytes(bytes, canonicalBytes(registry))) throw notCanonical();
}

const notCanonical = () =>
  new RegistryError('ERR_LIST_NOT_CANONICAL', 'the list is not in the canonical form of RFC 8785');
