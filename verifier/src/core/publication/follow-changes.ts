import { forEachConcurrent } from '../bytes/for-each-concurrent.js';
import { RegistryError } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import type { RecordChanges } from '../list/list-index.js';
import { readRecord } from '../list/record.js';
import type { PublicationStatement } from '../statements/publication-statement.js';
import type { CurrentTree, TreeChange } from '../sums/current-tree.js';
import { type NamedSums, prefixOf, readSums, recordIdOf, sumsPath } from '../sums/sums-file.js';
import { rebuildList, type Work } from './rebuild-list.js';
import { type RegistryFiles, readHashedFile } from './registry-files.js';

/** What turns the current list into a newer one. Nothing in it has been applied. */
export interface ListChange {
  readonly records: RecordChanges;
  /** The tree of sums of the current list, with the number of levels of the newer one. */
  readonly tree: CurrentTree;
  readonly treeChange: TreeChange;
}

/** A newer list than the current one. */
export interface NewerList {
  readonly statement: PublicationStatement;
  /** Whether the result has the bytes of the list. */
  readonly needsBytes: boolean;
}

/** What leads from the current list to a newer one. */
export interface FollowedList {
  readonly change: ListChange;
  /** Undefined if nobody needs the bytes. */
  readonly bytes: Uint8Array | undefined;
}

/** The records of the current list, which a newer list can reuse. */
export interface CurrentRecords {
  /** All records, sorted by id. */
  readonly issuers: readonly Issuer[];
  /** Returns the number of records after some changes. */
  countAfter(changes: RecordChanges): number;
  /** Returns all records as they are after some changes, sorted by id. */
  issuersAfter(changes: RecordChanges): readonly Issuer[];
  /** Returns the tree of sums of the records, with a number of levels. Undefined if that takes too long. */
  tree(levels: number): Promise<CurrentTree | undefined>;
  /** Calls {@link followList}. A bundle without a current list does not contain that code. */
  follow(files: RegistryFiles, newer: NewerList): Promise<FollowedList | undefined>;
}

/** A client downloads the whole list if the changes would take more than this share of the list. */
const MAX_SHARE = 1 / 4;

/**
 * Reads what leads from the current list to a newer one. The parameters and the errors are those of {@link followChanges} and
 * {@link rebuildList}.
 *
 * @returns undefined if the whole list is to be downloaded instead
 */
export async function followList(
  files: RegistryFiles,
  current: CurrentRecords,
  { needsBytes, statement, work }: NewerList & { readonly work: Work },
): Promise<FollowedList | undefined> {
  const change = await followChanges(files, current, statement);
  if (change === undefined) return undefined;
  const bytes = needsBytes
    ? await rebuildList(current.issuersAfter(change.records), statement, work)
    : undefined;
  return { change, bytes };
}

/**
 * Reads what turns the current list into the list of a publication statement: the sums files and the records that differ,
 * however old the current list is (rule sums-updates). Everything is verified, and nothing is applied.
 *
 * The tree of sums of the current list is computed from its records. The files of the change have the hashes that the
 * statement names. So a list to which the change has been applied has the tree of sums of the statement.
 *
 * @returns undefined if the whole list is to be downloaded instead
 * @throws {@link RegistryError} if the source lacks a file, or has one that does not belong to its publication
 */
async function followChanges(
  files: RegistryFiles,
  current: CurrentRecords,
  statement: PublicationStatement,
): Promise<ListChange | undefined> {
  const tree = await current.tree(statement.levels);
  if (tree === undefined) return undefined;
  const maxBytes = statement.size * MAX_SHARE;
  const difference = await readTreeDifference(files, { tree, named: statement, maxBytes });
  if (difference === undefined) return undefined;
  const { treeChange, changed, removed, downloaded } = difference;
  const recordSize = statement.size / Math.max(statement.issuers, 1) + REQUEST_BYTES;
  if (downloaded + changed.size * recordSize > maxBytes) return undefined;
  const records = new Map<string, Issuer | undefined>(removed.map((path) => [recordIdOf(path), undefined]));
  await forEachConcurrent([...changed], MAX_REQUESTS, async ([path, sha256]) => {
    const id = recordIdOf(path);
    records.set(id, readRecord(await readHashedFile(files, path, sha256), id));
  });
  const count = current.countAfter(records);
  if (count !== statement.issuers) {
    throw new RegistryError(
      'ERR_PUBLICATION_MISMATCH',
      `the tree of sums has ${count} issuers, but the publication names ${statement.issuers}`,
    );
  }
  return { records, tree, treeChange };
}

/** How many files to request from a source at the same time. */
const MAX_REQUESTS = 16;

/** What a request costs besides the body, in bytes: about the size of the headers. */
const REQUEST_BYTES = 1024;

/** The difference between the tree of sums of the current list and a newer one. */
interface TreeDifference {
  readonly treeChange: TreeChange;
  /** SHA-256 of the records that were added or changed, by path. */
  readonly changed: ReadonlyMap<string, string>;
  /** The paths of the records that were removed. */
  readonly removed: readonly string[];
  /** What was downloaded, in bytes. */
  readonly downloaded: number;
}

/**
 * Compares the tree of sums of the current list with the tree of a source. Descends only where hashes differ
 * (rule sums-updates).
 *
 * @param tree - has the same number of levels
 * @param maxBytes - about how much to download at most
 * @returns undefined if the difference needs more
 */
async function readTreeDifference(
  files: RegistryFiles,
  { tree, named, maxBytes }: { tree: CurrentTree; named: NamedSums; maxBytes: number },
): Promise<TreeDifference | undefined> {
  const { levels } = tree;
  const newFiles = new Map<string, Uint8Array>();
  const changed = new Map<string, string>();
  const removed: string[] = [];
  const removedBranches: string[] = [];
  let downloaded = 0;
  let level: [prefix: string, sha256: string][] =
    named.sumsSha256 === tree.sha256 ? [] : [['', named.sumsSha256]];
  while (level.length > 0) {
    const expected = level.reduce((size, [prefix]) => size + tree.size(prefix) + REQUEST_BYTES, 0);
    if (downloaded + expected > maxBytes) return undefined;
    const below: typeof level = [];
    await forEachConcurrent(level, MAX_REQUESTS, async ([prefix, sha256]) => {
      const bytes = await readHashedFile(files, sumsPath(prefix), sha256);
      const sums = readSums(bytes, { prefix, levels });
      const known = tree.sums(prefix);
      const isLeaf = prefix.length === levels;
      downloaded += bytes.length + REQUEST_BYTES;
      newFiles.set(prefix, bytes);
      for (const [path, hash] of sums) {
        if (known.get(path) === hash) continue;
        if (isLeaf) changed.set(path, hash);
        else below.push([prefixOf(path), hash]);
      }
      for (const path of known.keys()) {
        if (sums.has(path)) continue;
        if (isLeaf) removed.push(path);
        else removedBranches.push(prefixOf(path));
      }
    });
    level = below;
  }
  for (const prefix of removedBranches) {
    for (const [path] of tree.recordsBelow(prefix)) removed.push(path);
  }
  const treeChange = { sha256: named.sumsSha256, files: newFiles, removed: removedBranches };
  return { treeChange, changed, removed, downloaded };
}
