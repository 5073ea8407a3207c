import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Checkpoint,
  CLOCK_TOLERANCE_MS,
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
import { type Condition, type Level, mostUrgent, summarize } from './condition.js';
import { type LocalTree, problemsOf } from './local-tree.js';

/** The condition of a statement that expires. */
interface Expiring extends Condition {
  /** RFC 3339; undefined if there is no such statement. */
  readonly expires: string | undefined;
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
}

/** The condition of the checkpoint. */
export interface CheckpointCondition extends Expiring {
  readonly hoursLeft: number | undefined;
  /** Whether the checkpoint names the list and the files of the tree; undefined without a checkpoint. */
  readonly current: boolean | undefined;
}

const HOUR_MS = 60 * 60 * 1000;

const LEVEL_OF: Readonly<Record<Validity, Level>> = {
  'ahead of time': 'error',
  expired: 'error',
  'expires soon': 'warning',
  valid: 'ok',
};

/** Describes the delegation of the tree. @param own - the thumbprint of the online key in registry.yaml */
export function delegationCondition(
  tree: LocalTree,
  now: number,
  own: string | undefined,
): DelegationCondition {
  const { delegation, report } = tree;
  const none = {
    expires: undefined,
    daysLeft: undefined,
    onlineKeys: [],
    mayHold: false,
    strayKey: undefined,
  };
  const problems = problemsOf(report, (name) => name === 'delegation');
  if (problems !== undefined) return { level: 'error', message: summarize(problems), ...none };
  if (delegation === undefined) return { level: 'note', ...unproven(tree, PATHS.delegation), ...none };
  const onlineKeys = delegation.keys.map(({ thumbprint }) => thumbprint);
  const { mayHold } = delegation;
  const level = LEVEL_OF[delegationValidity(delegation, now)];
  const isStray = own !== undefined && !onlineKeys.includes(own);
  const stray = isStray ? `; but registry.yaml has the online key ${own}, which can sign no checkpoint` : '';
  return {
    // Without a checkpoint, verifiers ignore the delegation.
    level: mostUrgent([
      level === 'error' && tree.checkpoint === undefined ? 'warning' : level,
      isStray ? 'warning' : 'ok',
    ]),
    message: `${lifetime(delegation, now)}, for the online key ${onlineKeys.join(' and ')}${mayHold ? ', which may hold issuers' : ''}${stray}`,
    strayKey: isStray ? own : undefined,
    expires: formatUpdatedAt(delegation.expiresAt),
    daysLeft: Math.floor((delegation.expiresAt - now) / DAY_MS),
    onlineKeys,
    mayHold,
  };
}

/** Describes the checkpoint of the tree. */
export function checkpointCondition(tree: LocalTree, now: number): CheckpointCondition {
  const { checkpoint, delegation, report } = tree;
  const none = { expires: undefined, hoursLeft: undefined, current: undefined };
  const problems = problemsOf(report, (name) => name === 'checkpoint');
  if (problems !== undefined) return { level: 'error', message: summarize(problems), ...none };
  if (checkpoint === undefined) {
    const unknown = unproven(tree, PATHS.checkpoint);
    if (delegation === undefined || !unknown.isAbsent) return { level: 'note', ...unknown, ...none };
    const message = 'none, but there is a delegation: verifiers that have seen one refuse the registry';
    return { level: 'warning', ...unknown, message, ...none };
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
    const readers = published?.statement === undefined ? '' : ' that do not read publication statements';
    const message = `names the list of ${checkpoint.updatedAt}: verifiers${readers} use that list, not the newest`;
    return { level: 'warning', message };
  }
  const sums = published && readIfReadable(folder, PATHS.checksums);
  if (sums !== undefined && checkpoint.treeSha256 === sha256(sums)) {
    return { level: 'ok', message: 'names the newest list' };
  }
  return { level: 'error', message: `names the newest list, but another ${PATHS.checksums}` };
}

/** Describes a part of which nothing is proven: the tree has no such file, or it was not checked. */
export function unproven(
  { folder, report }: Pick<LocalTree, 'folder' | 'report'>,
  path: string,
): Pick<Condition, 'message' | 'isAbsent'> {
  if (report === undefined) return { message: 'none: there is no tree', isAbsent: true };
  if (existsSync(join(folder, path))) return { message: 'not checked: an earlier check failed' };
  return { message: 'none', isAbsent: true };
}

function lifetime({ issuedAt, expiresAt }: Pick<Statement, 'issuedAt' | 'expiresAt'>, now: number): string {
  if (issuedAt > now + CLOCK_TOLERANCE_MS)
    return `valid from ${formatUpdatedAt(issuedAt)}, which is in the future`;
  const end = formatUpdatedAt(expiresAt);
  return now < expiresAt
    ? `valid until ${end}, for ${formatDuration(expiresAt - now)}`
    : `expired at ${end}, ${formatDuration(now - expiresAt)} ago`;
}
