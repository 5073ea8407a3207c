import { concatBytes, sha256, utf8 } from './encoding.js';

/** Trees of RFC 6962, written as the RFC defines them. */

export const leafHash = (entry: Uint8Array): Uint8Array => sha256(concatBytes(Uint8Array.of(0), entry));
const nodeHash = (left: Uint8Array, right: Uint8Array) => sha256(concatBytes(Uint8Array.of(1), left, right));

function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** MTH(D[n]) from the hashes of the leaves. */
export function treeRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return sha256(utf8(''));
  if (leaves.length === 1) return only;
  const split = splitOf(leaves.length);
  return nodeHash(treeRoot(leaves.slice(0, split)), treeRoot(leaves.slice(split)));
}

/** PATH(m, D[n]). */
export function inclusionPath(index: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length <= 1) return [];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...inclusionPath(index, left), treeRoot(right)]
    : [...inclusionPath(index - split, right), treeRoot(left)];
}

const WIDTH = 256;

/** The tiles and the bundles of C2SP tlog-tiles, by path. Of the last ones, only the widest partial one. */
export function tileFiles(entries: readonly Uint8Array[]): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const bundles = entries.map((entry) =>
    concatBytes(Uint8Array.of(entry.length >> 8, entry.length & 255), entry),
  );
  addTiles(files, 'entries', bundles);
  let row = entries.map(leafHash);
  for (let level = 0; row.length > 0; level++) {
    addTiles(files, String(level), row);
    row = Array.from({ length: Math.floor(row.length / WIDTH) }, (_one, at) =>
      treeRoot(row.slice(at * WIDTH, (at + 1) * WIDTH)),
    );
  }
  return files;
}

function addTiles(files: Map<string, Uint8Array>, level: string, parts: readonly Uint8Array[]): void {
  for (let tile = 0; tile * WIDTH < parts.length; tile++) {
    const own = parts.slice(tile * WIDTH, (tile + 1) * WIDTH);
    const partial = own.length === WIDTH ? '' : `.p/${own.length}`;
    files.set(`log/tile/${level}/${String(tile).padStart(3, '0')}${partial}`, concatBytes(...own));
  }
}
