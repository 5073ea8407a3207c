import { hash } from 'node:crypto';
import { sumsLine } from '@passport-registry/verifier/core';

/** Returns the SHA-256 in lower-case hexadecimal. A string is hashed as UTF-8. */
export function sha256(bytes: Uint8Array | string): string {
  return hash('sha256', bytes);
}

/** Returns the hashes of files in the format of `sha256sum -c`, sorted by path. */
export function sumsText(files: Iterable<readonly [path: string, bytes: Uint8Array]>): string {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, bytes]) => sumsLine(path, sha256(bytes)))
    .join('');
}

/**
 * Parses a SHA256SUMS to hashes by path. Returns undefined if the text is not in the form that `sumsText` writes,
 * if a path leads out of the tree, or if a path occurs twice.
 */
export function parseChecksums(text: string): Map<string, string> | undefined {
  if (!text.endsWith('\n')) return undefined;
  const sums = new Map<string, string>();
  for (const line of text.slice(0, -1).split('\n')) {
    const [, hash, path] = /^([0-9a-f]{64}) {2}([A-Za-z0-9._/-]+)$/.exec(line) ?? [];
    if (hash === undefined || path === undefined || sums.has(path)) return undefined;
    if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) return undefined;
    sums.set(path, hash);
  }
  return sums;
}
