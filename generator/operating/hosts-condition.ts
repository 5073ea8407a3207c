import type { RootKey } from '@passport-registry/verifier';
import { formatDuration } from '../freshness/expiry.js';
import { isAcceptable, type MirrorStatus, mirrorStatus } from '../mirroring/status.js';
import type { Condition } from './condition.js';
import type { LocalTree } from './local-tree.js';

/** The condition of the live registry. */
export interface LiveCondition extends Condition {
  readonly url: string | undefined;
  /**
   * How the live list compares with the list in the output folder. Undefined if the host was not asked, or if one of
   * the lists cannot be read.
   */
  readonly comparedWithTree: 'same' | 'older' | 'newer' | 'other' | undefined;
  /** What the host serves; undefined if the host was not asked. */
  readonly host: MirrorStatus | undefined;
}

/** The condition of one mirror. */
export interface MirrorCondition extends Condition {
  readonly url: string;
  /** What the mirror serves; undefined if it was not asked. */
  readonly host: MirrorStatus | undefined;
}

/** The conditions of all hosts. */
export interface HostsCondition {
  readonly live: LiveCondition;
  readonly mirrors: readonly MirrorCondition[];
}

/** The hosts to ask. */
export interface HostsOptions {
  readonly baseUrl: string | undefined;
  readonly mirrors: readonly string[];
  readonly offline: boolean;
  /** The root key to verify with. */
  readonly rootKey: RootKey | undefined;
  /** How far behind a mirror may be. */
  readonly maxBehindSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Asks the live registry and its mirrors which list they serve, and compares it with the tree. */
export async function hostsCondition(options: HostsOptions, tree: LocalTree): Promise<HostsCondition> {
  const { baseUrl, mirrors, rootKey, offline, now } = options;
  const nobody = (message: string): HostsCondition => ({
    live: { level: 'note', message, url: baseUrl, comparedWithTree: undefined, host: undefined },
    mirrors: mirrors.map((url) => ({ level: 'note', message: `${url}: ${message}`, url, host: undefined })),
  });
  if (offline) return nobody('not asked (--offline)');
  if (baseUrl === undefined) return nobody('not asked: no base_url is configured');
  if (rootKey === undefined) return nobody('not asked: there is no root key to verify it with');
  const [live, ...others] = await mirrorStatus(
    [baseUrl, ...mirrors],
    { rootKey, requireCheckpoint: false },
    now,
  );
  return {
    live: describeLive(live as MirrorStatus, tree),
    mirrors: others.map((mirror) => describeMirror(mirror, options.maxBehindSeconds)),
  };
}

function describeLive(host: MirrorStatus, { folder, report }: LocalTree): LiveCondition {
  const { url, state, problem, updatedAt = '', sha256 } = host;
  const comparedWithTree = compare(host, report);
  const found = { url, comparedWithTree, host };
  if (state !== 'primary') return { level: 'error', message: `${url} is ${state}: ${problem}`, ...found };
  const serves = `${url} serves the list of ${updatedAt}`;
  switch (comparedWithTree) {
    case 'same':
      return { level: 'ok', message: `${url} serves the list of ${folder}`, ...found };
    case 'older':
      return { level: 'warning', message: `${serves}, but ${folder} is newer: publish it`, ...found };
    case 'newer': {
      const what = `${serves}, but ${folder} is older: a build into it would undo changes`;
      return { level: 'warning', message: what, ...found };
    }
    case 'other':
      return { level: 'error', message: `${serves}, with another hash than ${folder}: ${sha256}`, ...found };
    default:
      return { level: 'ok', message: `${serves}; ${folder} has no list to compare`, ...found };
  }
}

function compare(host: MirrorStatus, report: LocalTree['report']): LiveCondition['comparedWithTree'] {
  if (host.updatedAt === undefined || report?.updatedAt === undefined) return undefined;
  if (host.sha256 === report.sha256) return 'same';
  if (host.updatedAt === report.updatedAt) return 'other';
  return host.updatedAt < report.updatedAt ? 'older' : 'newer';
}

function describeMirror(host: MirrorStatus, maxBehindSeconds: number): MirrorCondition {
  const { url, state, behind = 0, problem, updatedAt } = host;
  const found = { url, host };
  if (state === 'unknown') {
    const message = `${url} serves the list of ${updatedAt}; there is nothing to compare with`;
    return { level: 'note', message, ...found };
  }
  const how = state === 'behind' ? `behind by ${formatDuration(behind * 1000)}` : state;
  const message = `${url} is ${how}${problem === undefined ? '' : `: ${problem}`}`;
  return { level: isAcceptable(host, maxBehindSeconds) ? 'ok' : 'error', message, ...found };
}
