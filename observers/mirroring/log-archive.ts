import {
  forEachConcurrent,
  type IndexedPublication,
  isPublication,
  type PublicationEntry,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { isServed } from '../../generator/verification/ask-host.js';
import type { HeldLog } from './held-release.js';
import type { DownloadedLog } from './log-download.js';
import { LARGE_CONCURRENCY, type NewRelease } from './new-release.js';

/**
 * Adds the lists that are kept of the publications in the log. Files of the release being served are linked. Called once the
 * list of the tree is in the folder, so that it is not downloaded again.
 *
 * @param statement - the publication statement of the tree
 */
export async function downloadArchive(
  release: NewRelease,
  { log, statement }: { readonly log: DownloadedLog; readonly statement: string },
  held: HeldLog | undefined,
): Promise<void> {
  const publications = log.entries.filter(isPublication);
  const hash = sha256(statement);
  const published = publications.findIndex(({ entry }) => entry.sha256 === hash);
  const pending = publications.slice(published + 1).at(-1);
  if (pending !== undefined) await addPendingList(release, pending.entry);
  await addLists(release, publications, held);
}

/** Adds the list of a publication that is only in the log yet, and its signature. */
async function addPendingList(release: NewRelease, { list }: PublicationEntry): Promise<void> {
  await release.addAll([{ path: PATHS.snapshot(list, PATHS.list), hash: list, statedIn: 'the log' }]);
  const signature = PATHS.snapshot(list, PATHS.signature);
  if (!release.includes(signature)) await release.fetchUnlisted(signature);
}

async function addLists(
  release: NewRelease,
  publications: readonly IndexedPublication[],
  held: HeldLog | undefined,
): Promise<void> {
  const known = held?.entries.length ?? 0;
  const lists = (from: number, to: number) =>
    new Set(publications.filter(({ index }) => index >= from && index < to).map(({ entry }) => entry.list));
  // They never change, but a disk can damage them.
  const damaged = [...lists(0, known)].filter((list) => !release.addHeld(PATHS.loggedList(list), list));
  const fresh = [...damaged, ...lists(known, Number.POSITIVE_INFINITY)].filter(
    (list) => !release.includes(PATHS.loggedList(list)),
  );
  await forEachConcurrent(fresh, LARGE_CONCURRENCY, (list) => addList(release, list));
}

/** Adds the kept list of a new publication, if the source has kept it. */
async function addList(release: NewRelease, hash: string): Promise<void> {
  const path = PATHS.loggedList(hash);
  if (release.hasContent(hash)) {
    if (await isServed(release.sourceName, path)) await release.addAll([{ path, hash, statedIn: 'the log' }]);
    return;
  }
  const bytes = await release.fetch(path);
  if (bytes === undefined) return;
  if (sha256(bytes) !== hash) throw new TreeRejected(`${path} does not have the hash in its path`);
  release.addVerified(path, bytes);
}
