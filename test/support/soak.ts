/** The number of rounds of a test that finds more the longer it runs: few in a usual run, many in the soak. */
export function rounds({ usual, soak }: { usual: number; soak: number }): number {
  return process.env['SOAK'] === '1' ? soak : usual;
}
