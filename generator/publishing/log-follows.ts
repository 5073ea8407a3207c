import type { StoredPublication } from '@passport-registry/verifier';
import { type SignedHead, signerAmong, type TreeHead, verifiedUnder } from '@passport-registry/verifier/core';
import { TreeRejected } from '../errors.js';
import { damagedLog, type ReadFile, readLogHead } from '../log/log-files.js';
import { readEntries } from '../log/read-log.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedFiles } from '../tree/published-tree.js';

/** What a live registry serves: the head of its log, and what a verifier would store. Nothing has been verified. */
export interface LiveLog {
  readonly head: Uint8Array | undefined;
  readonly publication: StoredPublication | undefined;
}

/** The files of a tree in memory. */
type Files = ReadonlyMap<string, Uint8Array>;

/**
 * Whether a tree has a log, and nothing has been published yet: the first publication waits for the cosignatures of its
 * head (rule log-write-order).
 */
export function isOnlyLogged(files: Files): boolean {
  return !files.has(PATHS.list) && files.has(PATHS.logHead);
}

/**
 * Returns why the log of a tree does not contain an earlier log.
 *
 * @param earlier - undefined if there was no log
 * @returns a predicate, such as "has no log"; undefined if the log contains the earlier one
 * @throws {@link TreeRejected} if the log of the tree is damaged
 */
export async function findLogFault(files: Files, earlier: TreeHead | undefined): Promise<string | undefined> {
  if (earlier === undefined) return undefined;
  const before = `a log with ${earlier.size} entries was published`;
  const read: ReadFile = (path) => files.get(path);
  const head = readLogHead(read);
  if (head === undefined) return `has no log, but ${before}`;
  if (head.size < earlier.size) return `has a log with ${head.size} entries, but ${before}`;
  const { tree } = await readEntries({ fetchFile: async (path) => read(path), invalid: damagedLog }, head);
  if (await tree.contains(earlier)) return undefined;
  return `has another log: ${before}, which it does not contain`;
}

/**
 * Returns the head of the log that a live registry serves. A head that is not signed by the key of the log is no evidence.
 *
 * @param published - the tree on the branch. Its statements name the key of the log, as does the live one
 */
export async function evidentHead(
  { head: bytes, publication }: LiveLog,
  { statement, pending, rootKey }: Pick<PublishedFiles, 'statement' | 'pending' | 'rootKey'>,
): Promise<SignedHead | undefined> {
  if (rootKey === undefined) return undefined;
  const live = await verifiedUnder(publication?.publication, [rootKey]);
  const vkeys = [statement, pending?.statement, live].flatMap((one) => one?.log?.vkey ?? []);
  try {
    const head = readLogHead(() => bytes);
    return head && ((await signerAmong(head, vkeys)) === undefined ? undefined : head);
  } catch (error) {
    if (error instanceof TreeRejected) return undefined;
    throw error;
  }
}
