import { MAX_HELD_ISSUERS } from '@passport-registry/verifier/core';
import { UsageError } from '../errors.js';
import type { CheckpointChoice } from '../freshness/checkpoint.js';
import type { CosignChoice } from '../log/log-choice.js';
import { unknownId } from '../records/ids.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { type CommittedTree, checkpointBefore } from './committed.js';
import type { UrlQuestion } from './follow-url.js';

/** A change of the issuers that the checkpoint holds (rule hold). */
export interface HoldChange {
  readonly action: 'hold' | 'release' | 'release all';
  /** The ids of the issuers; empty to release all. */
  readonly ids: readonly string[];
  /** Whether issuers may be released that the list does not stop. */
  readonly isFalseAlarm?: boolean | undefined;
}

/** The signer and the lifetime of a checkpoint for a published tree. */
export interface PublishedCheckpointChoice extends CheckpointChoice {
  /** Which issuers to hold or to release. Default: the checkpoint holds what the published one holds. */
  readonly holdChange?: HoldChange | undefined;
  /** Which witnesses to ask for new cosignatures of the log. Default: none. */
  readonly witnesses?: CosignChoice | undefined;
  /** How to ask the registry's URL before the checkpoint is signed. Default: nothing is asked. */
  readonly url?: UrlQuestion | undefined;
}

/**
 * Returns which issuers the next checkpoint of a published tree holds (rule hold-kept), sorted; and the checkpoint that it continues.
 *
 * @throws {@link UsageError} if the change cannot be made
 */
export function nextHold(tree: CommittedTree, published: PublishedTree, change: HoldChange | undefined) {
  const previous = checkpointBefore(tree);
  const held = previous?.hold ?? [];
  if (change === undefined) return { previous, hold: held, warnings: [] };
  const { action, ids } = change;
  if (action !== 'hold') {
    const ended = action === 'release all' ? held : ids;
    const hold = withoutIds(ended, held);
    if (change.isFalseAlarm !== true) assertStopped(ended, published);
    return { previous, hold, warnings: [] };
  }
  const again = ids.filter((id) => held.includes(id)).map((id) => `${id} is on hold already`);
  return { previous, hold: withIds(ids, held, published), warnings: again };
}

/** Asserts that a list has some issuers. @throws {@link UsageError} */
export function assertListed(ids: readonly string[], { folder, issuers }: PublishedTree): void {
  const listed = issuers.map(({ issuer_id }) => issuer_id);
  const id = ids.find((one) => !listed.includes(one));
  if (id !== undefined) throw unknownId(`the list in ${folder} has no issuer`, id, listed);
}

function withIds(
  ids: readonly string[],
  held: readonly string[],
  published: PublishedTree,
): readonly string[] {
  assertListed(ids, published);
  const hold = [...new Set([...held, ...ids])].sort();
  if (hold.length <= MAX_HELD_ISSUERS) return hold;
  throw new UsageError(
    `a checkpoint holds at most ${MAX_HELD_ISSUERS} issuers, and this one would hold ${hold.length}: suspend some with the ` +
      'root key, and end their hold with `hold --end`',
  );
}

function withoutIds(ids: readonly string[], held: readonly string[]): readonly string[] {
  for (const id of ids) {
    if (held.includes(id)) continue;
    const those = held.length === 0 ? 'no issuer is' : `these are: ${held.join(', ')}`;
    throw new UsageError(`${id} is not on hold: ${those}`);
  }
  return held.filter((id) => !ids.includes(id));
}

/** A hold is the only thing that stops an issuer until the root key suspends it: the publication of that may have failed. */
function assertStopped(ids: readonly string[], { folder, issuers }: PublishedTree): void {
  const active = issuers.find(({ issuer_id, status }) => ids.includes(issuer_id) && status === 'active');
  if (active === undefined) return;
  throw new UsageError(
    `${active.issuer_id} is active in the list in ${folder}, so only the hold stops it: publish its suspension first or, if the hold was a ` +
      'mistake, pass --false-alarm',
  );
}
