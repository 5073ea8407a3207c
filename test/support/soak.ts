/** How often a test goes round that finds more the longer it runs: a few times in every run of the tests, often in the soak. */
export function rounds({ usual, soak }: { usual: number; soak: number }): number {
  return process.env['SOAK'] === '1' ? soak : usual;
}
