import { isObject } from '../bytes/checks.js';
import { ListNonconforming } from '../errors.js';
import { isIssuerField, isValidUtcSecond } from '../generated/predicates.js';
import {
  type Issuer,
  type IssuerRegistry,
  LIST_MEMBERS,
  REQUIRED_ISSUER_FIELDS,
} from '../generated/schemas.js';

/**
 * Asserts that a parsed JSON value conforms to schemas/issuer.schema.json.
 *
 * @param value - the parsed value
 * @param pointer - the location of the value in the list, for the error message
 * @throws {@link ListNonconforming}
 *
 * @example
 * ```ts
 * import { assertIssuer } from '@passport-registry/verifier/core';
 *
 * try {
 *   assertIssuer({ issuer_id: 'aurora-bank' });
 * } catch (error) {
 *   console.log((error as Error).message); // tier is missing
 * }
 * ```
 */
export function assertIssuer(value: unknown, pointer = ''): asserts value is Issuer {
  const record = asObject(value, pointer, 'an issuer');
  for (const field of REQUIRED_ISSUER_FIELDS) {
    if (!Object.hasOwn(record, field)) throw new ListNonconforming(`${field} is missing`, pointer);
  }
  for (const field in record) {
    const conforms = isIssuerField(field, record[field]);
    if (conforms !== true) throw wrongField(field, conforms, pointer);
  }
}

function wrongField(field: string, conforms: false | undefined, pointer: string): ListNonconforming {
  return conforms === undefined
    ? new ListNonconforming(`${JSON.stringify(field)} is not a field of an issuer`, pointer)
    : new ListNonconforming(`${field} does not match schemas/issuer.schema.json`, `${pointer}/${field}`);
}

/**
 * Asserts that a parsed JSON value conforms to schemas/issuer-registry.schema.json.
 *
 * @throws {@link ListNonconforming}
 *
 * @example
 * ```ts
 * import type { ListNonconforming } from '@passport-registry/verifier';
 * import { assertIssuerRegistry } from '@passport-registry/verifier/core';
 *
 * try {
 *   assertIssuerRegistry({ issuers: [] });
 * } catch (error) {
 *   console.log((error as ListNonconforming).pointer); // /updated_at
 * }
 * ```
 */
export function assertIssuerRegistry(value: unknown): asserts value is IssuerRegistry {
  const list = asObject(value, '', 'the list');
  for (const member of Object.keys(list)) {
    if (!(LIST_MEMBERS as readonly string[]).includes(member)) {
      throw new ListNonconforming(`${JSON.stringify(member)} is not a member of the list`, '');
    }
  }
  const { updated_at, issuers } = list;
  if (!isValidUtcSecond(updated_at)) {
    throw new ListNonconforming('updated_at is not a UTC date-time in whole seconds', '/updated_at');
  }
  if (!Array.isArray(issuers)) throw new ListNonconforming('issuers is not an array', '/issuers');
  issuers.forEach((issuer, index) => {
    assertIssuer(issuer, `/issuers/${index}`);
  });
}

function asObject(value: unknown, pointer: string, what: string): Record<string, unknown> {
  if (!isObject(value)) throw new ListNonconforming(`${what} is not an object`, pointer);
  return value;
}
