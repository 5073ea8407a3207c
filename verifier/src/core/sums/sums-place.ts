/** The largest number of levels of a tree of sums (rule sums-levels). */
export const MAX_LEVELS = 8;

/** The path of a record in the published tree. */
export function recordPath(issuerId: string): string {
  return `issuers/${issuerId}`;
}

/** Returns the id of the issuer whose record has this path. */
export function recordIdOf(path: string): string {
  return path.slice('issuers/'.length);
}

/**
 * Returns the path of a sums file.
 *
 * @param prefix - the hexadecimal digits with which the hashes of all ids below the file begin; empty for the root
 */
export function sumsPath(prefix: string): string {
  return prefix === '' ? 'sums/root' : `sums/${prefix}`;
}

/** Returns the prefix of a sums file below the root. */
export function prefixOf(path: string): string {
  return path.slice('sums/'.length);
}

/**
 * Returns the prefixes of the sums files between the root and an id: that of the root first, that of the leaf last.
 *
 * @param idHash - SHA-256 of the issuer_id, in lower-case hexadecimal
 * @param levels - the number of levels of the tree of sums
 */
export function prefixesTo(idHash: string, levels: number): readonly string[] {
  return Array.from({ length: levels + 1 }, (_one, length) => idHash.slice(0, length));
}
