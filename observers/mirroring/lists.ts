import {
  type AnyEntry,
  forEachConcurrent,
  LISTS_FOLDER,
  type PublicationStatement,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { KEPT_LIST_BYTES } from '../../generator/log/log-choice.js';
import { LISTS_BEFORE, passingLists } from '../../generator/tree/named-lists.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { HeldRelease } from './held-release.js';
import { LARGE_CONCURRENCY, type NewRelease } from './new-release.js';

/** Adds the newest list under both of its names. The second is a hard link to the first. */
export async function addNewestList(
  release: NewRelease,
  { sha256: hash }: PublicationStatement,
): Promise<void> {
  const path = PATHS.namedList(hash);
  await release.addAll([{ path, hash, statedIn: PATHS.statements }]);
  release.addLink(PATHS.list, path);
}

/**
 * Adds the lists before the newest one that a publisher keeps by default. They come from the release being served and, if the
 * source has kept them, from the source: all that a folder lists, or that new entries of the log name.
 *
 * @param entries - of the log
 * @param known - how many of them the release being served has
 */
export async function addOlderLists(
  release: NewRelease,
  { sha256: newest, log }: PublicationStatement,
  { entries, known }: { readonly entries: readonly AnyEntry[]; readonly known: number },
): Promise<void> {
  const { held } = release;
  const logged = log === undefined ? undefined : entries.flatMap(listOf);
  const kept = held === undefined ? [] : keptLists(held, newest, logged);
  const isMissing = (hash: string) => !release.includes(PATHS.namedList(hash));
  for (const hash of kept.filter(isMissing)) release.addHeld(PATHS.namedList(hash), hash);
  // A list that is damaged in the release being served is requested again.
  const named = release.listed()?.flatMap(hashIn) ?? [...kept, ...entries.slice(known).flatMap(listOf)];
  const missing = [...new Set(named)].filter(isMissing);
  await forEachConcurrent(missing, LARGE_CONCURRENCY, (hash) => addListByHash(release, hash));
}

const listOf = (entry: AnyEntry): string[] => (entry.type === 'publication' ? [entry.list] : []);

/** Returns the hash in the path of a list. Empty for other paths. */
const hashIn = (path: string): string[] =>
  path.startsWith(LISTS_FOLDER) ? (path.match(/[0-9a-f]{64}(?=\.json$)/) ?? []) : [];

/**
 * Returns the hashes of the lists of a release that a publisher keeps by default.
 *
 * @param logged - the lists that the log names. Undefined if there is no log, so that large lists are not kept permanently
 */
function keptLists(held: HeldRelease, newest: string, logged: readonly string[] | undefined): string[] {
  const keptBytes = logged === undefined ? 0 : KEPT_LIST_BYTES;
  const passed = passingLists(held.folder, newest, keptBytes).slice(LISTS_BEFORE);
  const kept = held.lists().filter((path) => !passed.includes(path));
  return kept.flatMap(hashIn).filter((hash) => logged?.includes(hash) !== false);
}

/** Adds a list by the hash in its name, if the source has kept it. */
async function addListByHash(release: NewRelease, hash: string): Promise<void> {
  const path = PATHS.namedList(hash);
  const bytes = await release.fetch(path);
  if (bytes === undefined) return;
  if (!release.addOwn(path, bytes, hash))
    throw new TreeRejected(`${path} does not have the hash in its name`);
}
