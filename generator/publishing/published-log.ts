import { type LogIdentity, parseAnyEntry, type SignedHead } from '@passport-registry/verifier/core';
import { damagedLog, type LogEnd, readLogEnd, readLogHead } from '../log/log-files.js';
import type { PublishedTree } from '../tree/published-tree.js';

/** The right edge of a published log, and its head. */
interface PublishedLog {
  readonly head: SignedHead;
  readonly end: LogEnd;
}

/**
 * Reads the right edge of a published log, and verifies that it belongs to the signed head, and ends with the publication of the
 * tree. The cost does not depend on the size of the log.
 *
 * @throws {@link TreeRejected} if the log is damaged, or another one
 */
export async function readPublishedLog(
  { read, statement }: PublishedTree,
  { origin, vkey }: LogIdentity,
): Promise<PublishedLog> {
  const head = readLogHead(read);
  if (head === undefined) throw damagedLog('is missing');
  if (head.origin !== origin) throw damagedLog(`is ${head.origin}, not ${origin}`);
  const end = await readLogEnd(read, head, [
    vkey,
    ...(statement.log === undefined ? [] : [statement.log.vkey]),
  ]);
  const last = end.bundle.at(-1);
  const invalid = (message: string) => damagedLog(`has a last entry that ${message}`);
  if (last === undefined || parseAnyEntry(last, invalid).sha256 !== statement.hash)
    throw damagedLog('does not end with the publication statement of the tree');
  return { head, end };
}
