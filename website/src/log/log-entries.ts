import { RegistryError } from '@passport-registry/verifier';
import {
  bundlePath,
  hashesFromTiles,
  inclusionProof,
  isSameBytes,
  type LogEntry,
  leafHash,
  parseBundle,
  parseEntry,
  type ReadFile,
  readTileOrBundle,
  rootFromInclusion,
  TILE_WIDTH,
  type TreeHead,
  tileReader,
  tileWidth,
} from '@passport-registry/verifier/core';

const damaged = (message: string) =>
  new RegistryError('ERR_LOG_INCONSISTENT', `the log has a bundle of entries that ${message}`);

/**
 * Returns a function that reads the entry at an index of a log, and proves it by the verified head. Neighbouring entries
 * are in one bundle, which is read once. So the cost does not depend on the size of the log.
 */
export function entryReader(readFile: ReadFile, head: TreeHead): (index: number) => Promise<LogEntry> {
  let held: { readonly bundle: number; readonly entries: readonly Uint8Array[] } | undefined;
  return async (index) => {
    const bundle = Math.floor(index / TILE_WIDTH);
    if (held?.bundle !== bundle) held = { bundle, entries: await readBundle(readFile, head, bundle) };
    return parseEntry(held.entries[index % TILE_WIDTH] ?? new Uint8Array(), damaged);
  };
}

async function readBundle(
  readFile: ReadFile,
  { size, root }: TreeHead,
  index: number,
): Promise<readonly Uint8Array[]> {
  const address = { level: 0, index, width: tileWidth(0, index, size) };
  const bundle = await readTileOrBundle(readFile, bundlePath, address);
  if (bundle === undefined) throw damaged('is missing');
  const entries = parseBundle(bundle, damaged).slice(0, address.width);
  if (entries.length < address.width) throw damaged('is too short');
  const leaves = entries.map(leafHash);
  const tile = Uint8Array.from(leaves.flatMap((leaf) => [...leaf]));
  const readTile = tileReader(readFile);
  const hashes = hashesFromTiles(size, async (wanted) =>
    wanted.level === 0 && wanted.index === index ? tile : readTile(wanted),
  );
  // The inclusion proof of one entry contains the hashes of all others. Those of this bundle are computed from the bundle.
  const first = { index: index * TILE_WIDTH, size };
  const path = await inclusionProof(first.index, size, hashes);
  const found = rootFromInclusion(first, leaves[0] ?? new Uint8Array(), path);
  if (found === undefined || !isSameBytes(found, root)) throw damaged('does not belong to its head');
  return entries;
}
