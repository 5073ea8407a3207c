import { linkSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatNote, type SignedHead } from '@passport-registry/verifier/core';
import { flushFolder } from '../../generator/files/flush.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { HeldRelease } from './held-release.js';

/**
 * Puts a cosigned head into a release, with one rename: readers see the old file or the new one.
 *
 * @param temporary - the path of a file that does not exist, on the same file system
 */
export function serveCosigned(release: string, head: SignedHead, temporary: string): void {
  const file = join(release, PATHS.cosignedHead(head.origin));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(temporary, formatNote(head.note), { mode: 0o644, flush: true });
  renameSync(temporary, file);
  flushFolder(dirname(file));
}

/** Keeps the head that an earlier run has cosigned, when a release replaces another one. */
export function keepCosigned(held: HeldRelease | undefined, folder: string, origin: string): void {
  const path = PATHS.cosignedHead(origin);
  if (held?.contains(path) !== true) return;
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  linkSync(join(held.folder, path), join(folder, path));
}
