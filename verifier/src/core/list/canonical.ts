import { MAX_JSON_DEPTH } from '../bytes/strict-json.js';
import { RegistryError } from '../errors.js';

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Returns the canonical bytes of a JSON value: RFC 8785 (JCS) in UTF-8, without a byte order mark or a final newline.
 *
 * The function refuses values that JSON cannot represent, and never drops or replaces them: `undefined`, NaN,
 * infinities, BigInts, lone surrogates, functions, symbols, holes in arrays, and instances of classes. It also refuses
 * numbers above 2^53 - 1 and nesting deeper than 500 (rule canonical-values).
 *
 * @throws `ERR_NOT_CANONICALIZABLE`
 *
 * @example
 * ```ts
 * import { canonicalBytes } from '@passport-registry/verifier/core';
 *
 * const bytes = canonicalBytes({ b: 1e2, a: 'é' });
 * console.log(new TextDecoder().decode(bytes)); // {"a":"é","b":100}
 * ```
 */
export function canonicalBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(canonicalText(value, '', 0));
}

/**
 * Returns whether a JSON text is the canonical form of the list that was parsed from it, without serializing.
 * The members must be in order, and the text must have the minimum length for the value. Such a text contains no white
 * space, no escape and no duplicate member, because each of them takes characters.
 *
 * @param value - conforms to the schema. All its values are strings that need no escape, null, or arrays of such strings
 */
export function isShortestForm(text: string, value: unknown): boolean {
  return text.length === shortestLength(value);
}

/**
 * Returns the length of the shortest JSON text for a value. Returns NaN unless the value consists only of strings,
 * null, arrays, and objects with sorted members.
 */
function shortestLength(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (value === null) return 4;
  if (typeof value !== 'object') return Number.NaN;
  let length = 2;
  if (Array.isArray(value)) {
    for (const item of value) length += shortestLength(item) + 1;
  } else {
    // `:` sorts after the digits, so a key that begins with a digit fails: JavaScript lists integer keys first,
    // wherever the text has them.
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

/** @param pointer - where the value is, as a JSON pointer. @param depth - how many arrays and objects contain the value */
function canonicalText(value: unknown, pointer: string, depth: number): string {
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) refuse(`the number ${value}`, pointer);
      // JSON parsers disagree on the values of larger numbers.
      if (Math.abs(value) > Number.MAX_SAFE_INTEGER) refuse(`the number ${value}, beyond 2^53 - 1`, pointer);
      // RFC 8785, section 3.2.2.3, takes over the numbers of ECMAScript.
      return JSON.stringify(value);
    case 'string':
      if (LONE_SURROGATE.test(value)) refuse('a lone surrogate', pointer);
      return JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      if (depth >= MAX_JSON_DEPTH) refuse(`nesting deeper than ${MAX_JSON_DEPTH}`, '');
      return Array.isArray(value)
        ? arrayText(value, pointer, depth + 1)
        : objectText(value, pointer, depth + 1);
    default:
      return refuse(typeof value, pointer);
  }
}

function arrayText(array: readonly unknown[], pointer: string, depth: number): string {
  // `Array.from` visits holes, which `map` would skip.
  const items = Array.from(array, (item, index) => canonicalText(item, `${pointer}/${index}`, depth));
  return `[${items.join()}]`;
}

function objectText(object: object, pointer: string, depth: number): string {
  const prototype = Object.getPrototypeOf(object);
  if (prototype !== null && prototype !== Object.prototype) refuse('an instance of a class', pointer);
  if (Object.getOwnPropertySymbols(object).length > 0) refuse('a symbol as a key', pointer);
  const entries: readonly (readonly [string, unknown])[] = Object.entries(object);
  // By UTF-16 code units (RFC 8785, section 3.2.3), which is how JavaScript compares strings.
  const sorted = [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
  const members = sorted.map(([key, member]) => {
    const inner = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (LONE_SURROGATE.test(key)) refuse('a lone surrogate in a key', inner);
    return `${JSON.stringify(key)}:${canonicalText(member, inner, depth)}`;
  });
  return `{${members.join()}}`;
}

function refuse(what: string, pointer: string): never {
  throw new RegistryError(
    'ERR_NOT_CANONICALIZABLE',
    `canonical form cannot contain ${what}, at ${pointer === '' ? 'the top' : pointer}`,
  );
}
