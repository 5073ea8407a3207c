import { forEachConcurrent } from '../bytes/for-each-concurrent.js';
import { RegistryError } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import { readRecord } from '../list/record.js';
import type { PublicationStatement } from '../statements/publication-statement.js';
import { recordIdOf } from '../sums/sums-place.js';
import { readHashedFile } from './hashed-file.js';
import type { HeldRecords, ListChange } from './held-records.js';
import type { RegistryFiles } from './registry-files.js';
import { MAX_REQUESTS, REQUEST_BYTES, readTreeDifference } from './tree-difference.js';

/** A client downloads the whole list if the changes would take more than this share of the list. */
const MAX_SHARE = 1 / 4;

/**
 * Reads what turns the held list into the list of a publication statement: the sums files and the records that differ,
 * however old the held list is (rule sums-updates). Everything is verified, and nothing is applied.
 *
 * The held tree of sums is computed from the held records. The files of the change have the hashes that the statement
 * names. So a list to which the change has been applied has the tree of sums of the statement.
 *
 * @returns undefined if the whole list is to be downloaded instead
 * @throws {@link RegistryError} if the source lacks a file, or has one that does not belong to its publication
 */
export async function followChanges(
  files: RegistryFiles,
  held: HeldRecords,
  statement: PublicationStatement,
): Promise<ListChange | undefined> {
  const tree = await held.tree(statement.levels);
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
  const count = held.countAfter(records);
  if (count !== statement.issuers) {
    throw new RegistryError(
      'ERR_PUBLICATION_MISMATCH',
      `the publication statement names a list of ${statement.issuers} issuers, but its tree of sums has ${count}`,
    );
  }
  return { records, tree, treeChange };
}
