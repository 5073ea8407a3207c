import { sha256Hex, utf8 } from './encoding.js';

/** The tree of sums (rule tree-of-sums), from the root down. @param records - SHA-256 of each record, by id */
export function sumsFiles(records: ReadonlyMap<string, string>, levels: number): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const write = (prefix: string, ids: readonly string[]): string => {
    const lines: string[] = [];
    if (prefix.length === levels) {
      for (const id of ids.toSorted()) lines.push(`${records.get(id)}  issuers/${id}\n`);
    } else {
      for (const digit of '0123456789abcdef') {
        const below = ids.filter((id) => placeOf(id).startsWith(prefix + digit));
        if (below.length > 0) lines.push(`${write(prefix + digit, below)}  ${sumsPath(prefix + digit)}\n`);
      }
    }
    const bytes = utf8(lines.join(''));
    files.set(sumsPath(prefix), bytes);
    return sha256Hex(bytes);
  };
  write('', [...records.keys()]);
  return files;
}

/** The path of a sums file. */
const sumsPath = (prefix: string): string => `sums/${prefix === '' ? 'root' : prefix}`;

/** The place of a record: SHA-256 of its id. */
const placeOf = (id: string): string => sha256Hex(utf8(id));
