import canonicalize from 'canonicalize';
import { MAX_JSON_DEPTH } from '../encoding/strict-json.js';
import { NotCanonicalizable } from '../errors.js';

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The canonical bytes of a JSON value: RFC 8785 (JCS) in UTF-8, without a byte order mark or a final newline.
 *
 * Values that JSON cannot represent are refused, not dropped or replaced: `undefined`, NaN, infinities, big integers,
 * lone surrogates, functions, symbols, holes in arrays, and objects of a class. So is nesting deeper than 500.
 *
 * @throws {@link NotCanonicalizable}
 *
 * @example
 * ```ts
 * import { canonicalBytes } from '@passport-registry/verifier';
 *
 * const bytes = canonicalBytes({ b: 1e2, a: 'é' });
 * console.log(new TextDecoder().decode(bytes)); // {"a":"é","b":100}
 * ```
 */
export function canonicalBytes(value: unknown): Uint8Array {
  refuseWhatJsonCannotHold(value, '', 0);
  // After the check, the library always returns a string.
  return new TextEncoder().encode(canonicalize(value) as string);
}

/**
 * A fast check that a text is the canonical form of the value that was parsed from it, without serializing the value. The
 * members must be in order, and the text must not be longer than the value needs. Then it has no white space, no escape and
 * no duplicate key, because each of them takes characters.
 *
 * `false` does not mean that the text is not canonical: {@link canonicalBytes} decides.
 */
export function isShortestForm(text: string, value: unknown): boolean {
  return text.length === shortestLength(value);
}

/** The length of the shortest JSON text of a value; NaN if the value is not made of texts, null, arrays, and objects in order. */
function shortestLength(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (value === null) return 4;
  if (typeof value !== 'object') return Number.NaN;
  let length = 2;
  if (Array.isArray(value)) {
    for (const item of value) length += shortestLength(item) + 1;
  } else {
    // Above the digits: JavaScript lists keys that are numbers first, wherever they are in the text.
    let previous = ':';
    for (const key in value) {
      if (key <= previous) return Number.NaN;
      length += key.length + 3 + shortestLength((value as Record<string, unknown>)[key]) + 1;
      previous = key;
    }
  }
  // The last item or member has no comma.
  return length === 2 ? length : length - 1;
}

function refuseWhatJsonCannotHold(value: unknown, pointer: string, depth: number): void {
  switch (typeof value) {
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(value)) refuse(`the number ${value}`, pointer);
      return;
    case 'string':
      if (LONE_SURROGATE.test(value)) refuse('a lone surrogate', pointer);
      return;
    case 'object':
      if (value === null) return;
      if (depth >= MAX_JSON_DEPTH) refuse(`nesting deeper than ${MAX_JSON_DEPTH}`, '');
      if (Array.isArray(value)) refuseInArray(value, pointer, depth + 1);
      else refuseInObject(value, pointer, depth + 1);
      return;
    default:
      refuse(typeof value, pointer);
  }
}

function refuseInArray(array: readonly unknown[], pointer: string, depth: number): void {
  // By index: forEach would skip holes.
  for (let index = 0; index < array.length; index++) {
    refuseWhatJsonCannotHold(array[index], `${pointer}/${index}`, depth);
  }
}

function refuseInObject(object: object, pointer: string, depth: number): void {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== null && prototype !== Object.prototype) refuse('an object of a class', pointer);
  if (Object.getOwnPropertySymbols(object).length > 0) refuse('a symbol as a key', pointer);
  for (const [key, member] of Object.entries(object)) {
    const inner = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (LONE_SURROGATE.test(key)) refuse('a lone surrogate in a key', inner);
    refuseWhatJsonCannotHold(member, inner, depth);
  }
}

function refuse(what: string, pointer: string): never {
  throw new NotCanonicalizable(
    `RFC 8785 cannot represent ${what}, at ${pointer === '' ? 'the top' : pointer}`,
  );
}
