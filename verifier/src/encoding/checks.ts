/** A predicate on a parsed JSON value. */
export type Check = (value: unknown) => boolean;

/** Whether a parsed JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One of some texts. */
export const oneOf =
  (values: readonly string[]): Check =>
  (value) =>
    (values as readonly unknown[]).includes(value);

/** Whether a text has so many characters. JSON Schema counts code points, of which each is one or two code units. */
export function hasLength(text: string, min: number, max: number): boolean {
  if (text.length < min || text.length > 2 * max) return false;
  if (text.length >= 2 * min && text.length <= max) return true;
  const { length } = [...text];
  return length >= min && length <= max;
}

/** Whether a value is a whole number within some limits, which belong to it. */
export function isIntegerWithin(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

/** Whether a value is an array of values that pass another check. */
export function isListOf(value: unknown, check: Check): value is unknown[] {
  return Array.isArray(value) && value.every((item) => check(item));
}

/** Whether a value is an array of texts that pass another check, each once. */
export function isUniqueListOf(value: unknown, check: Check): boolean {
  if (!isListOf(value, check)) return false;
  // Most lists are short, and a set costs more than a comparison.
  if (value.length <= 2) return value.length < 2 || value[0] !== value[1];
  return new Set(value).size === value.length;
}

/**
 * Whether a value is an object with some members, and others that pass another check.
 *
 * @param isMember - the check of a member by its name
 */
export function isRecord(
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
