import { readIfThere } from '../files/read-file.js';
import { withCheckpoint } from '../freshness/checkpoint.js';
import { freshnessFiles } from '../freshness/freshness.js';
import { diffLists } from '../list/list-diff.js';
import type { SignedList } from '../list/signed-list.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { changesUpTo } from '../tree/site/changes.js';
import { assembleTree, type Tree } from '../tree/tree.js';
import { predecessorOf, publishedList } from './predecessor.js';
import type { PublishOptions } from './publication.js';
import { readPublicationStatement } from './sign-statement.js';

/**
 * Assembles the tree of a signed list from new files and from files of the published tree.
 *
 * @throws {@link KeyRejected} | {@link UsageError}
 */
export async function assemble(
  { exceptions, freshness, precompress = false, about = {} }: PublishOptions,
  published: PublishedTree | undefined,
  signed: SignedList,
): Promise<Tree> {
  const predecessor = predecessorOf(published, signed);
  const before = predecessor && publishedList(predecessor);
  const diff = before && diffLists(before, signed.list);
  const changes = predecessor && readIfThere(predecessor.folder, PATHS.changes);
  const { breakPinnedVerifiers } = exceptions ?? {};
  const tree = assembleTree({
    signed,
    freshness: await freshnessFiles(published, signed, { ...freshness, breakPinnedVerifiers }),
    changes: changesUpTo(signed, changes, diff),
    precompress,
    about,
  });
  const { list, rootKey, statement } = signed;
  const { sequence } = readPublicationStatement(statement);
  return withCheckpoint(tree, { updatedAt: list.updatedAt, rootKey, sequence }, freshness?.checkpoint);
}
