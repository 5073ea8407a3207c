/**
 * Finds a number beyond 2^53 - 1 in a parsed JSON value. (`parseStrictJson` refuses such numbers while parsing.)
 * Returns undefined if there is no such number. The function is recursive, so the caller must limit the depth of the
 * value.
 */
export function findUnsafeNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const member of Object.values(value)) {
    const unsafe = findUnsafeNumber(member);
    if (unsafe !== undefined) return unsafe;
  }
  return undefined;
}
