import type { Issuer, RootKey } from '@passport-registry/verifier';
import { type Change, GRAMMAR, statementHash } from '@passport-registry/verifier/core';
import { readIfReadable } from '../../generator/files/read-file.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { replacedRootKeys } from '../../generator/tree/commitment.js';
import { readUnverified, statementsIn } from '../../generator/tree/statements-file.js';
import type { HostStatus } from '../../observers/hosts/compare-hosts.js';
import type { ServedStatement } from '../../observers/hosts/read-host.js';
import {
  type Both,
  compareHistories,
  type History,
  type StatusChanges,
  servedIssuers,
  statusChanges,
} from './histories.js';
import { idsOf, type OwnTree } from './own-tree.js';

/** A host, and how what it serves compares with the tree in the output folder. */
export interface HostComparison {
  readonly host: HostStatus;
  readonly parts: TreeComparison;
  /** How the whole trees compare: what is newer on the host must not be replaced. Undefined if one of the lists cannot be read. */
  readonly comparedWithTree: 'same' | 'older' | 'newer' | 'other' | undefined;
  /** Whom the checkpoint of the tree holds, verified or not, and the host does not: to load its tree releases them. */
  readonly lostHolds: readonly string[];
  /** Whether the host shows a root key to which a rotation leads that was not made here, and that nobody has pinned here. */
  readonly isForeign: boolean;
}

/**
 * How a part that a host serves compares with the same part of the tree in the output folder. Of a list or a publication,
 * `older` means that the tree continues what the host serves, `newer` the opposite, and `other` that neither is so.
 */
type Compared = 'same' | 'older' | 'newer' | 'missing' | 'other';

/** How the parts that a host serves compare with the tree in the output folder. Undefined if one cannot be read. */
export interface TreeComparison {
  readonly list: Compared | undefined;
  readonly rootKey: Compared | undefined;
  readonly checkpoint: Compared | undefined;
  readonly publication: Compared | undefined;
  readonly holds: HoldComparison | undefined;
  /** Whether files prove how list and publication compare. If not, only numbers or times say it. */
  readonly isProven: boolean;
  readonly stops: StopComparison | undefined;
}

/** How the issuers that two lists stop differ. */
interface StopComparison {
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
  /** The key that signed the host's checkpoint, if the publication of the tree does not name it. Its holds do not count. */
  readonly leftOut: { readonly key: string; readonly hold: readonly string[] } | undefined;
}

/** What counts besides the two trees. */
interface ComparedUnder {
  /** The thumbprint of the root key that the operator has pinned. Undefined if there is none. */
  readonly pinned?: string | undefined;
  /** The online keys from now on. Default: those of the tree. */
  readonly onlineKeys?: readonly Pick<RootKey, 'thumbprint'>[] | undefined;
  /** Ends all requests. */
  readonly signal?: AbortSignal | undefined;
}

/** Compares what a host serves with the tree in the output folder. */
export async function compareWithHost(
  host: HostStatus,
  tree: OwnTree,
  under: ComparedUnder,
): Promise<HostComparison> {
  const parts = await compareTrees(host, tree, under);
  const replaced = replacedRootKeys(tree.folder);
  // The rotation of the tree does not lead to the key of the host, nor that of the host to the key of the tree.
  const claimed = host.claimed?.development === false ? host.claimed.rootKey : undefined;
  const isOther =
    claimed !== undefined && replaced.length > 0 && ![tree.rootKey, ...replaced].includes(claimed);
  return {
    host,
    parts,
    comparedWithTree: compareWhole(parts),
    lostHolds: parts.holds?.onlyTree ?? heldUnverified(tree.folder, host),
    isForeign: isOther || (parts.rootKey === 'newer' && host.rootKey !== under.pinned),
  };
}

const UNREAD: TreeComparison = {
  ...{ list: undefined, rootKey: undefined, checkpoint: undefined },
  ...{ publication: undefined, holds: undefined, isProven: false, stops: undefined },
};

async function compareTrees(
  host: HostStatus,
  tree: OwnTree,
  { onlineKeys = tree.publication?.online?.keys ?? [], signal }: ComparedUnder,
): Promise<TreeComparison> {
  const [theirs, own] = [host.updatedAt, tree.updatedAt];
  if (theirs === undefined || own === undefined) return UNREAD;
  const isSameList = host.sha256 === tree.sha256;
  const issuers = isSameList ? undefined : await servedIssuers(host, signal);
  const both = { host: { ...host, updatedAt: theirs }, tree: { ...tree, updatedAt: own }, issuers };
  const { order, isProven } = await compareHistories(both, signal);
  // A later publication, or that of another history, has online keys of its own.
  const isFollowed = order === 'same' || order === 'older';
  const isLeftOut = isFollowed && !isTrustedSigner(host, tree, onlineKeys);
  const stated = compareStatement(host.publication, tree, 'publication');
  return {
    list: isSameList ? 'same' : order,
    rootKey: compareRootKeys(host, tree),
    // Whoever stole a key that was replaced can date its checkpoints as late as they like.
    checkpoint: isLeftOut ? 'older' : compareStatement(host.checkpoint, tree, 'checkpoint'),
    publication: stated === undefined || stated === 'missing' ? stated : order,
    holds: compareHolds(host, tree, { isLeftOut, theirs: isSameList ? tree.issuers : issuers }),
    isProven,
    stops: await compareStops(both, order, signal),
  };
}

/** Whether the checkpoint of a host, if there is one, is by a key that signs checkpoints from now on. */
function isTrustedSigner(
  { rootKey, checkpoint }: HostStatus,
  tree: OwnTree,
  onlineKeys: NonNullable<ComparedUnder['onlineKeys']>,
): boolean {
  const online = onlineKeys.map(({ thumbprint }) => thumbprint);
  const signer = checkpoint?.signer;
  return signer === undefined || [tree.rootKey, rootKey, ...online].includes(signer);
}

/** Compares whom two lists stop, and of two histories, whether the other one has ended that. */
async function compareStops(
  { host, tree, issuers }: Both,
  order: History['order'],
  signal: AbortSignal | undefined,
): Promise<StopComparison | undefined> {
  if (issuers === undefined) return undefined;
  const changes = order === 'other' ? await statusChanges(host, tree, signal) : { host: [], tree: [] };
  return {
    onlyHost: stoppedOnlyIn(issuers, tree.issuers, [changes.host, changes.tree]),
    onlyTree: stoppedOnlyIn(tree.issuers, issuers, [changes.tree, changes.host]),
  };
}

/** Issuers of a list that are stopped there, and active in another list. Changes are newest first. */
function stoppedOnlyIn(
  issuers: readonly Issuer[],
  others: readonly Issuer[],
  [own, other]: readonly [StatusChanges['host'], StatusChanges['host']],
): readonly StoppedIssuer[] {
  const active = new Set(idsOf(others, 'active'));
  const stopped = issuers.filter(({ issuer_id, status }) => status !== 'active' && active.has(issuer_id));
  return stopped.map(({ issuer_id, status }) => {
    const last = own.find((change) => change.issuer_id === issuer_id);
    const isSame = ({ issuer_id: id, updated_at, to }: Change) =>
      id === issuer_id && updated_at === last?.updated_at && to === last.to;
    const isEnded = last?.to === status && other.some(isSame);
    return { issuer_id, status, ...(isEnded && { isEnded }) };
  });
}

function compareHolds(
  { checkpoint: served }: HostStatus,
  { checkpoint, issuers }: OwnTree,
  {
    isLeftOut,
    theirs: listed = [],
  }: { readonly isLeftOut: boolean; readonly theirs: readonly Issuer[] | undefined },
): HoldComparison | undefined {
  // Nobody can tell what a checkpoint holds that is damaged or lost.
  if (checkpoint === undefined) return undefined;
  const [theirs, own] = [served?.hold ?? [], checkpoint.hold];
  const without = (ids: readonly string[], others: readonly string[]) =>
    ids.filter((id) => !others.includes(id));
  return {
    onlyHost: isLeftOut ? [] : without(without(theirs, own), idsOf(issuers, 'stopped')),
    onlyTree: without(without(own, theirs), idsOf(listed, 'stopped')),
    leftOut: isLeftOut && served?.signer !== undefined ? { key: served.signer, hold: theirs } : undefined,
  };
}

/**
 * Returns whom the checkpoint of a tree holds, and a host does not. Of a damaged tree, the checkpoint counts as far as it can be
 * read, because to hold too many does less harm.
 */
export function heldUnverified(folder: string, host?: Pick<HostStatus, 'checkpoint'>): readonly string[] {
  const text = statementsIn((path) => readIfReadable(folder, path))?.checkpoint;
  const held = text === undefined ? undefined : readUnverified(text, 'registry-checkpoint+jwt')?.claims.hold;
  const ids = Array.isArray(held) ? held : [];
  // They become words of a command.
  const isId = (id: unknown): id is string => typeof id === 'string' && GRAMMAR.issuerId.pattern.test(id);
  return ids.filter((id) => isId(id) && host?.checkpoint?.hold?.includes(id) !== true);
}

/** Publications decide, then the checkpoint, which a new one follows in every case. */
function compareWhole({
  list,
  rootKey,
  checkpoint,
  publication,
}: TreeComparison): HostComparison['comparedWithTree'] {
  if (list === undefined) return undefined;
  if (list === 'other' || publication === 'other') return 'other';
  // After a rotation, nobody should publish with the outgoing key.
  if (rootKey === 'older' && list === 'newer') return 'other';
  return firstDifference([rootKey, publication, list, checkpoint]);
}

function firstDifference(parts: readonly (Compared | undefined)[]): 'same' | 'older' | 'newer' {
  const first = parts.find((part) => part !== undefined && part !== 'same');
  if (first === undefined) return 'same';
  return first === 'newer' ? 'newer' : 'older';
}

/** A host was verified with a key from which the keys of both trees follow, so another key is earlier or later. */
function compareRootKeys({ rootKey }: HostStatus, { folder, ...tree }: OwnTree): Compared | undefined {
  if (rootKey === undefined || tree.rootKey === undefined) return undefined;
  if (rootKey === tree.rootKey) return 'same';
  return replacedRootKeys(folder).includes(rootKey) ? 'older' : 'newer';
}

function compareStatement(
  served: ServedStatement | undefined,
  tree: OwnTree,
  name: 'checkpoint' | 'publication',
): Compared | undefined {
  const own = tree[name];
  // The tree's own statement is not valid.
  if (own === undefined) return undefined;
  if (served === undefined) return 'missing';
  if (served.sha256 === statementHash(own.text)) return 'same';
  return served.issuedAt > formatUpdatedAt(own.issuedAt) ? 'newer' : 'older';
}
