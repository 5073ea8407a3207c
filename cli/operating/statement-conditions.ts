import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Checkpoint,
  CLOCK_TOLERANCE_MS,
  clockNote,
  DAY_MS,
  type Statement,
} from '@passport-registry/verifier/core';
import { readIfReadable } from '../../generator/files/read-file.js';
import {
  checkpointValidity,
  formatDuration,
  onlineKeysValidity,
  type Validity,
} from '../../generator/freshness/expiry.js';
import { namesIn } from '../../generator/freshness/online-keys.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { idsOf } from '../hosts/own-tree.js';
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

/** The condition of the online keys, which the publication names. */
export interface OnlineCondition extends Expiring {
  readonly daysLeft: number | undefined;
  /** RFC 7638 thumbprints of the online keys. */
  readonly onlineKeys: readonly string[];
  /** Whether the online keys may hold issuers. */
  readonly mayHold: boolean;
  /** Whether registry.yaml names a key that the publication does not: it is to be the next online key. */
  readonly isReplaced: boolean;
  /** Whether a build publishes other online keys, or a longer time. */
  readonly wantsBuild: boolean;
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
  return { ...found, level: 'error', message: `${folder}/${PATHS.statements} is missing or damaged` };
}

/** What registry.yaml says of online keys. */
export interface ConfiguredOnlineKey {
  /** The thumbprint. Undefined if registry.yaml names no public online key, or none that can be read. */
  readonly thumbprint: string | undefined;
  readonly mayHold: boolean;
}

/** Describes the online keys of the publication, and says which of them will be missed in an emergency. */
export function onlineCondition(
  { publication }: LocalTree,
  { thumbprint: own, mayHold: wanted }: ConfiguredOnlineKey,
  now: number,
): OnlineCondition {
  const found = {
    expires: undefined,
    daysLeft: undefined,
    onlineKeys: [],
    mayHold: false,
    isReplaced: false,
  };
  if (publication === undefined) {
    return { level: 'note', message: 'unknown: there is no valid publication', ...found, wantsBuild: false };
  }
  const { online, issuedAt } = publication;
  if (online === undefined) {
    if (own === undefined || own === publication.kid)
      return { level: 'note', message: 'none: the root key signs checkpoints', ...found, wantsBuild: false };
    return { level: 'warning', message: notNamed(own), ...found, wantsBuild: true };
  }
  const onlineKeys = namesIn(online);
  const { mayHold, expiresAt } = online;
  const isMissing = own !== undefined && own !== publication.kid && !onlineKeys.includes(own);
  const isOtherPermission = own !== undefined && wanted !== mayHold;
  const validity = onlineKeysValidity(online, issuedAt, now);
  const problems = [
    ...(isMissing ? [notNamed(own)] : []),
    ...(isOtherPermission ? [OTHER_PERMISSION[wanted ? 'wanted' : 'denied']] : []),
  ];
  const holds = mayHold ? ', and may hold issuers' : ', and may not hold issuers';
  const end = formatUpdatedAt(expiresAt);
  const until =
    validity === 'over'
      ? `until ${end}, ${formatDuration(now - expiresAt)} ago ${clockNote(now)}`
      : `until ${end}, for ${formatDuration(expiresAt - now)}`;
  return {
    level: mostUrgent([ONLINE_LEVEL[validity], problems.length === 0 ? 'ok' : 'warning']),
    message: [`${onlineKeys.join(' and ')} may sign checkpoints ${until}${holds}`, ...problems].join('. '),
    expires: end,
    daysLeft: Math.floor((expiresAt - now) / DAY_MS),
    ...{ onlineKeys, mayHold, isReplaced: isMissing },
    wantsBuild: validity !== 'valid' || problems.length > 0,
  };
}

const ONLINE_LEVEL = { over: 'error', 'ends soon': 'warning', valid: 'ok' } as const;

const OTHER_PERMISSION = {
  wanted: 'registry.yaml lets them hold issuers, and the publication does not',
  denied: 'registry.yaml does not let them hold issuers, and the publication does',
};

const notNamed = (own: string) =>
  `registry.yaml names the online key ${own}, and the publication does not: it can sign no checkpoint before a build with the root key`;

/** Describes the checkpoint of the tree. */
export function checkpointCondition(tree: LocalTree, now: number): CheckpointCondition {
  const { checkpoint } = tree;
  if (checkpoint === undefined) {
    const unknown = unproven(tree, 'checkpoint');
    return { ...unknown, expires: undefined, hoursLeft: undefined, current: undefined };
  }
  const names = namesOf(checkpoint, tree);
  return {
    level: mostUrgent([LEVEL_OF[checkpointValidity(checkpoint, now)], names.level]),
    message: `${lifetime(checkpoint, now)}, ${names.message}`,
    expires: formatUpdatedAt(checkpoint.expiresAt),
    hoursLeft: Math.floor((checkpoint.expiresAt - now) / HOUR_MS),
    current: names.level === 'ok',
  };
}

/** Says whether a checkpoint, which is for the publication of the tree, names its files. */
function namesOf(checkpoint: Checkpoint, { folder, published }: LocalTree): Condition {
  const sums = published && readIfReadable(folder, PATHS.checksums);
  if (sums !== undefined && checkpoint.treeSha256 === sha256(sums)) {
    return { level: 'ok', message: 'for the newest publication' };
  }
  return { level: 'error', message: `for the newest publication, but another ${PATHS.checksums}` };
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
function unproven({ folder, report }: LocalTree, name: 'publication' | 'checkpoint'): Condition {
  const isThere = existsSync(join(folder, PATHS.statements));
  const problems = problemsOf(report, (check) => check === name || (isThere && check === 'statements'));
  if (problems !== undefined) return { level: 'error', message: summarize(problems) };
  if (report === undefined) return { level: 'note', message: 'none: there is no tree', isAbsent: true };
  if (isThere) return { level: 'note', message: 'not checked: an earlier check failed' };
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
