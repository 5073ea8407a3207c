import type { Issuer, IssuerRegistry } from '@passport-registry/verifier';
import { type Change, encodeBase64, MAX_CHANGES } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { readLogHead } from '../../generator/log/log-files.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { parseChanges } from '../../generator/tree/site/changes.js';
import { sourceOf } from '../../generator/verification/tree-source.js';
import { areForked, findForkedLog, type HostStatus } from '../../observers/hosts/compare-hosts.js';
import type { ServedLog } from '../../observers/hosts/read-host.js';
import type { OwnTree } from './own-tree.js';

/** How the publications of a host and those of the tree in the output folder follow each other. */
export interface History {
  /** `older`: those of the tree continue those of the host. `newer`: the other way round. `other`: neither, so there are two histories. */
  readonly order: 'same' | 'older' | 'newer' | 'other';
  /** Whether files show this order. If not, only numbers or times tell which publication is the later one. */
  readonly isProven: boolean;
}

/** A host whose list can be read, and the tree. */
export interface Both {
  readonly host: HostStatus & { readonly updatedAt: string };
  readonly tree: OwnTree & { readonly updatedAt: string };
  /** The records of the host's list; undefined if they cannot be read. */
  readonly issuers: readonly Issuer[] | undefined;
}

/** Compares the publications of a host with those of the tree. Times prove nothing: two people can publish at the same time. */
export async function compareHistories(both: Both, signal: AbortSignal | undefined): Promise<History> {
  const logs = await compareLogs(both, signal);
  if (logs === 'older' || logs === 'newer' || logs === 'other') return { order: logs, isProven: true };
  const stated = comparePublications(both) ?? { order: compareTimes(both), isProven: false };
  if (logs === 'same') return { ...stated, isProven: true };
  if (stated.isProven || stated.order !== 'older') return stated;
  const had = hasHad(both);
  return had === undefined ? stated : { order: had ? 'older' : 'other', isProven: true };
}

/** The larger log must contain the smaller one. @returns undefined if there are not two logs, or if one cannot be read */
async function compareLogs(
  { host, tree }: Both,
  signal: AbortSignal | undefined,
): Promise<History['order'] | undefined> {
  const own = ownLog(tree.folder);
  if (own === undefined || host.log === undefined) return undefined;
  try {
    const fork = await findForkedLog({ url: tree.folder, log: own }, host, signal);
    if (fork !== undefined) return 'other';
  } catch (error) {
    if (!(error instanceof IoFailed)) throw error;
    return undefined;
  }
  if (host.log.size === own.size) return 'same';
  return host.log.size < own.size ? 'older' : 'newer';
}

/** The newest head of the log of a tree, which a publication may already have that is not complete. */
function ownLog(folder: string): ServedLog | undefined {
  try {
    const head = readLogHead((path) => readIfReadable(folder, path));
    return head && { origin: head.origin, size: head.size, root: encodeBase64(head.root) };
  } catch (error) {
    if (!(error instanceof TreeRejected)) throw error;
    return undefined;
  }
}

/** Compares the publication statements, each of which names the one before it. @returns undefined if they do not tell */
function comparePublications({ host, tree }: Both): History | undefined {
  const [theirs, own] = [host.publication, tree.publication];
  if (theirs === undefined || own === undefined) return undefined;
  const { hash } = own;
  if (theirs.sha256 === hash) return { order: 'same', isProven: true };
  if (own.previous.includes(theirs.sha256)) return { order: 'older', isProven: true };
  if (theirs.previous.includes(hash)) return { order: 'newer', isProven: true };
  // Another root key may begin again with its own numbers.
  if (host.rootKey !== tree.rootKey) return undefined;
  if (areForked(theirs, { ...own, sha256: hash })) return { order: 'other', isProven: true };
  return { order: theirs.sequence < own.sequence ? 'older' : 'newer', isProven: false };
}

function compareTimes({ host, tree }: Both): History['order'] {
  if (host.sha256 !== tree.sha256) {
    if (host.updatedAt === tree.updatedAt) return 'other';
    return host.updatedAt < tree.updatedAt ? 'older' : 'newer';
  }
  if ((host.publication === undefined) === (tree.publication === undefined)) return 'same';
  return host.publication === undefined ? 'older' : 'newer';
}

/**
 * Whether the tree has once had the list of the host: its changes name that list, and lead from there to the status of each
 * issuer. @returns undefined if they do not tell
 */
function hasHad({ host, tree, issuers }: Both): boolean | undefined {
  const bytes = readIfReadable(tree.folder, PATHS.changes);
  const { changes = [], since = host.updatedAt } = (bytes && parseChanges(bytes)) || {};
  const oldest = changes.at(-1)?.updated_at ?? '';
  // A full file may lack changes.
  const isCut = changes.length >= MAX_CHANGES && oldest > host.updatedAt;
  if (issuers === undefined || bytes === undefined || isCut || since > host.updatedAt) return undefined;
  const had = new Map<string, string | null>(
    tree.issuers.map(({ issuer_id, status }) => [issuer_id, status]),
  );
  for (const { updated_at, field, issuer_id, from } of changes) {
    // Newest first: the oldest change since then says what there was.
    if (field === 'status' && updated_at > host.updatedAt) had.set(issuer_id, from);
  }
  const before = [...had].filter(([, status]) => status !== null);
  const theirs = new Map(issuers.map(({ issuer_id, status }) => [issuer_id, status]));
  const isSame = before.length === theirs.size && before.every(([id, status]) => theirs.get(id) === status);
  if (!isSame) return false;
  const isNamed = since === host.updatedAt || changes.some(({ updated_at }) => updated_at === host.updatedAt);
  return isNamed ? true : undefined;
}

/** Reads the records of the list that a host serves, whose hash was verified. @returns undefined if it does not serve it now */
export async function servedIssuers(
  { url, sha256: hash }: Pick<HostStatus, 'url' | 'sha256'>,
  signal: AbortSignal | undefined,
): Promise<readonly Issuer[] | undefined> {
  const list = await unlessAway(sourceOf(url, signal).get(PATHS.list, hash));
  if (list === undefined || sha256(list.bytes) !== hash) return undefined;
  const { issuers }: IssuerRegistry = JSON.parse(new TextDecoder().decode(list.bytes));
  return issuers;
}

/** The changes of status in both histories, newest first. Empty where they cannot be read. */
export interface StatusChanges {
  readonly host: readonly Change[];
  readonly tree: readonly Change[];
}

/** Reads the changes of status that a host serves, and those of the tree. Nobody has signed them. */
export async function statusChanges(
  { url }: Pick<HostStatus, 'url'>,
  { folder }: Pick<OwnTree, 'folder'>,
  signal: AbortSignal | undefined,
): Promise<StatusChanges> {
  const read = (bytes: Uint8Array | undefined) =>
    ((bytes && parseChanges(bytes)?.changes) ?? []).filter(({ field }) => field === 'status');
  const served = await unlessAway(sourceOf(url, signal).get(PATHS.changes));
  return { host: read(served?.bytes), tree: read(readIfReadable(folder, PATHS.changes)) };
}

/** What a host serves. Undefined if it does not answer any more. */
async function unlessAway<File>(served: Promise<File | undefined>): Promise<File | undefined> {
  try {
    return await served;
  } catch (error) {
    if (!(error instanceof IoFailed)) throw error;
    return undefined;
  }
}
