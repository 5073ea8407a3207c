import {
  forEachConcurrent,
  isPublication,
  LISTS_FOLDER,
  type PublicationStatement,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { KEPT_LIST_BYTES } from '../../generator/log/log-choice.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { LISTS_BEFORE, passingLists } from '../../generator/tree/named-lists.js';
import { PATHS } from '../../generator/tree/paths.js';
import { isServed } from '../../generator/verification/ask-host.js';
import type { HeldLog } from './held-release.js';
import type { DownloadedLog } from './log-download.js';
import { LARGE_CONCURRENCY, type NewRelease } from './new-release.js';

/** Adds the newest list under both of its names. The second is a hard link to the first. */
export async function addNewestList(
  release: NewRelease,
  { sha256: hash }: PublicationStatement,
): Promise<void> {
  for (const path of [PATHS.namedList(hash), PATHS.list])
    await release.addAll([{ path, hash, statedIn: PATHS.statements }]);
}

/**
 * Adds the lists before the newest one, for a registry without a log, which names none: those of a folder, or else those that the
 * release being served has.
 */
export async function addOlderLists(release: NewRelease, newest: string): Promise<void> {
  const listed = release.listed()?.flatMap((path) => (path.startsWith(LISTS_FOLDER) ? hashIn(path) : []));
  if (listed !== undefined) {
    for (const hash of listed) if (hash !== newest) await addListByHash(release, hash);
    return;
  }
  const older = release.held === undefined ? [] : passingLists(release.held.folder, newest, 0);
  for (const path of older.slice(0, LISTS_BEFORE))
    for (const hash of hashIn(path)) release.addHeld(path, hash);
}

/** Returns the hash that a list has in its name, if the name is that of a list. */
const hashIn = (path: string): string[] => path.match(/[0-9a-f]{64}(?=\.json$)/) ?? [];

/**
 * Adds the lists that the source keeps of the publications in its log, and what a pending publication needs. Files of the
 * release being served are linked.
 *
 * @param statement - the publication statement of the tree
 */
export async function addLoggedLists(
  release: NewRelease,
  { log, statement }: { readonly log: DownloadedLog; readonly statement: PublicationStatement },
  held: HeldLog | undefined,
): Promise<void> {
  const publications = log.entries.filter(isPublication);
  const published = publications.findIndex(({ entry }) => entry.sha256 === statement.hash);
  const pending = publications.slice(published + 1).at(-1);
  if (pending !== undefined) await addPending(release, pending.entry.list);
  const known = held?.entries.length ?? 0;
  const lists = (from: number, to: number) =>
    new Set(publications.filter(({ index }) => index >= from && index < to).map(({ entry }) => entry.list));
  // They never change, but a disk can damage them.
  const gone = known === 0 ? new Set() : await listsThatAreGone(release);
  const kept = [...lists(0, known)].filter((list) => !gone.has(PATHS.namedList(list)));
  const damaged = kept.filter((list) => !release.addHeld(PATHS.namedList(list), list));
  const fresh = [...damaged, ...lists(known, Number.POSITIVE_INFINITY)].filter(
    (list) => !release.includes(PATHS.namedList(list)),
  );
  await forEachConcurrent(fresh, LARGE_CONCURRENCY, (list) => addListByHash(release, list));
}

/** Adds the list of a publication that is only in the log yet, and its signature. */
async function addPending(release: NewRelease, list: string): Promise<void> {
  await release.addAll([{ path: PATHS.namedList(list), hash: list, statedIn: 'the log' }]);
  await release.fetchUnlisted(PATHS.pending(list, PATHS.signature));
}

/** Returns the paths of large lists that the release being served has, and that the source has removed by now. */
async function listsThatAreGone({ held, sourceName }: NewRelease): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  for (const path of held === undefined ? [] : passingLists(held.folder, '', KEPT_LIST_BYTES)) {
    if (!(await isServed(sourceName, path))) gone.add(path);
  }
  return gone;
}

/** Adds a list by the hash in its name, if the source has kept it. */
async function addListByHash(release: NewRelease, hash: string): Promise<void> {
  const path = PATHS.namedList(hash);
  const bytes = await release.fetch(path);
  if (bytes === undefined) return;
  if (sha256(bytes) !== hash) throw new TreeRejected(`${path} does not have the hash in its name`);
  release.addVerified(path, bytes);
}
