import { isObject, parseStrictJson } from '@passport-registry/verifier/core';
import { LimitExceeded, readLimited } from '@passport-registry/verifier/http';
import { type Refusal, unreadable } from './refusal.js';

/**
 * Refuses a request target that frameworks read in different ways, so that a handler can't read another query than the
 * one that was verified. Origin form is an absolute path and a query, of visible ASCII characters, without a fragment
 * (RFC 9112, section 3.2.1; rule action-http).
 *
 * @param target - as sent
 */
export function refuseTarget(target: string): Refusal | undefined {
  if (!/^\/[\x21-\x7e]*$/.test(target)) return ambiguous('is not in origin form: write a path and a query');
  return refuseUrl(target);
}

/** Refuses a URL that a platform has made of the request target, in the same way. */
export function refuseUrl(url: string): Refusal | undefined {
  if (url.includes('#')) return ambiguous('contains a #, at which the query may begin or end: write %23');
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? [];
  try {
    decodeURIComponent(query);
    return undefined;
  } catch {
    return ambiguous('has a query that is not UTF-8 in percent-encoding');
  }
}

function ambiguous(why: string): Refusal {
  return unreadable(400, 'payload-ambiguous', `the request target ${why}`);
}

/** The default size limit of a body, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** A value from a request, or a refusal. */
export type Read<Value> = { readonly value: Value } | Refusal;

/** Reads a body to its end, or refuses one that is too large. */
export async function readBody(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Read<Uint8Array>> {
  try {
    return { value: await readLimited(stream, maxBytes) };
  } catch (error) {
    if (error instanceof LimitExceeded) return tooLarge(maxBytes);
    throw error;
  }
}

/** Parses a body as strict JSON. The value of an empty body is undefined. */
export function parseBody(bytes: Uint8Array): Read<unknown> {
  if (bytes.length === 0) return { value: undefined };
  try {
    return { value: parseStrictJson(bytes) };
  } catch (error) {
    return unreadable(400, 'body-not-json', `the body is not strict JSON: ${(error as Error).message}`);
  }
}

/** Refuses a body that is too large. */
export function tooLarge(maxBytes: number): Refusal {
  return unreadable(413, 'body-too-large', `the body is larger than ${maxBytes} bytes`);
}

/** Returns whether a body is missing, or is an object without members: parsers return one for a missing body. */
export function isEmptyBody(body: unknown): boolean {
  if (body === undefined || body === null) return true;
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length === 0;
  // An instance of a class may have hidden content.
  const plain = isObject(body) && [null, Object.prototype].includes(Object.getPrototypeOf(body));
  return plain && Object.keys(body).length === 0;
}

/**
 * Returns the payload of a request: the body, or the query if the body is empty. Refuses a request with both, because
 * the proof covers only one payload, and the other would be unsigned.
 */
export function payloadOf(body: unknown, query: URLSearchParams): Read<unknown> {
  if (isEmptyBody(body)) return { value: queryPayload(query) };
  if (query.size === 0) return { value: body };
  return unreadable(
    400,
    'payload-ambiguous',
    'the request has a payload both in its body and in its query: use only one of them',
  );
}

/** Reads the query of a request target. With its question mark: without it, URLSearchParams would drop a second one. */
export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(/\?.*$/s.exec(target)?.[0]);
}

/** Converts the query of a request to a payload. */
function queryPayload(query: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const [first = '', ...more] = query.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}
