import { readIfThere } from '../files/read-file.js';
import { withCheckpoint } from '../freshness/checkpoint.js';
import { freshnessFiles } from '../freshness/freshness.js';
import { diffLists } from '../list/list-diff.js';
import type { SignedList } from '../list/signed-list.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { changesUpTo } from '../tree/site/changes.js';
import { readLogo } from '../tree/site/logo.js';
import { assembleTree, type PublishedHolders, type Tree } from '../tree/tree.js';
import { predecessorOf, publishedList } from './predecessor.js';
import type { PublishOptions } from './publication.js';

/**
 * Assembles the tree of a signed list from new files and from files of the published tree.
 *
 * @param served - the published files, without a pending publication
 * @throws {@link KeyRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function assemble(
  { exceptions, freshness, precompress = false, about = {}, page = {} }: PublishOptions,
  served: PublishedTree | undefined,
  { signed, holders }: { readonly signed: SignedList; readonly holders: PublishedHolders | undefined },
): Promise<Tree> {
  const predecessor = predecessorOf(served, signed);
  const before = predecessor && publishedList(predecessor);
  const diff = before && diffLists(before, signed.list);
  const changes = predecessor && readIfThere(predecessor.folder, PATHS.changes);
  const { breakPinnedVerifiers } = exceptions ?? {};
  const { sequence, log, checkpoint } = signed.statement;
  const isLogged = log !== undefined;
  const tree = assembleTree({
    signed,
    promisesCheckpoints: checkpoint,
    log: log?.origin,
    freshness: await freshnessFiles(served, signed, { ...freshness, breakPinnedVerifiers, isLogged }),
    changes: changesUpTo(signed, changes, diff),
    holders,
    precompress,
    about,
    page: { ...page, logo: page.logo === undefined ? undefined : readLogo(page.logo) },
  });
  const { list, rootKey } = signed;
  const named = { updatedAt: list.updatedAt, rootKey, sequence, published: predecessor };
  return withCheckpoint(tree, named, freshness?.checkpoint);
}
