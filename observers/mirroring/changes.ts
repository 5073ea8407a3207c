import { type Changes, recordIdOf } from '@passport-registry/verifier/core';
import { updatedAtOf } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { continueFeed } from '../../generator/tree/site/atom.js';
import { addChanges, changesBytes, parseChanges } from '../../generator/tree/site/changes.js';
import type { HeldRelease } from './held-release.js';
import type { NewRelease, StatedFile } from './new-release.js';

/** The files that a new list brings. */
interface NewList {
  /** The `updated_at` of the list. */
  readonly updatedAt: string;
  readonly records: readonly StatedFile[];
  /** The files in SHA256SUMS. */
  readonly files: readonly StatedFile[];
}

/**
 * Makes changes.json and changes.atom from those of the release being served and from the records that differ, as a
 * build does. A file that does not get its hash, for example after several publications, is downloaded later.
 */
export function makeChanges(release: NewRelease, next: NewList): void {
  const { held } = release;
  if (held === undefined) return;
  const isWanted = ({ path, hash }: StatedFile) =>
    [PATHS.changes, PATHS.feed].some((name) => name === path) && !release.isHeld(path, hash);
  const wanted = next.files.filter(isWanted);
  const changes = wanted.length === 0 ? undefined : changesAfter(release, held, next);
  if (changes === undefined) return;
  const feed = held.read(PATHS.feed)?.toString('utf8');
  for (const { path, hash } of wanted) {
    if (path === PATHS.changes) release.addOwn(path, changesBytes(changes), hash);
    else if (feed !== undefined) release.addOwn(path, Buffer.from(continueFeed(feed, changes)), hash);
  }
}

/** Returns undefined if files of the release being served are damaged or missing. */
function changesAfter(release: NewRelease, held: HeldRelease, next: NewList): Changes | undefined {
  const [data, list] = [held.read(PATHS.changes), held.read(PATHS.list)];
  const previous = data && parseChanges(data);
  const heldAt = list && updatedAtOf(list);
  if (previous === undefined || heldAt === undefined) return undefined;
  const differing = next.records.filter(({ path, hash }) => !release.isHeld(path, hash));
  const changed = new Map(differing.map(({ path }) => [recordIdOf(path), release.read(path)]));
  const ids = new Set(next.records.map(({ path }) => recordIdOf(path)));
  const removed = held.issuerIds().filter((id) => !ids.has(id));
  const before = new Map<string, Buffer>();
  for (const id of [...changed.keys(), ...removed]) {
    const bytes = held.read(PATHS.record(id));
    if (bytes !== undefined) before.set(id, bytes);
  }
  const diff = { before: { updatedAt: heldAt, records: () => before }, changed, removed };
  try {
    return addChanges(previous, diff, next.updatedAt);
  } catch (error) {
    // A damaged record is no JSON.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
