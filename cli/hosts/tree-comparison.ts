import type { Issuer } from '@passport-registry/verifier';
import { type Delegation, GRAMMAR } from '@passport-registry/verifier/core';
import { readIfReadable } from '../../generator/files/read-file.js';
import { readUnverified } from '../../generator/freshness/previous-checkpoint.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { replacedRootKeys } from '../../generator/tree/commitment.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { HostStatus } from '../../observers/hosts/compare-hosts.js';
import type { ServedStatement } from '../../observers/hosts/read-host.js';
import { endedHere } from './ended-holds.js';
import {
  compareHistories,
  type OwnTree,
  type StatusChanges,
  servedIssuers,
  statusChanges,
} from './histories.js';

/**
 * How a part that a host serves compares with the same part of the tree in the output folder. Of a list or a publication,
 * `older` means that the tree continues what the host serves, `newer` the opposite, and `other` that neither is so.
 */
export type Compared = 'same' | 'older' | 'newer' | 'missing' | 'other';

/** How the parts that a host serves compare with the tree in the output folder. Undefined if one cannot be read. */
export interface TreeComparison {
  readonly list: Compared | undefined;
  readonly rootKey: Compared | undefined;
  readonly delegation: Compared | undefined;
  readonly checkpoint: Compared | undefined;
  readonly publication: Compared | undefined;
  readonly holds: HoldComparison | undefined;
  /** Whether files prove how list and publication compare. If not, only numbers or times say it. */
  readonly isProven: boolean;
  readonly stops: StopComparison | undefined;
}

/** How the issuers that two lists stop differ. */
export interface StopComparison {
  /** Suspended or revoked in the list of the host, and active in that of the tree. */
  readonly onlyHost: readonly StoppedIssuer[];
  /** Suspended or revoked in the list of the tree, and active in that of the host. */
  readonly onlyTree: readonly StoppedIssuer[];
}

/** An issuer that a list suspends or revokes. */
export interface StoppedIssuer extends Pick<Issuer, 'issuer_id' | 'status'> {
  /** Whether the other of two histories has had this stop, and has ended it. Absent if not, or if that is unknown. */
  readonly isEnded?: true;
}

/** How the issuers that two checkpoints hold differ (rule hold-kept). */
export interface HoldComparison {
  /** Held by the host only, not ended here, and not stopped by the list of the tree: whoever publishes the tree releases them. */
  readonly onlyHost: readonly string[];
  /** Held by the tree only, and not stopped by the list of the host: whoever loads the host's tree releases them. */
  readonly onlyTree: readonly string[];
  /** The key that signed the host's checkpoint, if the delegation of the tree leaves it out. Its holds do not count. */
  readonly leftOut: { readonly key: string; readonly hold: readonly string[] } | undefined;
}

/**
 * Compares what a host serves with the tree in the output folder.
 *
 * @param delegation - the delegation that says which keys sign checkpoints from now on. Default: that of the tree
 * @param signal - ends all requests
 */
export async function compareTrees(
  host: HostStatus,
  tree: OwnTree,
  {
    delegation = tree.delegation,
    signal,
  }: {
    readonly delegation?: Pick<Delegation, 'keys'> | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<TreeComparison> {
  const [theirs, own] = [host.updatedAt, tree.updatedAt];
  if (theirs === undefined || own === undefined) {
    const unknown = { delegation: undefined, checkpoint: undefined, publication: undefined };
    return {
      list: undefined,
      rootKey: undefined,
      ...unknown,
      holds: undefined,
      isProven: false,
      stops: undefined,
    };
  }
  const isSameList = host.sha256 === tree.sha256;
  const issuers = isSameList ? undefined : await servedIssuers(host, signal);
  const both = { host: { ...host, updatedAt: theirs }, tree: { ...tree, updatedAt: own }, issuers };
  const { order, isProven } = await compareHistories(both, signal);
  const changes = order === 'other' && issuers ? await statusChanges(host, tree, signal) : undefined;
  const delegations = compareStatements(host.delegation, tree, 'delegation');
  const signer = host.checkpoint?.signer;
  const trusted = [tree.rootKey, host.rootKey, ...(delegation?.keys ?? []).map((key) => key.thumbprint)];
  const isLeftOut = signer !== undefined && delegations !== 'newer' && !trusted.includes(signer);
  const isStated = compareStatements(host.publication, tree, 'publication');
  return {
    list: isSameList ? 'same' : order,
    rootKey: compareRootKeys(host, tree),
    delegation: delegations,
    // Whoever stole a key that was replaced can date its checkpoints as late as they like.
    checkpoint: isLeftOut ? 'older' : compareStatements(host.checkpoint, tree, 'checkpoint'),
    publication: isStated === undefined || isStated === 'missing' ? isStated : order,
    holds: compareHolds(host, tree, { isLeftOut, theirs: isSameList ? tree.issuers : issuers }),
    isProven,
    stops: issuers && withEnded(compareStops(issuers, tree.issuers), changes),
  };
}

function withEnded(
  { onlyHost, onlyTree }: StopComparison,
  { host, tree }: StatusChanges = { host: [], tree: [] },
): StopComparison {
  const mark = (
    stopped: readonly StoppedIssuer[],
    own: StatusChanges['host'],
    other: StatusChanges['host'],
  ) =>
    stopped.map((one): StoppedIssuer => {
      const last = own.find(({ issuer_id }) => issuer_id === one.issuer_id);
      const isEnded =
        last?.to === one.status &&
        other.some(
          ({ issuer_id, updated_at, to }) =>
            issuer_id === one.issuer_id && updated_at === last.updated_at && to === last.to,
        );
      return isEnded ? { ...one, isEnded } : one;
    });
  return { onlyHost: mark(onlyHost, host, tree), onlyTree: mark(onlyTree, tree, host) };
}

function compareStops(theirs: readonly Issuer[], own: readonly Issuer[]): StopComparison {
  const stoppedIn = (issuers: readonly Issuer[], others: readonly Issuer[]) => {
    const active = new Set(
      others.filter(({ status }) => status === 'active').map(({ issuer_id }) => issuer_id),
    );
    const stopped = issuers.filter(({ issuer_id, status }) => status !== 'active' && active.has(issuer_id));
    return stopped.map(({ issuer_id, status }) => ({ issuer_id, status }));
  };
  return { onlyHost: stoppedIn(theirs, own), onlyTree: stoppedIn(own, theirs) };
}

function compareHolds(
  { checkpoint: served }: HostStatus,
  { folder, checkpoint, issuers }: OwnTree,
  {
    isLeftOut,
    theirs: listed = [],
  }: { readonly isLeftOut: boolean; readonly theirs: readonly Issuer[] | undefined },
): HoldComparison | undefined {
  // Nobody can tell what a damaged checkpoint holds.
  if (checkpoint === undefined && readIfReadable(folder, PATHS.checkpoint) !== undefined) return undefined;
  const [theirs, own] = [served?.hold ?? [], checkpoint?.hold ?? []];
  const stoppedIn = (list: readonly Issuer[]) =>
    list.filter(({ status }) => status !== 'active').map(({ issuer_id }) => issuer_id);
  const ended = served === undefined ? [] : endedHere(served.sha256);
  const without = (ids: readonly string[], others: readonly string[]) =>
    ids.filter((id) => !others.includes(id));
  return {
    onlyHost: isLeftOut ? [] : without(without(theirs, own), [...stoppedIn(issuers), ...ended]),
    onlyTree: without(without(own, theirs), stoppedIn(listed)),
    leftOut: isLeftOut && served?.signer !== undefined ? { key: served.signer, hold: theirs } : undefined,
  };
}

/**
 * Returns whom the checkpoint of the tree holds, and the host does not: whoever loads the host's tree releases them. Of a damaged
 * tree, the checkpoint counts as far as it can be read, because to hold too many does less harm.
 */
export function lostHolds(
  folder: string,
  host: Pick<HostStatus, 'checkpoint'> | undefined,
  parts: Pick<TreeComparison, 'holds'> | undefined,
): readonly string[] {
  if (parts?.holds !== undefined) return parts.holds.onlyTree;
  const bytes = readIfReadable(folder, PATHS.checkpoint);
  const held = bytes && readUnverified(bytes, 'registry-checkpoint+jwt')?.claims.hold;
  const ids = Array.isArray(held) ? held : [];
  // They become words of a command.
  const isId = (id: unknown): id is string => typeof id === 'string' && GRAMMAR.issuerId.pattern.test(id);
  return ids.filter((id) => isId(id) && host?.checkpoint?.hold?.includes(id) !== true);
}

/**
 * Compares the whole trees: what is newer on the host must not be replaced. Publications decide, then the delegation, then
 * the checkpoint, which a new one follows in every case.
 */
export function compareWhole(parts: TreeComparison): 'same' | 'older' | 'newer' | 'other' | undefined {
  const { list, rootKey, delegation, checkpoint, publication } = parts;
  if (list === undefined) return undefined;
  if (list === 'other' || publication === 'other') return 'other';
  // After a rotation, nobody should publish with the outgoing key.
  if (rootKey === 'older' && list === 'newer') return 'other';
  const published = firstDifference([rootKey, publication, list]);
  const delegated = firstDifference([delegation]);
  // Each has something that the other lacks.
  if (rootKey === 'same' && published !== 'same' && delegated !== 'same' && published !== delegated)
    return 'other';
  return firstDifference([published, delegated, checkpoint]);
}

function firstDifference(parts: readonly (Compared | undefined)[]): 'same' | 'older' | 'newer' {
  const first = parts.find((part) => part !== undefined && part !== 'same');
  if (first === undefined) return 'same';
  return first === 'newer' ? 'newer' : 'older';
}

/** Names the parts that differ, in words. */
export function differences({ list, rootKey, publication, delegation, checkpoint }: TreeComparison): string {
  const published = { older: 'an earlier publication', newer: 'a later publication' };
  const statements = { delegation, checkpoint, 'root key': rootKey };
  const first = [list, publication].find((part) => part === 'older' || part === 'newer');
  const words = Object.entries(statements).flatMap(([part, how]) => {
    if (how === undefined || how === 'same') return [];
    const article = how === 'newer' ? 'a' : 'an';
    return [how === 'missing' ? `no ${part}` : `${article} ${how} ${part}`];
  });
  const missing = publication === 'missing' ? ['no publication statement'] : [];
  return [...(first === undefined ? [] : [published[first]]), ...missing, ...words].join(' and ');
}

/** Whether a host shows a root key to which a rotation leads that was not made here, and that nobody has pinned here. */
export function isForeignKey(
  { rootKey }: HostStatus,
  parts: Pick<TreeComparison, 'rootKey'>,
  pinned: string | undefined,
): boolean {
  return parts.rootKey === 'newer' && rootKey !== pinned;
}

/** Says what {@link isForeignKey} has found. */
export function foreignKey({ url, rootKey }: HostStatus): string {
  return `${url} shows the root key ${rootKey}, by a rotation that was not made here: unless one of you has rotated the key elsewhere, a thief has`;
}

/** Says what to do then: only the people of the registry know whether it is theirs, so no command may adopt the key or undo it. */
export function askEverybody(key: string | undefined): string {
  return `ask everybody who has the root key whether they have rotated it to ${key}. If one of you has, get root_key and the other settings from there, and run \`status\` again. If not, the root key has leaked: keep the folder as it is, and see "The root key has leaked" in the document emergency.md`;
}

/** A host was verified with a key from which the keys of both trees follow, so another key is earlier or later. */
function compareRootKeys({ rootKey }: HostStatus, { folder, ...tree }: OwnTree): Compared | undefined {
  if (rootKey === undefined || tree.rootKey === undefined) return undefined;
  if (rootKey === tree.rootKey) return 'same';
  return replacedRootKeys(folder).includes(rootKey) ? 'older' : 'newer';
}

function compareStatements(
  served: ServedStatement | undefined,
  tree: OwnTree,
  name: 'delegation' | 'checkpoint' | 'publication',
): Compared | undefined {
  const bytes = readIfReadable(tree.folder, PATHS[name]);
  const own = tree[name];
  if (bytes === undefined) return served === undefined ? 'same' : 'newer';
  // The tree's own statement is not valid.
  if (own === undefined) return undefined;
  if (served === undefined) return 'missing';
  if (served.sha256 === sha256(bytes)) return 'same';
  return served.issuedAt > formatUpdatedAt(own.issuedAt) ? 'newer' : 'older';
}

/** Names the issuers that only one of two checkpoints holds, in words. Undefined if there are none. */
export function holdsInWords({ holds }: TreeComparison, folder: string): string | undefined {
  const { onlyHost = [], onlyTree = [] } = holds ?? {};
  return inWords({ host: onlyHost, tree: onlyTree }, 'holds', folder);
}

/** Names the issuers that only one of two lists stops, in words. Undefined if there are none. */
export function stopsInWords({ stops }: Pick<TreeComparison, 'stops'>, folder: string): string | undefined {
  const words = (['suspended', 'revoked'] as const).map((status) => {
    const idsIn = (issuers: readonly StoppedIssuer[] = []) =>
      issuers.flatMap((one) => (one.status === status ? [one.issuer_id] : []));
    const ids = { host: idsIn(stops?.onlyHost), tree: idsIn(stops?.onlyTree) };
    return inWords(ids, status === 'suspended' ? 'suspends' : 'revokes', folder);
  });
  const said = words.filter((one) => one !== undefined);
  return said.length === 0 ? undefined : said.join('; ');
}

/** Who may have signed what a host no longer stops, and the tree does. Undefined if it stops the same. */
export function doubtOfHost({ list, holds, stops }: TreeComparison): string | undefined {
  const leaked = (what: string, key: string) =>
    `If nobody of you has ${what}, the ${key} key has leaked: do not load its tree, and see "The ${key} key has leaked" in the document emergency.md`;
  if (list !== 'same')
    return stops?.onlyTree.length ? leaked('published the list of the host', 'root') : undefined;
  const { onlyHost = [], onlyTree = [] } = holds ?? {};
  return onlyHost.length + onlyTree.length > 0
    ? leaked('signed the checkpoint of the host', 'online')
    : undefined;
}

function inWords(
  { host, tree }: { readonly host: readonly string[]; readonly tree: readonly string[] },
  does: string,
  folder: string,
): string | undefined {
  const words = [
    ...(host.length === 0 ? [] : [`it ${does} ${host.join(', ')}, and ${folder} does not`]),
    ...(tree.length === 0 ? [] : [`${folder} ${does} ${tree.join(', ')}, and it does not`]),
  ];
  return words.length === 0 ? undefined : words.join('; ');
}

/** Two histories, in words. */
export interface TwoHistories {
  readonly message: string;
  /** What only one of them stops, and which of their root keys is replaced. */
  readonly details: readonly string[];
}

/** Says in words that neither of the two continues the other. */
export function twoHistories(
  { url, rootKey }: HostStatus,
  { folder }: Pick<OwnTree, 'folder'>,
  parts: TreeComparison,
): TwoHistories {
  const differ = [stopsInWords(parts, folder), holdsInWords(parts, folder)].filter(
    (words) => words !== undefined,
  );
  const replaced =
    parts.rootKey === 'older'
      ? [`the rotation of ${folder} has replaced the root key of ${url}, ${rootKey}`]
      : [];
  const message = `two histories: neither ${url} nor ${folder} continues the other`;
  return { message, details: [...differ, ...replaced] };
}
