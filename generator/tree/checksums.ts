import { hash } from 'node:crypto';

/** The path of the checksums in the tree. */
export const CHECKSUMS_PATH = 'SHA256SUMS';

/** What the checksums cannot cover: themselves, and the checkpoint, which names their hash (SPEC B6). */
export const NOT_CHECKSUMMED: readonly string[] = [CHECKSUMS_PATH, 'checkpoint.jwt'];

/** SHA-256 in lower-case hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

/** The text of SHA256SUMS: what `sha256sum -c` reads, sorted by path. */
export function checksumsText(files: ReadonlyMap<string, Uint8Array>): string {
  return [...files]
    .filter(([path]) => !NOT_CHECKSUMMED.includes(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, bytes]) => `${sha256(bytes)}  ${path}\n`)
    .join('');
}

/**
 * The hashes of a SHA256SUMS by path, or undefined when it is not in the one form that `checksumsText` writes: no
 * path may leave the tree, and none may stand twice.
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
