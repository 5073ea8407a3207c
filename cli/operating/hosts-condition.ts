import type { RootKey } from '@passport-registry/verifier';
import { readIfThere } from '../../generator/files/read-file.js';
import { formatDuration } from '../../generator/freshness/expiry.js';
import { PATHS } from '../../generator/tree/paths.js';
import { parseChanges } from '../../generator/tree/site/changes.js';
import { isAcceptable, type MirrorStatus } from '../../observers/mirroring/status.js';
import { askHosts, type OwnRotation } from './ask-hosts.js';
import type { Condition } from './condition.js';
import { type LocalTree, problemsOf } from './local-tree.js';
import {
  compareTrees,
  compareWhole,
  differences,
  type HoldComparison,
  holdsInWords,
  type OwnTree,
  type TreeComparison,
} from './tree-comparison.js';

/** The condition of the live registry. */
export interface LiveCondition extends Condition {
  readonly url: string | undefined;
  /**
   * How the live tree compares with the tree in the output folder. Undefined if the host was not asked, or if one of
   * the lists cannot be read.
   */
  readonly comparedWithTree: ReturnType<typeof compareWhole>;
  /** The same for each part; undefined if the host was not asked. */
  readonly parts: TreeComparison | undefined;
  /** What the host serves; undefined if the host was not asked. */
  readonly host: MirrorStatus | undefined;
  /** Whether the host shows a root key to which a rotation leads that was not made here, and that nobody has pinned here. */
  readonly isForeign: boolean;
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
    live: {
      ...{ level: 'note', message, url: baseUrl },
      ...{ comparedWithTree: undefined, parts: undefined, host: undefined, isForeign: false },
    },
    mirrors: mirrors.map((url) => ({ level: 'note', message: `${url}: ${message}`, url, host: undefined })),
  });
  if (offline) return nobody('not asked (--offline)');
  if (baseUrl === undefined) return nobody('not asked: no base_url is configured');
  if (rootKey === undefined) return nobody('not asked: there is no root key to verify it with');
  const [live, ...others] = await askHosts([baseUrl, ...mirrors], { rootKey, own: ownRotation(tree), now });
  return {
    live: describeLive(live as MirrorStatus, tree, rootKey),
    mirrors: others.map((mirror) =>
      describeMirror(mirror, { rootKey: live?.rootKey, maxBehindSeconds: options.maxBehindSeconds }),
    ),
  };
}

/** The rotation of the tree, if the tree proves that it leads to its root key. */
function ownRotation({ folder, report }: LocalTree): OwnRotation | undefined {
  const rotation = readIfThere(folder, PATHS.rotation);
  const isProven = problemsOf(report, (name) => name === 'root key' || name === 'rotation') === undefined;
  if (rotation === undefined || report?.rootKey === undefined || !isProven) return undefined;
  return { rotation, rootKey: report.rootKey };
}

function describeLive(host: MirrorStatus, tree: LocalTree, trusted: RootKey): LiveCondition {
  const { url, state, problem, updatedAt = '', sha256 } = host;
  const { folder } = tree;
  const parts = compareTrees(host, ownTree(tree));
  const comparedWithTree = compareWhole(parts);
  const isForeign = parts.rootKey === 'newer' && host.rootKey !== trusted.thumbprint;
  const found = { url, comparedWithTree, parts, host, isForeign };
  if (host.empty === true) {
    const level = tree.report === undefined ? 'note' : 'error';
    return { level, message: `${url} serves no list`, ...found };
  }
  if (
    tree.report === undefined &&
    tree.refusal === undefined &&
    updatedAt !== '' &&
    state !== 'unreachable'
  ) {
    const message = `${url} serves the list of ${updatedAt}, but ${folder} has no tree`;
    return { level: 'error', message, ...found };
  }
  if (host.claimed?.development === true && tree.report?.development !== true) {
    const level = tree.report === undefined ? 'note' : 'error';
    const message = `${url} shows a preview, or another list that a development key signed, and not the list of this registry`;
    return { level, message, ...found };
  }
  if (state === 'unreachable' && tree.report === undefined) {
    const message = `${url} is unreachable, which does not show whether a list was published: ${problem}`;
    return { level: 'warning', message, ...found };
  }
  if (state !== 'primary') return { level: 'error', message: `${url} is ${state}: ${problem}`, ...found };
  if (isForeign) {
    const message = `${url} shows the root key ${host.rootKey}, by a rotation that was not made here: unless one of you has rotated the key elsewhere, a thief has`;
    return { level: 'error', message, ...found };
  }
  const serves = `${url} serves the list of ${updatedAt}`;
  const differs = `${serves}, with ${differences(parts)}`;
  const held = holdsInWords(parts, folder);
  const stopped = comparedWithTree === 'older' ? stoppedSince(updatedAt, tree) : [];
  const level = held === undefined && stopped.length === 0 ? 'warning' : 'error';
  const stops = stopped.length === 0 ? '' : `; nobody stops ${stopped.join(', ')} there yet`;
  const said = `${held === undefined ? '' : `; ${held}`}${stops}`;
  switch (comparedWithTree) {
    case 'same':
      return { level: 'ok', message: `${url} serves the list of ${folder}`, ...found };
    case 'older': {
      const { onlyHost = [], leftOut } = parts.holds ?? {};
      const what =
        onlyHost.length === 0
          ? `${folder} is newer, publish it`
          : `whoever publishes ${folder} releases those`;
      return { level, message: `${differs}${said}${byReplacedKey(leftOut)}: ${what}`, ...found };
    }
    case 'newer': {
      const isFork = Object.values(parts).includes('older');
      const consequence = isFork
        ? `${folder} does not follow what the host serves: do not publish it`
        : `a build into ${folder} would undo changes`;
      return { level, message: `${differs} than ${folder}${said}: ${consequence}`, ...found };
    }
    case 'other': {
      const what =
        parts.list === 'other'
          ? `${serves}, with another hash than ${folder}: ${sha256}`
          : `${serves}, which the outgoing root key ${host.rootKey} has signed, but ${folder} is rotated and older`;
      return { level: 'error', message: what, ...found };
    }
    default: {
      const what = `${serves}; ${folder} has no valid list to compare: a build into it would ignore that list`;
      return { level: 'warning', message: what, ...found };
    }
  }
}

/** The issuers that the list of the tree stops, and that were active in the list of a host. */
function stoppedSince(updatedAt: string, { folder, published }: LocalTree): readonly string[] {
  const bytes = readIfThere(folder, PATHS.changes);
  const changes = (bytes && parseChanges(bytes))?.changes ?? [];
  // Newest first: the oldest change since then says what the host has.
  const had = new Map(
    changes
      .filter(({ updated_at, field }) => updated_at > updatedAt && field === 'status')
      .map(({ issuer_id, from }) => [issuer_id, from]),
  );
  const issuers = published?.intact.list === true ? published.issuers() : [];
  return issuers.flatMap(({ issuer_id, status }) =>
    status !== 'active' && had.get(issuer_id) === 'active' ? [issuer_id] : [],
  );
}

function byReplacedKey(leftOut: HoldComparison['leftOut']): string {
  if (leftOut === undefined) return '';
  const { key, hold } = leftOut;
  const held = hold.length === 0 ? '' : `, which holds ${hold.join(', ')},`;
  return `; its checkpoint${held} does not count, because the delegation of the tree leaves out its key, ${key}`;
}

/** What of the local tree is compared with hosts. */
function ownTree({ folder, report, published, delegation, checkpoint, publication }: LocalTree): OwnTree {
  return {
    ...{ folder, delegation, checkpoint, publication },
    ...{ updatedAt: report?.updatedAt, sha256: report?.sha256, rootKey: report?.rootKey },
    issuers: published?.intact.list === true ? published.issuers() : [],
  };
}

function describeMirror(
  host: MirrorStatus,
  { rootKey, maxBehindSeconds }: { readonly rootKey: string | undefined; readonly maxBehindSeconds: number },
): MirrorCondition {
  const { url, state, behind = 0, problem, updatedAt } = host;
  const found = { url, host };
  if (rootKey !== undefined && host.rootKey !== undefined && host.rootKey !== rootKey) {
    const message = `${url} has the root key ${host.rootKey}, but the registry has ${rootKey}`;
    return { level: 'error', message, ...found };
  }
  if (state === 'unknown') {
    const message = `${url} serves the list of ${updatedAt}; there is nothing to compare with`;
    return { level: 'note', message, ...found };
  }
  const how = state === 'behind' ? `behind by ${formatDuration(behind * 1000)}` : state;
  const message = `${url} is ${how}${problem === undefined ? '' : `: ${problem}`}`;
  return { level: isAcceptable(host, maxBehindSeconds) ? 'ok' : 'error', message, ...found };
}
