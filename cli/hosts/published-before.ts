import { join } from 'node:path';
import { assertTrustAnchor, type RootKey } from '@passport-registry/verifier';
import { readRotation, readStatement } from '@passport-registry/verifier/core';
import { repositoryAround } from '../../generator/files/git.js';
import { readText, readTreeFile } from '../../generator/files/read-file.js';
import { knownBranches, readFromCommit } from '../../generator/files/remote-branch.js';
import { formatUpdatedAt, updatedAtOf } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { rootKeyOf } from '../../generator/tree/published-tree.js';
import { statementsIn } from '../../generator/tree/statements-file.js';
import { MIRROR_FOLDER, replacedTrees } from './load-commands.js';
import type { OwnTree } from './own-tree.js';

/** What shows, in the folder of a registry without a tree, that the registry has published under its root key. */
export interface PublicationTrace {
  readonly what: string;
  /** The folder with a copy of the published tree, if that is the trace. */
  readonly copy?: string;
  /** The time of the copy's list, and that of its checkpoint, if it has one. */
  readonly copied?: readonly [list: string, checkpoint: string | undefined];
  /** What to do if the registry has never published all the same. */
  readonly otherwise: string;
}

interface TraceOptions {
  /** The root key; undefined if it is not known, so that the branch of any key counts. */
  readonly rootKey: RootKey | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Looks for what a publication leaves outside of the tree, in the working directory and its git repository. A host that
 * serves a tree which was deleted answers that it has no list, so its answer alone does not show that a registry is new.
 */
export async function findTrace(options: TraceOptions): Promise<PublicationTrace | undefined> {
  return (await branchTrace(options)) ?? (await mirrorTrace(options)) ?? (await anchorTrace(options));
}

/**
 * Whether a tree is the first publication of its registry, and nothing in the working directory and its git repository shows that
 * it was published: its host may not be there yet. A hold is for issuers whom somebody sees.
 */
export async function isUnseenFirst(
  { publication, checkpoint }: Pick<OwnTree, 'publication' | 'checkpoint'>,
  options: TraceOptions,
): Promise<boolean> {
  const isFirst = publication?.sequence === 1 && (checkpoint?.hold ?? []).length === 0;
  return isFirst && replacedTrees().length === 0 && (await findTrace(options)) === undefined;
}

async function branchTrace({ rootKey, env }: TraceOptions): Promise<PublicationTrace | undefined> {
  const repository = orNothing(() => repositoryAround('.', env));
  if (repository === undefined) return undefined;
  for (const { ref, commit } of orNothing(() => knownBranches(repository)) ?? []) {
    const isOurs = await isTreeOf(rootKey, (path) => readFromCommit(commit, path, repository).toString());
    if (!isOurs) continue;
    return {
      what: `${ref} in git has a tree of ${named(rootKey)}`,
      otherwise: `delete that branch, also here: git update-ref -d ${ref}`,
    };
  }
  return undefined;
}

/** Whether a tree is of the root key, or of one to which that was rotated. */
async function isTreeOf(
  rootKey: RootKey | undefined,
  read: (path: string) => string | undefined,
): Promise<boolean> {
  const key = orNothing(() => read(PATHS.rootKey));
  const statements = orNothing(() => Buffer.from(read(PATHS.statements) ?? ''));
  const { rotation = [] } = statementsIn(() => statements) ?? {};
  const earlier = orNothing(() => readRotation(rotation).map(({ kid }) => kid)) ?? [];
  return key !== undefined && isAmong(rootKey, [(await rootKeyOf(Buffer.from(key)))?.thumbprint, ...earlier]);
}

async function mirrorTrace({ rootKey }: TraceOptions): Promise<PublicationTrace | undefined> {
  const folder = join(MIRROR_FOLDER, 'current');
  if (!(await isTreeOf(rootKey, (path) => readText(join(folder, path))))) return undefined;
  return {
    what: `${folder} has a copy of the tree of ${named(rootKey)}`,
    copy: folder,
    ...copiedAt(folder),
    otherwise: `remove ${MIRROR_FOLDER}`,
  };
}

function copiedAt(folder: string): Pick<PublicationTrace, 'copied'> {
  const read = (path: string) => orNothing(() => readTreeFile(folder, path));
  const list = updatedAtOf(read(PATHS.list) ?? Buffer.of());
  if (list === undefined) return {};
  const jwt = statementsIn(read)?.checkpoint;
  const checkpoint =
    jwt && orNothing(() => readStatement(jwt, 'registry-checkpoint+jwt', (why) => new Error(why)));
  return { copied: [list, checkpoint && formatUpdatedAt(checkpoint.issuedAt)] };
}

/** `pin` writes this file from what a host serves. */
const TRUST_ANCHOR = 'trust-anchor.json';

async function anchorTrace({ rootKey }: TraceOptions): Promise<PublicationTrace | undefined> {
  // It may be that of another registry.
  if (rootKey === undefined) return undefined;
  const anchor = orNothing(() => JSON.parse(readText(TRUST_ANCHOR)));
  if (anchor === undefined || orNothing(() => assertTrustAnchor(anchor) ?? true) === undefined)
    return undefined;
  const root = await rootKeyOf(Buffer.from(JSON.stringify(anchor.root)));
  if (!isAmong(rootKey, [root?.thumbprint])) return undefined;
  const otherwise = `remove ${TRUST_ANCHOR}`;
  return { what: `${TRUST_ANCHOR} pins this root key`, otherwise };
}

const named = (rootKey: RootKey | undefined) => (rootKey === undefined ? 'a root key' : 'this root key');

function isAmong(rootKey: RootKey | undefined, thumbprints: readonly (string | undefined)[]): boolean {
  return rootKey === undefined || thumbprints.includes(rootKey.thumbprint);
}

/** What cannot be read shows nothing. */
function orNothing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
