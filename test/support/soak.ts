/** The rounds, or the cases, of a test that finds more the longer it runs: few in a usual run, many in the soak. */
export function rounds<T>({ usual, soak }: { usual: T; soak: T }): T {
  return process.env['SOAK'] === '1' ? soak : usual;
}

/**
 * One of so many cases in a usual run, and all cases in the soak. A run with another `PROPERTY_SEED` takes others.
 *
 * @param first - which case comes first, so that two calls with the same cases can take different ones
 */
export function sample<T>(cases: readonly T[], every: number, first = 0): readonly T[] {
  const start = first + Math.abs(Number(process.env['PROPERTY_SEED'] || 0));
  return cases.filter((_one, at) => (at + start) % rounds({ usual: every, soak: 1 }) === 0);
}
