/** A predicate on a parsed JSON value. */
export type Check = (value: unknown) => boolean;

/** Whether a parsed JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text of one of the grammars of the schemas. */
export const text =
  ({ pattern, maxLength }: { pattern: RegExp; maxLength: number }): Check =>
  (value) =>
    typeof value === 'string' && value.length <= maxLength && pattern.test(value);

/** One of some texts. */
export const oneOf =
  (values: readonly string[]): Check =>
  (value) =>
    (values as readonly unknown[]).includes(value);

/** Null, or a value that passes another check. */
export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** An array of values that pass another check. */
export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** An array of texts without duplicates. */
export const uniqueListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check) && (value.length < 2 || new Set(value).size === value.length);
