import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import type { Condition } from './condition.js';
import type { LiveCondition } from './hosts-condition.js';
import type { LocalTree } from './local-tree.js';

/** The condition of the issuers that the checkpoint holds. */
export interface HoldCondition extends Condition {
  /** The ids of the held issuers, sorted. Undefined if that is unknown. */
  readonly issuers: readonly string[] | undefined;
  /** The held issuers whose hold has no effect, because the list has suspended or revoked them. */
  readonly releasable: readonly string[];
}

/** Describes the issuers that the checkpoint of the tree holds (rule hold). */
export function holdCondition(
  { folder, report, checkpoint, publication, published }: LocalTree,
  { url, parts }: Pick<LiveCondition, 'url' | 'parts'>,
): HoldCondition {
  if (checkpoint === undefined) {
    // The root key has signed that the registry has no checkpoints, so nothing can be on hold.
    const isNone = publication?.checkpoint === false;
    if (isNone) return { level: 'ok', message: 'none', issuers: [], releasable: [] };
    const where = report === undefined ? 'there is no tree' : `${folder} has no valid checkpoint`;
    const message = `unknown: ${where}`;
    return { level: 'note', message, issuers: undefined, releasable: [] };
  }
  const issuers = checkpoint.hold;
  if (issuers.length === 0) return { level: 'ok', message: 'none', issuers, releasable: [] };
  const records = published?.intact.list === true ? published.issuers() : [];
  const stopped = records.filter(({ status }) => status !== 'active').map(({ issuer_id }) => issuer_id);
  const releasable = issuers.filter((id) => stopped.includes(id));
  const since = formatUpdatedAt(checkpoint.issuedAt);
  const rest = releasable.length === 0 ? '' : `; holds that can end: ${releasable.join(', ')}`;
  const { onlyTree = [], leftOut } = parts?.holds ?? {};
  const taken = issuers.filter((id) => leftOut?.hold.includes(id));
  const theirs =
    leftOut === undefined || taken.length === 0
      ? ''
      : `; the checkpoint of ${leftOut.key}, which the delegation leaves out, holds ${taken.join(', ')}, too: if that was not you, end it`;
  if (onlyTree.length > 0) {
    const unseen = onlyTree.join(', ');
    const message = `${issuers.join(', ')}, by the checkpoint of ${since}; ${url} does not hold ${unseen}, so nobody stops ${unseen}${rest}`;
    return { level: 'error', message, issuers, releasable };
  }
  return {
    // A hold is for the time until the root key is there.
    level: releasable.length < issuers.length ? 'warning' : 'note',
    message: `${issuers.join(', ')}, by the checkpoint of ${since}: treated as suspended${rest}${theirs}`,
    issuers,
    releasable,
  };
}
