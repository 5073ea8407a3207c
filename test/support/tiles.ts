import { naiveRoot } from './merkle.js';

/**
 * The tiles of a tree, by path below the log, as C2SP tlog-tiles defines them: each hash on its own from the leaves.
 *
 * @param leaves - the hashes of all leaves
 */
export function tilesOf(leaves: readonly Uint8Array[]): Map<string, Uint8Array> {
  const tiles = new Map<string, Uint8Array>();
  let row = leaves;
  for (let level = 0; row.length > 0; level++) {
    for (let index = 0; index * 256 < row.length; index++) {
      const hashes = row.slice(index * 256, (index + 1) * 256);
      tiles.set(`tile/${level}/${tilePlace(index, hashes.length)}`, new Uint8Array(Buffer.concat(hashes)));
    }
    row = Array.from({ length: Math.floor(row.length / 256) }, (_one, index) =>
      naiveRoot(row.slice(index * 256, (index + 1) * 256)),
    );
  }
  return tiles;
}

/** The last part of the path of a tile or a bundle. */
export function tilePlace(index: number, width: number): string {
  const digits = [index % 1000, Math.floor(index / 1000) % 1000].map((group) =>
    String(group).padStart(3, '0'),
  );
  const path = index < 1000 ? digits[0] : `x${digits[1]}/${digits[0]}`;
  return width === 256 ? `${path}` : `${path}.p/${width}`;
}
