/** A predicate on a parsed JSON value. */
export type Check = (value: unknown) => boolean;

/** Returns whether a parsed JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a check that accepts only the given strings. */
export const oneOf =
  (values: readonly string[]): Check =>
  (value) =>
    (values as readonly unknown[]).includes(value);

/**
 * Returns whether the length of a string lies within limits. JSON Schema counts code points. Each code point takes one
 * or two code units.
 */
export function hasLength(text: string, min: number, max: number): boolean {
  if (text.length < min || text.length > 2 * max) return false;
  if (text.length >= 2 * min && text.length <= max) return true;
  const { length } = [...text];
  return length >= min && length <= max;
}

/** Returns whether a text is in Unicode normalization form C. */
export function isNormalized(text: string): boolean {
  return text === text.normalize('NFC');
}

/** Returns whether a value is a SHA-256 in lower-case hexadecimal. */
export function isSha256(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** Returns whether a value is an integer of at least 0 that JSON can express exactly. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Returns whether a value is an integer from `min` to `max`, both included. */
export function isIntegerWithin(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

/** Returns whether a value is an array whose items all pass a check. The check also gets the holes of a sparse array. */
export function isListOf(value: unknown, check: Check): value is unknown[] {
  if (!Array.isArray(value)) return false;
  for (let index = 0; index < value.length; index++) if (!check(value[index])) return false;
  return true;
}

/** Returns whether a value is an array whose number of items lies within limits. */
export function hasItems(value: unknown, min: number, max = Number.POSITIVE_INFINITY): boolean {
  return Array.isArray(value) && value.length >= min && value.length <= max;
}

/** Returns whether a value is an array of distinct strings that all pass a check. */
export function isUniqueListOf(value: unknown, check: Check): boolean {
  if (!isListOf(value, check)) return false;
  // Most arrays are short, and a Set costs more than a comparison.
  if (value.length <= 2) return value.length < 2 || value[0] !== value[1];
  return new Set(value).size === value.length;
}

/**
 * Returns whether a value is an object that has all required members and whose members all pass a check.
 *
 * @param isMember - checks a member by its name. Undefined means that there is no such member
 */
export function isObjectOf(
  value: unknown,
  required: readonly string[],
  isMember: (member: string, value: unknown) => boolean | undefined,
): boolean {
  return (
    isObject(value) &&
    required.every((member) => Object.hasOwn(value, member)) &&
    Object.entries(value).every(([member, content]) => isMember(member, content) === true)
  );
}
