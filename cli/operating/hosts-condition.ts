import type { RootKey } from '@passport-registry/verifier';
import { formatDuration } from '../../generator/freshness/expiry.js';
import { type HostStatus, isAcceptable } from '../../observers/hosts/compare-hosts.js';
import { askHosts } from '../hosts/ask-hosts.js';
import type { OwnTree } from '../hosts/histories.js';
import {
  compareTrees,
  compareWhole,
  differences,
  foreignKey,
  type HoldComparison,
  holdsInWords,
  isForeignKey,
  lostHolds,
  stopsInWords,
  type TreeComparison,
  twoHistories,
} from '../hosts/tree-comparison.js';
import type { Condition } from './condition.js';
import type { LocalTree } from './local-tree.js';

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
  readonly host: HostStatus | undefined;
  /** Whom the checkpoint of the tree holds, verified or not, and the host does not: to load its tree releases them. */
  readonly lostHolds: readonly string[];
  /** Whether the host shows a root key to which a rotation leads that was not made here, and that nobody has pinned here. */
  readonly isForeign: boolean;
  /** Of two histories, the one to go on with. Undefined if there is only one. */
  readonly keep: 'host' | 'tree' | undefined;
}

/** The condition of one mirror. */
export interface MirrorCondition extends Condition {
  readonly url: string;
  /** What the mirror serves; undefined if it was not asked. */
  readonly host: HostStatus | undefined;
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
      ...{
        comparedWithTree: undefined,
        parts: undefined,
        host: undefined,
        lostHolds: lostHolds(tree.folder, undefined, undefined),
        isForeign: false,
        keep: undefined,
      },
    },
    mirrors: mirrors.map((url) => ({ level: 'note', message: `${url}: ${message}`, url, host: undefined })),
  });
  if (offline) return nobody('not asked (--offline)');
  if (baseUrl === undefined)
    return nobody(
      'not asked: no base_url is configured, so nothing that is signed here is compared with a host',
    );
  if (rootKey === undefined) return nobody('not asked: there is no root key to verify it with');
  const [live, ...others] = await askHosts([baseUrl, ...mirrors], { rootKey, folder: tree.folder, now });
  const found = await describeLive(live as HostStatus, tree, { trusted: rootKey, mirrors: others });
  const how = { ...options, rootKey: live?.rootKey, hasTree: tree.report !== undefined };
  return {
    live: found,
    mirrors: others.map((mirror) => {
      const isOther =
        found.keep !== undefined && mirror.sha256 !== live?.sha256 && hasList(mirror, tree.report?.sha256);
      if (!isOther || mirror.state === 'altered') return describeMirror(mirror, how);
      const message = `${mirror.url} has the history of ${tree.folder}, and ${baseUrl} another one`;
      return { level: 'error', message, url: mirror.url, host: mirror };
    }),
  };
}

async function describeLive(
  host: HostStatus,
  tree: LocalTree,
  { trusted, mirrors }: { readonly trusted: RootKey; readonly mirrors: readonly HostStatus[] },
): Promise<LiveCondition> {
  const own = ownTree(tree);
  const parts = await compareTrees(host, own);
  const comparedWithTree = compareWhole(parts);
  const isForeign = isForeignKey(host, parts, trusted.thumbprint);
  const keep = comparedWithTree === 'other' ? await historyToKeep({ host, mirrors }, own, parts) : undefined;
  const lost = { lostHolds: lostHolds(own.folder, host, parts) };
  const found = { url: host.url, comparedWithTree, parts, host, ...lost, isForeign, keep };
  const unread = incomparable(host, tree);
  if (unread !== undefined) return { ...unread, ...found };
  if (isForeign) return { level: 'error', message: foreignKey(host), ...found };
  if (keep !== undefined) return { level: 'error', ...twoHistories(host, tree, parts), ...found };
  return { ...compared(host, tree.folder, parts), ...found };
}

/** Describes a host that serves nothing that could be compared with the tree. Undefined if it does. */
function incomparable(host: HostStatus, { folder, report, refusal }: LocalTree): Condition | undefined {
  const { url, state, problem, updatedAt } = host;
  // Without a tree, the host may be as new as the registry.
  const level = report === undefined ? 'note' : 'error';
  if (host.empty === true) return { level, message: `${url} serves no list` };
  const isAbsent = report === undefined && refusal === undefined;
  if (isAbsent && updatedAt !== undefined && state !== 'unreachable') {
    return { level: 'error', message: `${url} serves the list of ${updatedAt}, but ${folder} has no tree` };
  }
  if (host.claimed?.development === true && report?.development !== true) {
    const shows =
      'a preview, or another list that a development key signed, and not the list of this registry';
    return { level, message: `${url} shows ${shows}` };
  }
  if (state === 'unreachable' && report === undefined) {
    const message = `${url} is unreachable, which does not show whether a list was published: ${problem}`;
    return { level: 'warning', message };
  }
  return state === 'primary' ? undefined : { level: 'error', message: `${url} is ${state}: ${problem}` };
}

/** Describes how a host compares with the tree, unless they have two histories. */
function compared(host: HostStatus, folder: string, parts: TreeComparison): Condition {
  const { url, updatedAt, publication } = host;
  const number = publication === undefined ? '' : `, publication ${publication.sequence}`;
  const serves = `${url} serves the list of ${updatedAt}${number}`;
  switch (compareWhole(parts)) {
    case 'same':
      return { level: 'ok', message: `${url} serves the list of ${folder}` };
    case 'older':
    case 'newer':
      return differing(serves, folder, parts);
    default: {
      const what = `${folder} has no valid list to compare: a build into it would ignore that list`;
      return { level: 'warning', message: `${serves}; ${what}` };
    }
  }
}

/** Describes a host that is earlier or later than the tree, and whom only one of them stops. */
function differing(serves: string, folder: string, parts: TreeComparison): Condition {
  const { isProven, holds, stops } = parts;
  const isOlder = compareWhole(parts) === 'older';
  const unseen = isOlder ? (stops?.onlyTree ?? []) : [];
  // Where the order is proven, the later list may say what its publisher wanted, and the words about `unseen` name what it stops.
  const isWanted = isProven && unseen.length > 0;
  const stopped = stopsInWords(
    isWanted ? { stops: { onlyHost: stops?.onlyHost ?? [], onlyTree: [] } } : parts,
    folder,
  );
  const held = holdsInWords(parts, folder);
  const late = isWanted
    ? `nobody stops ${unseen.map(({ issuer_id }) => issuer_id).join(', ')} there yet`
    : undefined;
  const isDoubtful = stopped !== undefined && !isProven;
  const level = held !== undefined || isDoubtful || unseen.length > 0 ? 'error' : 'warning';
  const replaced = isOlder ? byReplacedKey(holds?.leftOut) : undefined;
  const said = [stopped, held, late, replaced].filter((words) => words !== undefined);
  const differs = [`${serves}, with ${differences(parts)} than ${folder}`, ...said].join('; ');
  return { level, message: `${differs}: ${isOlder ? wayOfTree(folder, parts) : wayOfHost(folder, parts)}` };
}

function wayOfTree(folder: string, { isProven, holds }: TreeComparison): string {
  if (holds !== undefined && holds.onlyHost.length > 0) return `whoever publishes ${folder} releases those`;
  if (isProven) return `${folder} continues it, publish it`;
  return `${folder} is later by its number or time only, so look at both before you publish it`;
}

function wayOfHost(folder: string, { isProven }: TreeComparison): string {
  const follows = isProven ? 'it continues' : 'it is later, by its number or time only, than';
  return `${follows} ${folder}, and a build would undo changes`;
}

/**
 * The history of the host, which has been seen, unless only the tree's is on a mirror, or the rotation of the tree has replaced
 * the key of the host. How long they are says nothing: nobody may have seen the tree.
 */
async function historyToKeep(
  { host, mirrors }: { readonly host: HostStatus; readonly mirrors: readonly HostStatus[] },
  tree: OwnTree,
  { rootKey }: Pick<TreeComparison, 'rootKey'>,
): Promise<'host' | 'tree'> {
  if (rootKey === 'older') return 'tree';
  const isOnHost = mirrors.some(({ sha256 }) => sha256 !== undefined && sha256 === host.sha256);
  if (isOnHost) return 'host';
  for (const mirror of mirrors) {
    if (hasList(mirror, tree.sha256)) return 'tree';
    // Another mirror may only be late, and have what both histories begin with.
    if (mirror.isForked !== true) continue;
    const parts = await compareTrees(mirror, tree);
    const whole = compareWhole(parts);
    if (parts.isProven && whole !== undefined && whole !== 'other') return 'tree';
  }
  return 'host';
}

const hasList = ({ sha256 }: HostStatus, list: string | undefined) => sha256 !== undefined && sha256 === list;

function byReplacedKey(leftOut: HoldComparison['leftOut']): string | undefined {
  if (leftOut === undefined) return undefined;
  const { key, hold } = leftOut;
  const held = hold.length === 0 ? '' : `, which holds ${hold.join(', ')},`;
  return `its checkpoint${held} does not count, because the delegation of the tree leaves out its key, ${key}`;
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
  host: HostStatus,
  {
    rootKey,
    maxBehindSeconds,
    hasTree,
  }: Pick<HostsOptions, 'maxBehindSeconds'> & {
    readonly rootKey: string | undefined;
    readonly hasTree: boolean;
  },
): MirrorCondition {
  const { url, state, behind = 0, problem, updatedAt } = host;
  const found = { url, host };
  if (rootKey !== undefined && host.rootKey !== undefined && host.rootKey !== rootKey) {
    const message = `${url} has the root key ${host.rootKey}, but the registry has ${rootKey}`;
    return { level: 'error', message, ...found };
  }
  if (state === 'unknown') {
    if (updatedAt !== undefined && !hasTree) {
      return {
        level: 'error',
        message: `${url} serves the list of ${updatedAt}, but there is no tree here`,
        ...found,
      };
    }
    const message = `${url} serves the list of ${updatedAt}; there is nothing to compare with`;
    return { level: 'note', message, ...found };
  }
  const how = state === 'behind' ? `behind by ${formatDuration(behind * 1000)}` : state;
  const message = `${url} is ${how}${problem === undefined ? '' : `: ${problem}`}`;
  return { level: isAcceptable(host, maxBehindSeconds) ? 'ok' : 'error', message, ...found };
}
