import type { Issuer } from '@passport-registry/verifier';
import type { Delegation, Statement } from '@passport-registry/verifier/core';
import { readIfThere } from '../../generator/files/read-file.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { ProvenStatements } from '../../generator/verification/verify.js';
import type { ServedStatement } from '../../observers/mirroring/read-host.js';
import type { MirrorStatus } from '../../observers/mirroring/status.js';
import { rotationOf } from './local-tree.js';

/** How a part that a host serves compares with the same part of the tree in the output folder. */
export type Compared = 'same' | 'older' | 'newer' | 'missing' | 'other';

/** How the parts that a host serves compare with the tree in the output folder. Undefined if one cannot be read. */
export interface TreeComparison {
  readonly list: Compared | undefined;
  readonly rootKey: Compared | undefined;
  readonly delegation: Compared | undefined;
  readonly checkpoint: Compared | undefined;
  readonly publication: Compared | undefined;
  readonly holds: HoldComparison | undefined;
}

/** How the issuers that two checkpoints hold differ (rule hold-kept). */
export interface HoldComparison {
  /** Held by the host only, and not stopped by the list of the tree: whoever publishes the tree releases them. */
  readonly onlyHost: readonly string[];
  /** Held by the tree only: they are not stopped yet, and whoever loads the host's tree releases them. */
  readonly onlyTree: readonly string[];
  /** The key that signed the host's checkpoint, if the delegation of the tree leaves it out. Its holds do not count. */
  readonly leftOut: { readonly key: string; readonly hold: readonly string[] } | undefined;
}

/** The tree in the output folder, as far as it is compared. */
export interface OwnTree extends ProvenStatements {
  readonly folder: string;
  readonly updatedAt: string | undefined;
  /** SHA-256 of the list. */
  readonly sha256: string | undefined;
  /** RFC 7638 thumbprint. */
  readonly rootKey: string | undefined;
  /** The records of the list; none if it cannot be read. */
  readonly issuers: readonly Issuer[];
}

/**
 * Compares what a host serves with the tree in the output folder.
 *
 * @param delegation - the delegation that says which keys sign checkpoints from now on
 */
export function compareTrees(
  host: MirrorStatus,
  tree: OwnTree,
  delegation: Pick<Delegation, 'keys'> | undefined = tree.delegation,
): TreeComparison {
  const list = compareLists(host, tree);
  if (list === undefined) {
    const unknown = { delegation: undefined, checkpoint: undefined, publication: undefined };
    return { list, rootKey: undefined, ...unknown, holds: undefined };
  }
  const delegations = compareStatements(host.delegation, tree, 'delegation');
  const signer = host.checkpoint?.signer;
  const trusted = [tree.rootKey, host.rootKey, ...(delegation?.keys ?? []).map((key) => key.thumbprint)];
  const isLeftOut = signer !== undefined && delegations !== 'newer' && !trusted.includes(signer);
  return {
    list,
    rootKey: compareRootKeys(host, tree),
    delegation: delegations,
    // Whoever stole a key that was replaced can date its checkpoints as late as they like.
    checkpoint: isLeftOut ? 'older' : compareStatements(host.checkpoint, tree, 'checkpoint'),
    publication: compareStatements(host.publication, tree, 'publication'),
    holds: compareHolds(host, tree, { isLeftOut, isSameList: list === 'same' }),
  };
}

function compareHolds(
  { checkpoint: served }: MirrorStatus,
  { folder, checkpoint, issuers }: OwnTree,
  { isLeftOut, isSameList }: { readonly isLeftOut: boolean; readonly isSameList: boolean },
): HoldComparison | undefined {
  // Nobody can tell what a damaged checkpoint holds.
  if (checkpoint === undefined && readIfThere(folder, PATHS.checkpoint) !== undefined) return undefined;
  const [theirs, own] = [served?.hold ?? [], checkpoint?.hold ?? []];
  const stopped = issuers.filter(({ status }) => status !== 'active').map(({ issuer_id }) => issuer_id);
  const without = (ids: readonly string[], others: readonly string[]) =>
    ids.filter((id) => !others.includes(id));
  return {
    onlyHost: isLeftOut ? [] : without(without(theirs, own), stopped),
    onlyTree: without(without(own, theirs), isSameList ? stopped : []),
    leftOut: isLeftOut && served?.signer !== undefined ? { key: served.signer, hold: theirs } : undefined,
  };
}

/** Compares the whole trees: what is newer on the host in any part must not be replaced. */
export function compareWhole({
  list,
  rootKey,
  holds: _holds,
  ...statements
}: TreeComparison): 'same' | 'older' | 'newer' | 'other' | undefined {
  if (list === undefined) return undefined;
  // After a rotation, nobody should publish with the outgoing key.
  if (list === 'other' || (rootKey === 'older' && list === 'newer')) return 'other';
  const parts = [list, rootKey, ...Object.values(statements)];
  if (parts.includes('newer')) return 'newer';
  return parts.some((part) => part === 'older' || part === 'missing') ? 'older' : 'same';
}

/** Names the parts that differ, in words. */
export function differences({
  list,
  rootKey,
  publication,
  holds: _holds,
  ...statements
}: TreeComparison): string {
  // Every list has a publication statement of its own.
  const isOther = list !== 'same';
  const said = isOther ? undefined : publication;
  const named = { list, ...statements, 'publication statement': said, 'root key': rootKey };
  const words = Object.entries(named).flatMap(([part, how]) => {
    if (how === undefined || how === 'same') return [];
    const article = how === 'newer' ? 'a' : 'an';
    return [how === 'missing' ? `no ${part}` : `${article} ${how} ${part}`];
  });
  return words.join(' and ');
}

function compareLists({ updatedAt, sha256 }: MirrorStatus, tree: OwnTree): Compared | undefined {
  if (updatedAt === undefined || tree.updatedAt === undefined) return undefined;
  if (sha256 === tree.sha256) return 'same';
  if (updatedAt === tree.updatedAt) return 'other';
  return updatedAt < tree.updatedAt ? 'older' : 'newer';
}

/** A host was verified with a key from which the keys of both trees follow, so another key is earlier or later. */
function compareRootKeys({ rootKey }: MirrorStatus, { folder, ...tree }: OwnTree): Compared | undefined {
  if (rootKey === undefined || tree.rootKey === undefined) return undefined;
  if (rootKey === tree.rootKey) return 'same';
  const isEarlier = rotationOf(folder).some(({ kid }) => kid === rootKey);
  return isEarlier ? 'older' : 'newer';
}

function compareStatements(
  served: ServedStatement | undefined,
  tree: OwnTree,
  name: 'delegation' | 'checkpoint' | 'publication',
): Compared | undefined {
  const bytes = readIfThere(tree.folder, PATHS[name]);
  const own = tree[name];
  if (bytes === undefined) return served === undefined ? 'same' : 'newer';
  // The tree's own statement is not valid.
  if (own === undefined) return undefined;
  if (served === undefined) return 'missing';
  if (served.sha256 === sha256(bytes)) return 'same';
  return isNewer(served, own) ? 'newer' : 'older';
}

/** Publication statements have a sequence, because two of them can be of the same second. */
interface Sequenced {
  readonly sequence?: number | undefined;
}

/** Names the issuers that only one of two checkpoints holds, in words. Undefined if there are none. */
export function holdsInWords({ holds }: TreeComparison, folder: string): string | undefined {
  const { onlyHost = [], onlyTree = [] } = holds ?? {};
  const words = [
    ...(onlyHost.length === 0 ? [] : [`it holds ${onlyHost.join(', ')}, and ${folder} does not`]),
    ...(onlyTree.length === 0 ? [] : [`${folder} holds ${onlyTree.join(', ')}, and it does not`]),
  ];
  return words.length === 0 ? undefined : words.join('; ');
}

function isNewer(served: ServedStatement & Sequenced, own: Pick<Statement, 'issuedAt'> & Sequenced): boolean {
  if (served.sequence !== undefined && own.sequence !== undefined) return served.sequence > own.sequence;
  return served.issuedAt > formatUpdatedAt(own.issuedAt);
}
