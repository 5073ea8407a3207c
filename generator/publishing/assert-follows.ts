import { RegistryError, type RootKey, type StoredPublication } from '@passport-registry/verifier';
import { ANY_TIME, refuseOlderList, type TreeHead, verifyDelegation } from '@passport-registry/verifier/core';
import { type Diagnostic, isError } from '../diagnostics/diagnostic.js';
import { GeneratorError, ignoring, KeyRejected, RecordsRejected, TreeRejected } from '../errors.js';
import { assertNotAhead, formatUpdatedAt } from '../list/updated-at.js';
import { damagedLog, type ReadFileSync, readLogHead } from '../log/log-files.js';
import { readEntries } from '../log/read-log.js';
import { checkTransitions } from '../review/forbidden-changes.js';
import { sha256 } from '../tree/checksums.js';
import { isLogPath } from '../tree/files.js';
import { PATHS } from '../tree/paths.js';
import { type PublishedFiles, publishedFiles } from '../tree/published-tree.js';
import { continuesChanges, parseChanges } from '../tree/site/changes.js';
import { ANY_AGE_MS, acceptPublication, storedPublication } from '../verification/accept.js';
import { auditLog } from '../verification/audit-log.js';
import { pinnedKey } from '../verification/pinned-trust.js';
import { memorySource } from '../verification/tree-source.js';
import { assertNothingUnlisted, assertTreeGood } from './assert-tree-good.js';
import { predecessorOf, publishedRecords } from './predecessor.js';
import type { PublicationExceptions } from './publication.js';

/** What to do if the published tree is not the one over which the next tree was built. */
export const LOAD_AGAIN =
  'Nothing was published. Load the branch into a new folder (`passport-registry branch load`), build there again, and save';

/** A tree in memory. */
interface NamedTree {
  readonly files: ReadonlyMap<string, Buffer>;
  /** The name of the tree in messages. */
  readonly name: string;
}

/** What a tree may do. */
export interface FollowOptions {
  readonly exceptions: PublicationExceptions;
}

/** A tree whose list has a valid signature. */
interface SignedTree extends NamedTree {
  readonly published: PublishedFiles;
  readonly rootKey: RootKey;
  readonly list: { readonly updatedAt: string; readonly sha256: string };
}

/**
 * Asserts that a tree is valid and may replace the tree that is published: for verifiers that have accepted the
 * published tree, for the rules for changes, and for the history of changes. An expired checkpoint is no obstacle: the
 * operator may sign the next one later.
 *
 * @param before - the published tree; undefined for a first publication
 * @returns the warnings
 * @throws {@link TreeRejected} | {@link KeyRejected} | {@link RecordsRejected}
 */
export async function assertFollows(
  proposed: NamedTree,
  before: NamedTree | undefined,
  { exceptions }: FollowOptions,
): Promise<readonly Diagnostic[]> {
  if (isOnlyLogged(proposed.files)) return assertFirstFollows(proposed, before);
  const next = await signedTree(proposed);
  await assertTreeGood(next.files, next.rootKey, next.name);
  assertNotAhead(next.list.updatedAt);
  if (before === undefined) return [];
  if (isOnlyLogged(before.files)) {
    await assertLogFollows(proposed, before);
    return [];
  }
  const held = await heldTree(before);
  const { rootKey, published } = next;
  if (published.development && !held.published.development) {
    throw new KeyRejected(
      `${next.name} is signed by a development key, and ${held.name} by ${held.rootKey.thumbprint}: a development tree does not replace it`,
    );
  }
  if (predecessorOf(held.published, { rootKey, development: published.development }) === undefined) return [];
  await assertLogFollows(next, held);
  await assertNothingUndone(next, held, exceptions.breakPinnedVerifiers === true);
  return assertPermitted(next, held, exceptions);
}

/** Asserts that a tree whose first publication is only in its log is valid, and that nothing else was published before. */
async function assertFirstFollows(
  proposed: NamedTree,
  before: NamedTree | undefined,
): Promise<readonly Diagnostic[]> {
  const { pending } = await publishedFiles(proposed.name, (path) => proposed.files.get(path));
  const log = await auditLog(memorySource(proposed.files));
  if (pending === undefined || log === undefined) {
    throw new TreeRejected(`${proposed.name} has no list, and its log has no publication`);
  }
  // The audit has checked the files of the log.
  const { sha256: list } = pending.statement;
  const parts = [PATHS.rootKey, PATHS.namedList(list)];
  const isPart = (path: string) => isLogPath(path) || parts.includes(path);
  assertNothingUnlisted(
    proposed.name,
    [...proposed.files.keys()].filter((path) => !isPart(path)),
  );
  if (before === undefined) return [];
  if (!isOnlyLogged(before.files)) {
    throw new TreeRejected(`${doesNotFollow(proposed, before)}: it has no list. ${LOAD_AGAIN}`);
  }
  await assertLogFollows(proposed, before);
  return [];
}

/**
 * Asserts that the log of a tree contains the published log: a log never forks, and never loses an entry
 * (rule log-write-order).
 */
async function assertLogFollows(next: NamedTree, held: NamedTree): Promise<void> {
  const fault = await findLogFault(
    next.files,
    readLogHead((path) => held.files.get(path)),
  );
  if (fault !== undefined) {
    throw new TreeRejected(`${doesNotFollow(next, held)}: it ${fault}. ${LOAD_AGAIN}`);
  }
}

/** Reads a tree that must have a list with a valid signature. */
async function signedTree({ files, name }: NamedTree): Promise<SignedTree> {
  const published = await publishedFiles(name, (path) => files.get(path));
  const { signed, rootKey, list, updatedAt } = published;
  if (!signed || rootKey === undefined || list === undefined || updatedAt === undefined) {
    throw new TreeRejected(`${name} has no list with a valid signature`);
  }
  return { files, name, published, rootKey, list: { updatedAt, sha256: sha256(list) } };
}

/**
 * Reads the published tree. Without its signed files nothing can be compared, so a damaged tree is not replaced. Damage
 * in any other file is repaired by the next tree.
 */
async function heldTree(tree: NamedTree): Promise<SignedTree> {
  try {
    const held = await signedTree(tree);
    await acceptable(held.files, held.rootKey);
    return held;
  } catch (cause) {
    if (!(cause instanceof GeneratorError)) throw cause;
    throw new TreeRejected(
      `the published tree is damaged, so nothing can be compared with it: ${cause.message}. Nothing was published. Put the ` +
        'last valid tree back with `git revert` on that branch, push it, and load the branch again',
      { cause },
    );
  }
}

/**
 * Whether verifiers that hold the published tree accept the next one, and whether no change gets lost
 * (rule newest-published).
 */
async function assertNothingUndone(next: SignedTree, held: SignedTree, breaks: boolean): Promise<void> {
  const isOtherKey = next.rootKey.thumbprint !== held.rootKey.thumbprint;
  // Nobody has pinned a development key, and `--break-pinned-verifiers` gives up those who pinned the published key.
  const isNewRoot = isOtherKey && (breaks || held.published.development);
  try {
    // A checkpoint may name an earlier list than the one that the tree has since.
    const { list } = held;
    const known = { updatedAt: list.updatedAt, checkpoint: undefined, delegatedAt: undefined };
    refuseOlderList(next.list, { ...known, sha256: list.sha256 });
    if (isNewRoot) return;
    const stored = storedPublication((path) => held.files.get(path));
    await acceptable(next.files, held.rootKey, stored);
  } catch (cause) {
    if (!(cause instanceof TreeRejected || cause instanceof RegistryError)) throw cause;
    const hint = isOtherKey
      ? `. Its root key is ${next.rootKey.thumbprint}, and the published one ${held.rootKey.thumbprint}: verifiers follow only a rotation, unless you pass --break-pinned-verifiers`
      : '';
    throw new TreeRejected(`${doesNotFollow(next, held)}: ${cause.message}${hint}. ${LOAD_AGAIN}`, { cause });
  }
  const [history, earlier] = [next, held].map(({ files }) => {
    const bytes = files.get(PATHS.changes);
    return bytes && parseChanges(bytes);
  });
  if (earlier === undefined || (history !== undefined && continuesChanges(history, earlier))) return;
  throw new TreeRejected(
    `${doesNotFollow(next, held)}: its ${PATHS.changes} lacks changes that were published, so it was built over an older tree. ${LOAD_AGAIN}`,
  );
}

const doesNotFollow = (next: NamedTree, held: NamedTree) => `${next.name} does not follow ${held.name}`;

/**
 * Verifies a tree as a verifier does that pins a root key, whatever the age of the tree.
 *
 * @param stored - what it has accepted before. Default: nothing
 */
export async function acceptable(
  files: NamedTree['files'],
  rootKey: RootKey,
  stored?: StoredPublication,
): Promise<void> {
  const accepted = stored === undefined ? [] : [await withDelegation(stored, rootKey)];
  const trust = pinnedKey(rootKey);
  await acceptPublication(memorySource(files), { trust, maxAgeMs: ANY_AGE_MS, accepted });
}

/** Verifiers remember the delegation of a tree from earlier checkpoints, also if the root key has signed the present one. */
async function withDelegation(stored: StoredPublication, rootKey: RootKey): Promise<StoredPublication> {
  if (stored.delegation === undefined) return stored;
  // No verifier has accepted a delegation that is damaged.
  const delegation = await verifyDelegation(stored.delegation, rootKey, ANY_TIME).catch(
    ignoring(RegistryError),
  );
  return delegation === undefined ? stored : { ...stored, delegatedAt: formatUpdatedAt(delegation.issuedAt) };
}

/** Applies the rules for changes to the two lists (rule record-changes). */
function assertPermitted(
  next: SignedTree,
  held: SignedTree,
  { overrides = [] }: PublicationExceptions,
): readonly Diagnostic[] {
  const [before, after] = [held, next].map(({ published, name }) => publishedRecords(published, name));
  if (before === undefined || after === undefined) return [];
  const found = checkTransitions(before, after, overrides);
  if (found.some(isError)) {
    throw new RecordsRejected(found, `${doesNotFollow(next, held)}, and nothing was published`);
  }
  return found;
}

/**
 * Whether a tree has a log, and nothing has been published yet: the first publication waits for the cosignatures of its
 * head (rule log-write-order).
 */
export function isOnlyLogged(files: NamedTree['files']): boolean {
  return !files.has(PATHS.list) && files.has(PATHS.logHead);
}

/**
 * Returns why the log of a tree does not contain an earlier log.
 *
 * @param earlier - undefined if there was no log
 * @returns a predicate, such as "has no log"; undefined if the log contains the earlier one
 * @throws {@link TreeRejected} if the log of the tree is damaged
 */
export async function findLogFault(
  files: NamedTree['files'],
  earlier: TreeHead | undefined,
): Promise<string | undefined> {
  if (earlier === undefined) return undefined;
  const before = `a log with ${earlier.size} entries was published`;
  const read: ReadFileSync = (path) => files.get(path);
  const head = readLogHead(read);
  if (head === undefined) return `has no log, but ${before}`;
  if (head.size < earlier.size) return `has a log with ${head.size} entries, but ${before}`;
  const { tree } = await readEntries({ fetchFile: async (path) => read(path), invalid: damagedLog }, head);
  if (await tree.contains(earlier)) return undefined;
  return `has another log: ${before}, which it does not contain`;
}
