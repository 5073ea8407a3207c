/** The rounds, or the cases, of a test that finds more the longer it runs: few in a usual run, many in the soak. */
export function rounds<T>({ usual, soak }: { usual: T; soak: T }): T {
  return process.env['SOAK'] === '1' ? soak : usual;
}
