import type { SignedPublication } from '../list/list.js';
import { diffLists } from '../list/list-diff.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { assertDescription } from '../tree/registry-description.js';
import { changesUpTo } from '../tree/site/changes.js';
import { readLogo } from '../tree/site/logo.js';
import { assembleTree, type Tree } from '../tree/tree.js';
import { publishedList } from './predecessor.js';
import type { TreeOptions } from './publication.js';

/**
 * Assembles the tree of a list, but for its statements. Of what is signed, only issuers.sig depends on the signature, and
 * SHA256SUMS does not list that: so a request can name the hash of SHA256SUMS before anybody has signed.
 *
 * @param before - the tree with the newest committed publication, which the list follows
 * @throws {@link UsageError} if the description is not acceptable; {@link IoFailed} if the logo cannot be read
 */
export function assembleOver(
  before: PublishedTree | undefined,
  signed: SignedPublication,
  { about = {}, logo }: TreeOptions,
): Tree {
  assertDescription(about);
  const list = before && publishedList(before);
  const diff = list && diffLists(list, signed.list);
  const changes = before?.read(PATHS.changes);
  return assembleTree({
    signed,
    about,
    changes: changesUpTo(signed.list.updatedAt, changes, diff),
    logo: logo === undefined ? undefined : readLogo(logo),
  });
}
