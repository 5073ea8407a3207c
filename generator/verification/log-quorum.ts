import {
  type LogTrust,
  type PublicationStatement,
  recentCosignatures,
  verifyPublicationProof,
} from '@passport-registry/verifier/core';
import { clockAt } from '../list/updated-at.js';
import { PATHS } from '../tree/paths.js';
import { Problems, type SeenFiles } from './seen-files.js';

/** What a trust anchor demands of the log, and when. */
export interface LogDemands extends LogTrust {
  /** The age of the oldest cosignature that counts, in milliseconds. */
  readonly maxAgeMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Checks what a trust anchor demands of a publication: that it is in this log, and that enough witnesses have cosigned the log
 * of late, as a verifier's client does (rule log-quorum).
 */
export async function checkQuorum(
  files: SeenFiles,
  statement: PublicationStatement | undefined,
  { maxAgeMs, now, ...trust }: LogDemands,
): Promise<void> {
  if (statement === undefined) throw new Problems([`the tree has no ${PATHS.publication} that names a log`]);
  const times = recentCosignatures(clockAt(now), maxAgeMs);
  await verifyPublicationProof(await files.get(PATHS.logProof), statement, { ...trust, ...times });
}
