import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type SignedHead, signerAmong, verifiedUnder } from '@passport-registry/verifier/core';
import { IoFailed, ignoring, TreeRejected, UsageError } from '../errors.js';
import { assertOutside, withOutputFolder } from '../files/output-folder.js';
import { readIfReadable } from '../files/read-file.js';
import { branchName, fetchBranch, type RemoteBranch, readCommit } from '../files/remote-branch.js';
import { readLogHead } from '../log/log-files.js';
import { PATHS } from '../tree/paths.js';
import { type PublishedFiles, publishedFiles } from '../tree/published-tree.js';
import { statementsIn } from '../tree/statements-file.js';
import { namedHash, storedPublication } from '../verification/accept.js';
import { auditLog } from '../verification/audit-log.js';
import { httpSource, memorySource, type TreeSource } from '../verification/tree-source.js';
import { acceptable, findLogFault, isOnlyLogged } from './assert-follows.js';
import { createTree } from './write.js';

/** How to load a branch. */
interface LoadOptions {
  /**
   * The URL of the registry. If the branch does not exist, nothing must be published there. Otherwise the list there must not be
   * newer.
   */
  readonly baseUrl: string | undefined;
  /** Whether a tree in the folder is replaced, if nothing in it is newer than the branch. */
  readonly replace: boolean;
}

/**
 * Writes the published tree, which is the newest commit of a branch, into a folder, byte by byte. Unless all succeeds, the folder
 * stays as it was.
 *
 * @returns the commit, the number of its files, and why the tree was not compared with the live registry: undefined if it was.
 *   Undefined if the branch does not exist, because nothing was published yet
 * @throws {@link UsageError} if the folder has files, and may not be replaced; {@link TreeRejected} | {@link IoFailed}
 */
export async function loadBranch(out: string, from: RemoteBranch, { baseUrl, replace }: LoadOptions) {
  return withOutputFolder(out, async (output) => {
    const folder = output.out;
    const isTaken = existsSync(folder) && readdirSync(folder).length > 0;
    if (isTaken && !replace) {
      throw new UsageError(`${out} has files in it: pass --replace, or name another folder`);
    }
    if (isTaken && ![PATHS.list, PATHS.rootKey].some((path) => existsSync(join(folder, path)))) {
      throw new UsageError(`${out} has files in it, and is no published tree: name another folder`);
    }
    if (isTaken) assertOutside(folder, [join(from.repository.top, from.repository.prefix)]);
    const commit = fetchBranch(from);
    if (commit === undefined) {
      await assertNothingPublished(from, baseUrl);
      return undefined;
    }
    const files = readCommit(commit, from);
    const notCompared = await assertNotPutBack(files, from, baseUrl);
    if (isTaken) await assertNotNewer({ folder, name: out }, files, branchName(from));
    await createTree(files, output);
    return { commit, files: files.size, notCompared };
  });
}

/**
 * Without the published list, a build cannot compare its records with that list. So a branch that has been deleted must
 * not look like a registry that has never published: only a host that has no list shows that.
 */
async function assertNothingPublished(from: RemoteBranch, baseUrl: string | undefined): Promise<void> {
  if (baseUrl === undefined) return;
  const missing = `there is no ${branchName(from)}`;
  const published = await httpSource(baseUrl)
    .get(PATHS.list)
    .catch((cause: Error) => {
      throw new IoFailed(
        `${missing}, and ${baseUrl} does not show whether a list was published: ${cause.message}. If none ever was, build ` +
          'and save without `branch load`. Otherwise restore the branch',
        { cause },
      );
    });
  if (published === undefined) return;
  throw new IoFailed(`${missing}, but ${baseUrl} serves a list: restore the branch from a copy of the tree`);
}

/**
 * Asserts that the tree on the branch may follow the live registry, by the rules of a verifier. Somebody who can push
 * could otherwise put an old tree back on the branch, and the next checkpoint would confirm its list.
 *
 * @returns why the tree was not compared; undefined if it was
 */
async function assertNotPutBack(
  files: ReadonlyMap<string, Buffer>,
  from: RemoteBranch,
  baseUrl: string | undefined,
): Promise<string | undefined> {
  const name = branchName(from);
  const published = await publishedFiles(name, (path) => files.get(path));
  const { rootKey } = published;
  if (rootKey === undefined) throw new TreeRejected(`${name} has no tree with a root key: ${PUT_BACK}`);
  const isFirst = isOnlyLogged(files);
  const verified = isFirst ? auditLog(memorySource(files)) : acceptable(files, rootKey);
  await verified.catch((cause: Error) => {
    throw new TreeRejected(`the tree on ${name} is not valid: ${cause.message}: ${PUT_BACK}`, { cause });
  });
  // Clients take the list by its hash, and need no issuers.sig.
  if (!isFirst && !published.signed)
    throw new TreeRejected(
      `the tree on ${name} is not valid: its issuers.sig is not for its list: ${PUT_BACK}`,
    );
  if (baseUrl === undefined) return 'there is no base_url';
  let live: LiveLog;
  try {
    live = await readLive(httpSource(baseUrl));
  } catch (cause) {
    if (!(cause instanceof IoFailed)) throw cause;
    return cause.message;
  }
  const { publication } = live;
  const newer = (message: string, cause?: unknown) =>
    new TreeRejected(`${baseUrl} serves a newer tree than ${name}: ${message}: ${PUT_BACK}`, { cause });
  if (publication !== undefined && isFirst) throw newer('the branch has no list');
  if (publication !== undefined) {
    await acceptable(files, rootKey, publication).catch((cause: Error) => {
      throw newer(cause.message, cause);
    });
  }
  const fault = await findLogFault(files, await evidentHead(live, published));
  if (fault !== undefined) throw newer(`the branch ${fault}`);
  return publication === undefined ? `${baseUrl} serves no list` : undefined;
}

/**
 * Asserts that the tree on the branch may follow the one that it replaces in a folder: a publication that was not saved would be
 * lost. A preview is none, and a damaged tree shows nothing.
 */
async function assertNotNewer(
  { folder, name }: { readonly folder: string; readonly name: string },
  files: ReadonlyMap<string, Buffer>,
  branch: string,
): Promise<void> {
  const read = (path: string) => readIfReadable(folder, path);
  try {
    const { rootKey, signed, development } = await publishedFiles(name, read);
    if (rootKey === undefined || development) return;
    const stored = signed ? storedPublication(read) : undefined;
    if (stored !== undefined) await acceptable(files, rootKey, stored);
    const fault = await findLogFault(files, readLogHead(read));
    if (fault !== undefined) throw new TreeRejected(`the branch ${fault}`);
  } catch (cause) {
    if (!(cause instanceof TreeRejected)) throw cause;
    throw new TreeRejected(
      `${name} was not replaced, because ${branch} does not continue it: ${cause.message}. Save it with \`branch save\`; or, if nobody ` +
        `has published it, remove ${name}`,
      { cause },
    );
  }
}

const PUT_BACK = 'find out who changed the branch, and restore its newest valid commit';

/**
 * Reads what a live registry serves: what a verifier would store, and the head of its log. Nothing has been verified.
 *
 * @throws {@link IoFailed} if the host cannot be read
 */
async function readLive(source: TreeSource) {
  const files = new Map<string, Uint8Array>();
  const read = async (...paths: readonly string[]) => {
    for (const path of paths) {
      const file = await source.get(path);
      if (file !== undefined) files.set(path, file.bytes);
    }
  };
  await read(PATHS.statements, PATHS.list, PATHS.logHead);
  const hash = namedHash((path) => files.get(path));
  if (hash !== undefined) await read(PATHS.namedList(hash));
  return { publication: storedPublication((path) => files.get(path)), head: files.get(PATHS.logHead) };
}

type LiveLog = Awaited<ReturnType<typeof readLive>>;

/**
 * Returns the head of the log that a live registry serves. A head that is not signed by the key of the log is no evidence.
 *
 * @param published - the tree on the branch. Its statements name the key of the log, as does the live one
 */
async function evidentHead(
  { head: bytes, publication }: LiveLog,
  { statement, pending, rootKey }: Pick<PublishedFiles, 'statement' | 'pending' | 'rootKey'>,
): Promise<SignedHead | undefined> {
  if (rootKey === undefined) return undefined;
  const stated = publication && statementsIn(() => Buffer.from(publication.statements));
  const live = await verifiedUnder(stated?.publication, [rootKey]);
  const vkeys = [statement, pending?.statement, live].flatMap((one) => one?.log?.vkey ?? []);
  const signed = async () => {
    const head = readLogHead(() => bytes);
    return head && ((await signerAmong(head, vkeys)) === undefined ? undefined : head);
  };
  return signed().catch(ignoring(TreeRejected));
}
