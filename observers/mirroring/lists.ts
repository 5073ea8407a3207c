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
 * Adds the lists before the newest one. Those of the release being served stay, as long as a publisher keeps them by default. New
 * ones are those that a folder lists, or that new entries of the log name, as far as the source has kept them.
 *
 * @param entries - the new entries of the log
 */
export async function addOlderLists(
  release: NewRelease,
  { sha256: newest, log }: PublicationStatement,
  entries: readonly AnyEntry[],
): Promise<void> {
  const keptBytes = log === undefined ? 0 : KEPT_LIST_BYTES;
  const { held } = release;
  const had = held === undefined ? [] : keptLists(held, newest, keptBytes);
  // A damaged one is asked for again.
  const damaged = had.filter((hash) => !release.addHeld(PATHS.namedList(hash), hash));
  const named = release.listed()?.flatMap(hashIn) ?? [...damaged, ...entries.flatMap(listOf)];
  const fresh = [...new Set(named)].filter((hash) => !release.includes(PATHS.namedList(hash)));
  await forEachConcurrent(fresh, LARGE_CONCURRENCY, (hash) => addListByHash(release, hash));
}

const listOf = (entry: AnyEntry): string[] => (entry.type === 'publication' ? [entry.list] : []);

/** Returns the hash that a list has in its name, if the path is that of a list. */
const hashIn = (path: string): string[] =>
  path.startsWith(LISTS_FOLDER) ? (path.match(/[0-9a-f]{64}(?=\.json$)/) ?? []) : [];

/** Returns the hashes of the lists of a release that a publisher keeps by default. */
function keptLists(held: HeldRelease, newest: string, keptBytes: number): string[] {
  const passed = passingLists(held.folder, newest, keptBytes).slice(LISTS_BEFORE);
  return held
    .lists()
    .filter((path) => !passed.includes(path))
    .flatMap(hashIn);
}

/** Adds a list by the hash in its name, if the source has kept it. */
async function addListByHash(release: NewRelease, hash: string): Promise<void> {
  const path = PATHS.namedList(hash);
  const bytes = await release.fetch(path);
  if (bytes === undefined) return;
  if (!release.addOwn(path, bytes, hash))
    throw new TreeRejected(`${path} does not have the hash in its name`);
}
