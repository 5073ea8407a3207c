import type { Statement } from '@passport-registry/verifier/core';
import { readIfThere } from '../../generator/files/read-file.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { ServedStatement } from '../../observers/mirroring/read-host.js';
import type { MirrorStatus } from '../../observers/mirroring/status.js';
import { type LocalTree, rotationOf } from './local-tree.js';

/** How a part that a host serves compares with the same part of the tree in the output folder. */
export type Compared = 'same' | 'older' | 'newer' | 'missing' | 'other';

/** How the parts that a host serves compare with the tree in the output folder. Undefined if one cannot be read. */
export interface TreeComparison {
  readonly list: Compared | undefined;
  readonly rootKey: Compared | undefined;
  readonly delegation: Compared | undefined;
  readonly checkpoint: Compared | undefined;
  readonly publication: Compared | undefined;
}

/** Compares what a host serves with the tree in the output folder. */
export function compareTrees(host: MirrorStatus, tree: LocalTree): TreeComparison {
  const list = compareLists(host, tree);
  if (list === undefined) {
    const unknown = { delegation: undefined, checkpoint: undefined, publication: undefined };
    return { list, rootKey: undefined, ...unknown };
  }
  return {
    list,
    rootKey: compareRootKeys(host, tree),
    delegation: compareStatements(host.delegation, tree, 'delegation'),
    checkpoint: compareStatements(host.checkpoint, tree, 'checkpoint'),
    publication: compareStatements(host.publication, tree, 'publication'),
  };
}

/** Compares the whole trees: what is newer on the host in any part must not be replaced. */
export function compareWhole({
  list,
  rootKey,
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
export function differences({ list, rootKey, publication, ...statements }: TreeComparison): string {
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

function compareLists({ updatedAt, sha256 }: MirrorStatus, { report }: LocalTree): Compared | undefined {
  if (updatedAt === undefined || report?.updatedAt === undefined) return undefined;
  if (sha256 === report.sha256) return 'same';
  if (updatedAt === report.updatedAt) return 'other';
  return updatedAt < report.updatedAt ? 'older' : 'newer';
}

/** A host was verified with a key from which the keys of both trees follow, so another key is earlier or later. */
function compareRootKeys({ rootKey }: MirrorStatus, { folder, report }: LocalTree): Compared | undefined {
  if (rootKey === undefined || report?.rootKey === undefined) return undefined;
  if (rootKey === report.rootKey) return 'same';
  const isEarlier = rotationOf(folder).some(({ kid }) => kid === rootKey);
  return isEarlier ? 'older' : 'newer';
}

function compareStatements(
  served: ServedStatement | undefined,
  tree: LocalTree,
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

function isNewer(served: ServedStatement & Sequenced, own: Pick<Statement, 'issuedAt'> & Sequenced): boolean {
  if (served.sequence !== undefined && own.sequence !== undefined) return served.sequence > own.sequence;
  return served.issuedAt > formatUpdatedAt(own.issuedAt);
}
