import { sha256 } from './sha256.js';

/** The place of a record: SHA-256 of its id. */
export const placeOf = (id: string) => sha256(Buffer.from(id));

/** Returns the paths of the proof of an id, from the root to the record. */
export function proofPaths(id: string, levels: number): string[] {
  const prefixes = Array.from({ length: levels }, (_one, index) => `sums/${placeOf(id).slice(0, index + 1)}`);
  return ['sums/root', ...prefixes, `issuers/${id}`];
}

/** Returns an id whose place is in the same leaf as that of another id. */
export function idBeside(id: string, levels: number): string {
  for (let number = 0; ; number++) {
    const beside = `absent-${number}`;
    if (placeOf(beside).startsWith(placeOf(id).slice(0, levels))) return beside;
  }
}

/**
 * The tree of sums, written as docs/protocol/look-up.md#tree-of-sums describes it, and not as the verifier computes it:
 * from the root down, one file after the other.
 *
 * @param records - SHA-256 of each record, by id
 */
export function naiveSums(records: ReadonlyMap<string, string>, levels: number): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const places = new Map([...records.keys()].map((id) => [id, placeOf(id)]));
  const write = (prefix: string, above: readonly string[]): string | undefined => {
    const ids = above.filter((id) => places.get(id)?.startsWith(prefix));
    if (ids.length === 0 && prefix !== '') return undefined;
    const lines =
      prefix.length === levels
        ? ids.map((id) => `${records.get(id)}  issuers/${id}\n`)
        : [...'0123456789abcdef'].flatMap((digit) => {
            const hash = write(prefix + digit, ids);
            return hash === undefined ? [] : [`${hash}  sums/${prefix}${digit}\n`];
          });
    const bytes = Buffer.from(sortedByPath(lines).join(''));
    files.set(prefix === '' ? 'sums/root' : `sums/${prefix}`, bytes);
    return sha256(bytes);
  };
  write('', [...records.keys()]);
  return files;
}

/** Sorts the lines of a sums file by their paths. */
export function sortedByPath(lines: readonly string[]): string[] {
  const paths = lines.map((line) => [line.slice(66), line] as const);
  return paths.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}
