import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Checkpoint,
  CLOCK_TOLERANCE_MS,
  clockNote,
  DAY_MS,
  endOfCheckpoint,
  type Statement,
} from '@passport-registry/verifier/core';
import { readIfReadable } from '../../generator/files/read-file.js';
import {
  checkpointValidity,
  delegationValidity,
  formatDuration,
  type Validity,
} from '../../generator/freshness/expiry.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { idsOf } from '../hosts/own-tree.js';
import type { OtherDelegation } from '../hosts/published-before.js';
import { type Condition, type Level, mostUrgent, summarize } from './condition.js';
import type { LiveCondition } from './hosts-condition.js';
import { type LocalTree, problemsOf } from './local-tree.js';

/** The condition of a statement that expires. */
interface Expiring extends Condition {
  /** RFC 3339; undefined if there is no such statement. */
  readonly expires: string | undefined;
}

/** The condition of the publication statement. */
export interface PublicationCondition extends Condition {
  /** Every publication has a higher sequence than the one before. */
  readonly sequence: number | undefined;
  /** When the statement was signed, RFC 3339. */
  readonly since: string | undefined;
}

/** The condition of the delegation. */
export interface DelegationCondition extends Expiring {
  readonly daysLeft: number | undefined;
  /** RFC 7638 thumbprints of the online keys. */
  readonly onlineKeys: readonly string[];
  /** Whether the online keys may hold issuers. */
  readonly mayHold: boolean;
  /** The thumbprint of the online key in registry.yaml, if the delegation names other keys. */
  readonly strayKey: string | undefined;
  /**
   * The file of a later delegation, to the key of registry.yaml, that is still to be published; `undone` if only an earlier one
   * names that key. Undefined if no file shows either.
   */
  readonly replacement: string | undefined;
}

/** The condition of the checkpoint. */
export interface CheckpointCondition extends Expiring {
  readonly hoursLeft: number | undefined;
  /** Whether the checkpoint names the list and the files of the tree; undefined if it is not valid. */
  readonly current: boolean | undefined;
}

/** The condition of the issuers that the checkpoint holds. */
export interface HoldCondition extends Condition {
  /** The ids of the held issuers, sorted. Undefined if that is unknown. */
  readonly issuers: readonly string[] | undefined;
  /** The held issuers whose hold has no effect, because the list has suspended or revoked them. */
  readonly releasable: readonly string[];
}

const HOUR_MS = 60 * 60 * 1000;

const LEVEL_OF: Readonly<Record<Validity, Level>> = {
  'ahead of time': 'error',
  expired: 'error',
  'expires soon': 'warning',
  valid: 'ok',
};

/** Describes the publication statement of the tree. */
export function publicationCondition(tree: LocalTree): PublicationCondition {
  const { folder, report, published, publication } = tree;
  if (publication !== undefined) {
    const { sequence } = publication;
    const since = formatUpdatedAt(publication.issuedAt);
    return { level: 'ok', message: `number ${sequence}, since ${since}`, sequence, since };
  }
  const found = { ...unproven(tree, 'publication'), sequence: undefined, since: undefined };
  // The file is there, so it is neither missing nor to be signed again.
  if (report === undefined || found.isAbsent === undefined) return found;
  if (report.updatedAt === undefined && published?.isPublished !== true)
    return { ...found, message: 'not checked: there is no valid list' };
  return { ...found, level: 'error', message: `${folder}/${PATHS.publication} is missing` };
}

/** The online key in registry.yaml, and a delegation to it. */
interface OwnOnlineKey {
  readonly onlineKey: string | undefined;
  /** Undefined if the published delegation names the key, or if no file names it. */
  readonly other: OtherDelegation | undefined;
}

/** Describes the delegation of the tree. */
export function delegationCondition(
  tree: LocalTree,
  now: number,
  { onlineKey: own, other }: OwnOnlineKey,
): DelegationCondition {
  const { delegation } = tree;
  if (delegation === undefined) {
    const none = { onlineKeys: [], mayHold: false, strayKey: undefined, replacement: undefined };
    return { ...unproven(tree, 'delegation'), expires: undefined, daysLeft: undefined, ...none };
  }
  const onlineKeys = delegation.keys.map(({ thumbprint }) => thumbprint);
  const { mayHold } = delegation;
  const level = LEVEL_OF[delegationValidity(delegation, now)];
  const strayKey = own === undefined || onlineKeys.includes(own) ? undefined : own;
  const stray =
    strayKey === undefined ? '' : `. But registry.yaml names the key ${own}, which can sign no checkpoint`;
  return {
    level: mostUrgent([level, strayKey === undefined ? 'ok' : 'warning']),
    message: `${lifetime(delegation, now)}, for the online key ${onlineKeys.join(' and ')}${mayHold ? ', which may hold issuers' : ''}${stray}`,
    expires: formatUpdatedAt(delegation.expiresAt),
    daysLeft: Math.floor((delegation.expiresAt - now) / DAY_MS),
    ...{ strayKey, onlineKeys, mayHold },
    replacement: strayKey && other && (other.isEarlier ? 'undone' : other.file),
  };
}

/** Describes the checkpoint of the tree. */
export function checkpointCondition(tree: LocalTree, now: number): CheckpointCondition {
  const { checkpoint } = tree;
  if (checkpoint === undefined) {
    const unknown = unproven(tree, 'checkpoint');
    return { ...unknown, expires: undefined, hoursLeft: undefined, current: undefined };
  }
  const times = { ...checkpoint, expiresAt: endOfCheckpoint(checkpoint) };
  const names = namesOf(checkpoint, tree);
  return {
    level: mostUrgent([LEVEL_OF[checkpointValidity(times, now)], names.level]),
    message: `${lifetime(times, now)}, ${names.message}`,
    expires: formatUpdatedAt(times.expiresAt),
    hoursLeft: Math.floor((times.expiresAt - now) / HOUR_MS),
    current: names.level === 'ok',
  };
}

/** Says whether a checkpoint names the list and the files of the tree. */
function namesOf(checkpoint: Checkpoint, { folder, published, report }: LocalTree): Condition {
  if (checkpoint.sha256 !== report?.sha256) {
    const message = `names the list of ${checkpoint.updatedAt}, not the newest`;
    return { level: 'warning', message };
  }
  const sums = published && readIfReadable(folder, PATHS.checksums);
  if (sums !== undefined && checkpoint.treeSha256 === sha256(sums)) {
    return { level: 'ok', message: 'names the newest list' };
  }
  return { level: 'error', message: `names the newest list, but another ${PATHS.checksums}` };
}

/** Describes the issuers that the checkpoint of the tree holds (rule hold). */
export function holdCondition(
  { folder, report, checkpoint, issuers: own }: LocalTree,
  { url, parts }: Pick<LiveCondition, 'url' | 'parts'>,
): HoldCondition {
  if (checkpoint === undefined) {
    const why = report === undefined ? 'there is no tree' : `${folder} has no valid checkpoint`;
    return { level: 'note', message: `unknown: ${why}`, issuers: undefined, releasable: [] };
  }
  const issuers = checkpoint.hold;
  if (issuers.length === 0) return { level: 'ok', message: 'none', issuers, releasable: [] };
  const stopped = idsOf(own, 'stopped');
  const releasable = issuers.filter((id) => stopped.includes(id));
  const since = formatUpdatedAt(checkpoint.issuedAt);
  const rest = releasable.length === 0 ? '' : `; holds that can end: ${releasable.join(', ')}`;
  const { onlyTree = [], leftOut } = parts?.holds ?? {};
  const taken = issuers.filter((id) => leftOut?.hold.includes(id));
  const theirs =
    leftOut === undefined || taken.length === 0
      ? ''
      : `. The replaced key ${leftOut.key} holds ${taken.join(', ')}, too: if that was not you, end it`;
  const held = `${issuers.join(', ')}, by the checkpoint of ${since}`;
  if (onlyTree.length > 0) {
    const unseen = onlyTree.join(', ');
    const message = `${held}; ${url} does not hold ${unseen}, so nobody stops ${unseen}${rest}`;
    return { level: 'error', message, issuers, releasable };
  }
  return {
    // A hold is for the time until the root key is there.
    level: releasable.length < issuers.length ? 'warning' : 'note',
    message: `${held}: treated as suspended${rest}${theirs}`,
    issuers,
    releasable,
  };
}

/** Describes a statement that is not proven: its check failed, the tree has no such file, or an earlier check failed. */
function unproven(
  { folder, report }: LocalTree,
  name: 'publication' | 'delegation' | 'checkpoint',
): Condition {
  const problems = problemsOf(report, (check) => check === name);
  if (problems !== undefined) return { level: 'error', message: summarize(problems) };
  if (report === undefined) return { level: 'note', message: 'none: there is no tree', isAbsent: true };
  if (existsSync(join(folder, PATHS[name])))
    return { level: 'note', message: 'not checked: an earlier check failed' };
  return { level: 'note', message: 'none', isAbsent: true };
}

function lifetime({ issuedAt, expiresAt }: Pick<Statement, 'issuedAt' | 'expiresAt'>, now: number): string {
  if (issuedAt > now + CLOCK_TOLERANCE_MS)
    return `valid from ${formatUpdatedAt(issuedAt)}, which is in the future ${clockNote(now)}`;
  const end = formatUpdatedAt(expiresAt);
  return now < expiresAt
    ? `valid until ${end}, for ${formatDuration(expiresAt - now)}`
    : `expired at ${end}, ${formatDuration(now - expiresAt)} ago ${clockNote(now)}`;
}
