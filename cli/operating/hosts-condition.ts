import type { RootKey } from '@passport-registry/verifier';
import { formatDuration } from '../../generator/freshness/expiry.js';
import { type HostStatus, isAcceptable } from '../../observers/hosts/compare-hosts.js';
import { askHosts, tornFile } from '../hosts/ask-hosts.js';
import { differences, foreignKey, holdsInWords, stopsInWords, twoHistories } from '../hosts/in-words.js';
import { isOf } from '../hosts/not-published.js';
import { isUnseenFirst } from '../hosts/published-before.js';
import {
  compareWithHost,
  type HoldComparison,
  type HostComparison,
  heldUnverified,
  type TreeComparison,
} from '../hosts/tree-comparison.js';
import type { Condition } from './condition.js';
import type { LocalTree } from './local-tree.js';

/** The condition of the live registry, and how it compares with the tree, as far as the host was asked. */
export interface LiveCondition extends Condition, Omit<HostComparison, 'host' | 'parts'> {
  readonly url: string | undefined;
  /** Undefined if the host was not asked. */
  readonly host: HostStatus | undefined;
  /** Undefined if the host was not asked. */
  readonly parts: TreeComparison | undefined;
  /** Of two histories, the one to go on with. Undefined if there is only one. */
  readonly keep: 'host' | 'tree' | undefined;
  /** Whether the host is unreachable, and may not be there yet: the tree is the first publication. Absent if not. */
  readonly isFirst?: true;
}

/** The condition of one mirror. */
interface MirrorCondition extends Condition {
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
interface HostsOptions {
  readonly baseUrl: string | undefined;
  readonly mirrors: readonly string[];
  readonly offline: boolean;
  /** The root key to verify with. */
  readonly rootKey: RootKey | undefined;
  /** How far behind a mirror may be. */
  readonly maxBehindSeconds: number;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Asks the live registry and its mirrors which list they serve, and compares it with the tree. */
export async function hostsCondition(options: HostsOptions, tree: LocalTree): Promise<HostsCondition> {
  const { baseUrl, mirrors, rootKey, env, now } = options;
  const nobody = whyNobody(options);
  if (nobody !== undefined || baseUrl === undefined || rootKey === undefined) {
    const none = { comparedWithTree: undefined, parts: undefined, host: undefined, keep: undefined };
    const lostHolds = heldUnverified(tree.folder);
    const message = `not asked: ${nobody}`;
    return {
      live: { level: 'note', message, url: baseUrl, ...none, lostHolds, isForeign: false },
      mirrors: mirrors.map((url) => ({ level: 'note', message: `${url}: ${message}`, url, host: undefined })),
    };
  }
  const asked = { rootKey, folder: tree.folder, now };
  const [host, ...others] = (await askHosts([baseUrl, ...mirrors], asked)) as [HostStatus, ...HostStatus[]];
  const found = await compareWithHost(host, tree, { pinned: rootKey.thumbprint });
  const keep = found.comparedWithTree === 'other' ? await historyToKeep(found, others, tree) : undefined;
  const isUnseen = ![host, ...others].some((one) => isOf(one, rootKey.thumbprint));
  const isFirst = host.state === 'unreachable' && isUnseen && (await isUnseenFirst(tree, { rootKey, env }));
  const torn = found.comparedWithTree === 'same' ? await tornFile(baseUrl, tree) : undefined;
  const how = { ...options, rootKey: host.rootKey, hasTree: tree.report !== undefined };
  return {
    live: {
      ...(isFirst ? notThereYet(host, tree) : describeLive(found, tree, torn)),
      ...{ url: host.url, ...found, keep },
      ...(isFirst && { isFirst }),
    },
    mirrors: others.map((mirror) => {
      const isOther = keep !== undefined && mirror.sha256 !== host.sha256 && hasList(mirror, tree.sha256);
      if (!isOther || mirror.state === 'altered') return describeMirror(mirror, how);
      const message = `${mirror.url} has the history of ${tree.folder}, and ${baseUrl} another one`;
      return { level: 'error', message, url: mirror.url, host: mirror };
    }),
  };
}

/** Why no host is asked. Undefined if one is. */
function whyNobody({ offline, baseUrl, rootKey }: HostsOptions): string | undefined {
  if (offline) return '--offline';
  if (baseUrl === undefined)
    return 'registry.yaml has no base_url, so nothing that is signed here is compared with a host';
  return rootKey === undefined ? 'there is no root key to verify it with' : undefined;
}

function notThereYet({ url, problem }: HostStatus, { folder }: LocalTree): Condition {
  const message = `${url} is unreachable: ${problem}; ${folder} is the first publication, so the host may not be there yet`;
  return { level: 'warning', message };
}

function describeLive(found: HostComparison, tree: LocalTree, torn: string | undefined): Condition {
  const { host, comparedWithTree, isForeign } = found;
  if (isForeign) return { level: 'error', message: foreignKey(host) };
  const unread = incomparable(host, tree);
  if (unread !== undefined) return unread;
  if (torn !== undefined) {
    const message = `${host.url} serves the list of ${tree.folder}, but another ${torn}: only a part was copied, and verifiers may refuse it`;
    return { level: 'error', message };
  }
  if (comparedWithTree === 'other') return { level: 'error', ...twoHistories(found, tree.folder) };
  if (comparedWithTree === 'same')
    return { level: 'ok', message: `${host.url} serves the list of ${tree.folder}` };
  if (comparedWithTree !== undefined) return differing(found, tree.folder);
  const what = `${tree.folder} has no valid list to compare: a build into it would ignore that list`;
  return { level: 'warning', message: `${host.url} serves the list of ${host.updatedAt}; ${what}` };
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

/** Describes a host that is earlier or later than the tree, and whom only one of them stops. */
function differing(
  { host: { url, updatedAt, publication }, parts, comparedWithTree }: HostComparison,
  folder: string,
): Condition {
  const { isProven, holds, stops } = parts;
  const isOlder = comparedWithTree === 'older';
  const unseen = isOlder ? (stops?.onlyTree ?? []) : [];
  // Where the order is proven, the later list may say what its publisher wanted, and the words about `unseen` name what it stops.
  const isWanted = isProven && unseen.length > 0;
  const stopped = stopsInWords(
    isWanted ? { stops: { onlyHost: stops?.onlyHost ?? [], onlyTree: [] } } : parts,
    folder,
  );
  const held = holdsInWords(parts, folder);
  // A thief may have published what no longer stops an issuer.
  const isLifted = !isOlder && (stops?.onlyTree ?? []).length > 0;
  const isUnread = parts.list !== 'same' && stops === undefined;
  const isDoubtful = (stopped.length > 0 && !isProven) || isLifted || isUnread;
  const late = `nobody stops ${unseen.map(({ issuer_id }) => issuer_id).join(', ')} there yet`;
  const number = publication === undefined ? '' : `publication ${publication.sequence}, `;
  const said = [
    `${url} has ${differences(parts)} than ${folder} (${number}list of ${updatedAt})`,
    ...[...stopped, ...held, ...(isWanted ? [late] : [])],
    ...(isUnread ? ['its list cannot be read, so nobody knows whom it stops'] : []),
    ...(isOlder ? byReplacedKey(holds?.leftOut) : []),
  ];
  return {
    level: held.length > 0 || isDoubtful || unseen.length > 0 ? 'error' : 'warning',
    message: `${said.join('; ')}. ${isOlder ? wayOfTree(folder, parts) : wayOfHost(folder, parts)}`,
  };
}

function wayOfTree(folder: string, { isProven, holds }: TreeComparison): string {
  if (holds !== undefined && holds.onlyHost.length > 0) return `Whoever publishes ${folder} releases those`;
  if (isProven) return `${folder} continues it`;
  return `${folder} is later by its number or time only: look at both before you publish it`;
}

function wayOfHost(folder: string, { isProven }: TreeComparison): string {
  const follows = isProven ? 'It continues' : 'It is later, by its number or time only, than';
  return `${follows} ${folder}, and a build would undo changes`;
}

/**
 * The history of the host, which has been seen, unless only the tree's is on a mirror, or the rotation of the tree has replaced
 * the key of the host. How long they are says nothing: nobody may have seen the tree.
 */
async function historyToKeep(
  { host, parts }: HostComparison,
  mirrors: readonly HostStatus[],
  tree: LocalTree,
): Promise<'host' | 'tree'> {
  if (parts.rootKey === 'older') return 'tree';
  if (mirrors.some((mirror) => hasList(mirror, host.sha256))) return 'host';
  for (const mirror of mirrors) {
    if (hasList(mirror, tree.sha256)) return 'tree';
    // Another mirror may only be late, and have what both histories begin with.
    if (mirror.isForked !== true) continue;
    const { comparedWithTree, parts } = await compareWithHost(mirror, tree, {});
    if (parts.isProven && comparedWithTree !== undefined && comparedWithTree !== 'other') return 'tree';
  }
  return 'host';
}

const hasList = ({ sha256 }: HostStatus, list: string | undefined) => sha256 !== undefined && sha256 === list;

function byReplacedKey(leftOut: HoldComparison['leftOut']): string[] {
  if (leftOut === undefined) return [];
  const held = leftOut.hold.length === 0 ? '' : `, which holds ${leftOut.hold.join(', ')},`;
  return [
    `its checkpoint${held} does not count, because the publication of the tree does not name its key, ${leftOut.key}`,
  ];
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
