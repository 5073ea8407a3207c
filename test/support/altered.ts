import type { Files } from './publication.js';

/** Returns files with one file replaced, or removed. */
export function altered(
  files: ReadonlyMap<string, Buffer>,
  path: string,
  content: string | Uint8Array | undefined,
): Files {
  const copy = new Map(files);
  if (content === undefined) copy.delete(path);
  else copy.set(path, Buffer.from(content));
  return copy;
}

/** Returns bytes with one bit flipped. Default: a bit in the middle. */
export function flipped(bytes: Uint8Array, bit = 8 * (bytes.length >> 1)): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}
