/** Names holders in words: `Anna, Bo and Cy`. */
export function nameHolders(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names);
}
