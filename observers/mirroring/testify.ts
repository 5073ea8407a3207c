import { linkSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatNote } from '@passport-registry/verifier/core';
import { flushFolder } from '../../generator/files/flush.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import type { CheckedLog } from '../../generator/verification/verify-log.js';
import { type Cosigner, cosignHead } from '../witnessing/cosign-head.js';
import type { CosignedHead } from '../witnessing/witness-state.js';
import type { HeldRelease } from './held-release.js';

/** A head that a mirror has cosigned. */
export interface Testimony {
  /** The name of the witness. */
  readonly witness: string;
  /** The name and the number of entries of the log. */
  readonly origin: string;
  readonly size: number;
}

/**
 * Cosigns the head of a log that a mirror has verified (rule mirror-cosigns). The head is on the disk, in the state of
 * the witness, before this function returns.
 *
 * @throws {@link HeadRefused} if the log does not contain the head that was cosigned last; {@link IoFailed}
 */
export function cosignVerified(cosigner: Cosigner, { head, key, tree }: CheckedLog): Promise<CosignedHead> {
  return cosignHead(cosigner, { head, logKeys: [key], prove: ({ size }) => tree.proofFrom(size) });
}

/**
 * Puts a cosigned head into a release, with one rename: readers see the old file or the new one.
 *
 * @param temporary - the path of a file that does not exist, on the same file system
 */
export function serveCosigned(release: string, { head }: CosignedHead, temporary: string): void {
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

/** Says what a witness has cosigned. */
export function testimonyOf({ state }: Cosigner, { head: { origin, size } }: CosignedHead): Testimony {
  return { witness: state.key.name, origin, size };
}

/**
 * Returns what a mirror demands of a log before it cosigns: no cosignatures of others. If each witness waited for the others,
 * nobody would begin. Before the mirror serves anything, it demands them.
 */
export function withoutQuorum({ log, ...trust }: PinnedTrust): PinnedTrust {
  return { ...trust, log: log.log === undefined ? {} : { log: log.log } };
}
