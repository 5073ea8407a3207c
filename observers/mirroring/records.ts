import { RegistryError } from '@passport-registry/verifier';
import {
  type Changes,
  hasCode,
  type PublicationStatement,
  prefixOf,
  readList,
  readSums,
  recordIdOf,
  sumsPath,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { listBytes, recordsBytes } from '../../generator/list/list.js';
import { updatedAtOf } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { continueFeed } from '../../generator/tree/site/atom.js';
import { addChanges, changesBytes, parseChanges } from '../../generator/tree/site/changes.js';
import type { HeldRelease } from './held-release.js';
import type { NewRelease, StatedFile } from './new-release.js';

/** If a larger share of the records is missing, one download of the list takes less than one of each record. */
const MAX_SHARE = 0.25;

/**
 * Downloads the tree of sums from the root down, then the records, and makes the list from the records
 * (rule sums-updates), or the other way round for a first copy. Only files that differ from the release being served are
 * downloaded.
 *
 * @param statement - the publication statement, which has been verified
 * @returns the records
 */
export async function downloadRecords(
  release: NewRelease,
  statement: PublicationStatement,
): Promise<readonly StatedFile[]> {
  const { levels, sumsSha256, issuers } = statement;
  let files: StatedFile[] = [{ path: sumsPath(''), hash: sumsSha256, statedIn: PATHS.publication }];
  for (let level = 0; level <= levels; level++) {
    await release.addAll(files);
    files = files.flatMap(({ path }) => readBranch(release, path, levels));
    // There is a record below each sums file, so that the number of downloads has a limit.
    if (files.length > issuers || (level === levels && files.length < issuers)) {
      throw new TreeRejected(
        `${PATHS.publication} names ${issuers} issuers, but the sums list ${files.length} files or records`,
      );
    }
  }
  const { sha256 } = statement;
  const isListHeld = release.isHeld(PATHS.list, sha256);
  const missing = files.filter(({ path, hash }) => !release.isHeld(path, hash));
  // The list was in the log, before it was published.
  const wasPending = !isListHeld && release.addFrom(PATHS.snapshot(sha256, PATHS.list), PATHS.list, sha256);
  if (wasPending || (!isListHeld && missing.length > issuers * MAX_SHARE)) {
    await release.addAll([{ path: PATHS.list, hash: sha256, statedIn: PATHS.publication }]);
    addFromList(release, missing);
  }
  await release.addAll(files);
  if (!isListHeld && !release.has(PATHS.list, sha256)) makeList(release, files, statement);
  return files;
}

/** Returns the files that a sums file lists. Its hash has been checked. */
function readBranch(release: NewRelease, path: string, levels: number): StatedFile[] {
  const prefix = path === sumsPath('') ? '' : prefixOf(path);
  try {
    const sums = readSums(release.read(path), { prefix, levels });
    return [...sums].map(([listed, hash]) => ({ path: listed, hash, statedIn: path }));
  } catch (cause) {
    if (!hasCode(cause, 'ERR_SUMS_INVALID')) throw cause;
    throw new TreeRejected(`${cause.code}, ${cause.message}`, { cause });
  }
}

/**
 * Makes the records of a tree without a publication statement, which SHA256SUMS lists. Each record must be an entry of the list: the
 * unsigned SHA256SUMS could otherwise list any number of records to download.
 */
export async function makeRecords(release: NewRelease, records: readonly StatedFile[]): Promise<void> {
  const missing = records.filter(({ path, hash }) => !release.isHeld(path, hash));
  addFromList(release, missing);
  const stray = missing.find(({ path, hash }) => !release.has(path, hash));
  if (stray !== undefined) throw new TreeRejected(`${stray.path} is not its entry in the list`);
  await release.addAll(records);
}

/** Makes records from the list, which is in the folder. Records that differ from their entries are downloaded later. */
function addFromList(release: NewRelease, wanted: readonly StatedFile[]): void {
  if (wanted.length === 0) return;
  const records = recordsIn(release.read(PATHS.list));
  for (const { path, hash } of wanted) {
    const bytes = records.get(recordIdOf(path));
    if (bytes !== undefined) release.addOwn(path, bytes, hash);
  }
}

/** Returns the records of a list by id; none if the list is not valid, which the verification of the release reports. */
function recordsIn(list: Uint8Array): ReadonlyMap<string, Uint8Array> {
  try {
    return recordsBytes(readList(list).issuers);
  } catch (error) {
    if (error instanceof RegistryError) return new Map();
    throw error;
  }
}

/** Joins the records to the list. If the result is not the signed list, the list is downloaded later. */
function makeList(
  release: NewRelease,
  records: readonly StatedFile[],
  { updatedAt, sha256 }: PublicationStatement,
): void {
  // By code units, as the ids in a list.
  const paths = records.map(({ path }) => path).sort();
  const sorted = new Map(paths.map((path) => [path, release.read(path)]));
  release.addOwn(PATHS.list, listBytes(sorted, updatedAt).list, sha256);
}

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
