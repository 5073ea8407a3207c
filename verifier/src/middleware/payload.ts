import { isObject } from '../encoding/checks.js';
import { parseStrictJson } from '../encoding/strict-json.js';
import { type Refusal, unreadable } from './refusal.js';

/** The default size limit of a body, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** A value read from a request, or a refusal. */
export type Read<Value> = { readonly value: Value } | Refusal;

/** Parses a body as strict JSON; undefined if the body is empty. */
export function readBody(bytes: Uint8Array): Read<unknown> {
  if (bytes.length === 0) return { value: undefined };
  try {
    return { value: parseStrictJson(bytes) };
  } catch (error) {
    return unreadable(400, 'body-not-json', `the body is not strict JSON: ${(error as Error).message}`);
  }
}

/** The refusal of a body that is too large. */
export function tooLarge(maxBytes: number): Refusal {
  return unreadable(413, 'body-too-large', `the body is larger than ${maxBytes} bytes`);
}

/** Whether a body is missing or an object without members, which parsers produce for a missing body. */
export function isEmptyBody(body: unknown): boolean {
  if (body === undefined || body === null) return true;
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length === 0;
  // An object of a class may have hidden content.
  const plain = isObject(body) && [null, Object.prototype].includes(Object.getPrototypeOf(body));
  return plain && Object.keys(body).length === 0;
}

/**
 * The payload of a request: its body, or its query if the body is empty. A request with both is refused: the proof covers
 * only one payload, so the other would be unsigned.
 */
export function payloadOf(body: unknown, query: URLSearchParams): Read<unknown> {
  if (isEmptyBody(body)) return { value: queryPayload(query) };
  if (query.size === 0) return { value: body };
  return unreadable(
    400,
    'payload-ambiguous',
    'a request carries its payload in the body or in the query, not in both',
  );
}

/** The query of a request as a payload. */
function queryPayload(query: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const [first = '', ...more] = query.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}
