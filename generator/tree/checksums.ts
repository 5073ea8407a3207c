import { hash } from 'node:crypto';
import { sumsLine } from '@passport-registry/verifier/core';
import { PAGES_FOLDER, PATHS } from './paths.js';

/** The path of the checksums in the tree. */
export const CHECKSUMS_PATH = 'SHA256SUMS';

/**
 * The files that SHA256SUMS cannot list: SHA256SUMS itself, the checkpoint, which contains its hash
 * (rule checksums-form), and the files that are written after the checkpoint.
 */
const UNLISTABLE: readonly string[] = [CHECKSUMS_PATH, PATHS.checkpoint, PATHS.operations, PATHS.statements];

/**
 * Returns whether SHA256SUMS lists a path. The tree of sums lists the records and the sums files below its root
 * (rule tree-of-sums). A log proves its own files (rule log-audit). pages.txt lists the pages of issuers (rule issuer-pages).
 */
export function isChecksummed(path: string): boolean {
  return (
    !UNLISTABLE.includes(path) &&
    !isIssuerPage(path) &&
    !/^(?:issuers\/[^.]|sums\/(?!root$)[^.]|log\/[^.]|witness\/)/.test(path)
  );
}

/** Whether a path is that of the page of an issuer, or comes with these pages: pages.txt lists it (rule issuer-pages). */
export function isIssuerPage(path: string): boolean {
  return path === PATHS.sitemap || path.startsWith(PAGES_FOLDER);
}

/** Returns the SHA-256 in lower-case hexadecimal. A string is hashed as UTF-8. */
export function sha256(bytes: Uint8Array | string): string {
  return hash('sha256', bytes);
}

/** Returns the text of SHA256SUMS, in the format of `sha256sum -c`, sorted by path. */
export function checksumsText(files: ReadonlyMap<string, Uint8Array>): string {
  return sumsText([...files].filter(([path]) => isChecksummed(path)));
}

/** Returns the hashes of files in the format of `sha256sum -c`, sorted by path. */
export function sumsText(files: Iterable<readonly [path: string, bytes: Uint8Array]>): string {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, bytes]) => sumsLine(path, sha256(bytes)))
    .join('');
}

/**
 * Parses a SHA256SUMS to hashes by path. Returns undefined if the text is not in the form that `checksumsText` writes,
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
