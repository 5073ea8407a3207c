import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assertTrustAnchor, type RootKey } from '@passport-registry/verifier';
import { DAY_MS, type Delegation, readRotation, readStatement } from '@passport-registry/verifier/core';
import { isInLastCommit, repositoryAround, revisionsOf } from '../../generator/files/git.js';
import { readText, readTreeFile } from '../../generator/files/read-file.js';
import { knownBranches, readFromCommit } from '../../generator/files/remote-branch.js';
import { formatUpdatedAt, updatedAtOf } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { rootKeyOf } from '../../generator/tree/published-tree.js';
import { shellWord } from '../command-line.js';
import { MIRROR_FOLDER, replacedTrees } from './load-commands.js';
import { type OwnTree, verifiedDelegation } from './own-tree.js';

/** What shows, in the folder of a registry without a tree, that the registry has published under its root key. */
export interface PublicationTrace {
  readonly what: string;
  /** The file, if that is a delegation which may be for the first list: it is new, and not committed. */
  readonly delegation?: string;
  /** The folder with a copy of the published tree, if that is the trace. */
  readonly copy?: string;
  /** The time of the copy's list, and that of its checkpoint, if it has one. */
  readonly copied?: readonly [list: string, checkpoint: string | undefined];
  /** What to do if the registry has never published all the same. */
  readonly otherwise: string;
}

interface TraceOptions {
  /** The root key; undefined if it is not known, so that the branch and the delegations of any key count. */
  readonly rootKey: RootKey | undefined;
  /** The file of a delegation that is about to be published. */
  readonly delegation?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Looks for what a publication leaves outside of the tree, in the working directory and its git repository. A host that
 * serves a tree which was deleted answers that it has no list, so its answer alone does not show that a registry is new.
 */
export async function findTrace(options: TraceOptions): Promise<PublicationTrace | undefined> {
  return (await findCopy(options)) ?? delegationTrace(options);
}

/** Looks for what only a tree leaves that was on a host or on a branch. */
async function findCopy(options: TraceOptions): Promise<PublicationTrace | undefined> {
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
  return isFirst && replacedTrees().length === 0 && (await findCopy(options)) === undefined;
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
  const earlier = orNothing(() => readRotation(read(PATHS.rotation) ?? '[]').map(({ kid }) => kid)) ?? [];
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
  const jwt = read(PATHS.checkpoint);
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

/** The file, in the working directory, of the delegation that a tree publishes. A clone needs it for its next builds. */
export function delegationOf(out: string): string | undefined {
  const published = orNothing(() => readText(join(out, PATHS.delegation)).trim());
  if (published === undefined) return undefined;
  return statementFiles().find((name) => orNothing(() => readText(name).trim()) === published);
}

/** The files of the working directory that may be delegations. */
const statementFiles = () =>
  (orNothing(() => readdirSync('.')) ?? []).filter((name) => name.endsWith('.jwt')).sort();

/** A delegation that a tree publishes, and the root key that has signed it. */
interface PublishedDelegation {
  readonly rootKey: RootKey;
  readonly delegation: Uint8Array | undefined;
}

/** A delegation by the root key of a tree, to a key that the published one leaves out. */
export interface OtherDelegation extends Delegation {
  /** The file that has it. */
  readonly file: string;
  /** Whether it is earlier than the published one: its key may have been replaced because it has leaked. */
  readonly isEarlier: boolean;
}

/**
 * Looks for a delegation to an online key that the published one leaves out: in the working directory, in the last commit, because
 * `keys delegate > FILE` has emptied the file by then, and in trees that were replaced. Undefined if no file shows one.
 */
export async function otherDelegation(
  online: string,
  { rootKey, delegation }: PublishedDelegation,
  env: NodeJS.ProcessEnv,
): Promise<OtherDelegation | undefined> {
  const names = ({ keys }: Delegation) => keys.some(({ thumbprint }) => thumbprint === online);
  const published = await verifiedDelegation(delegation, rootKey);
  if (published === undefined || names(published)) return undefined;
  const found: OtherDelegation[] = [];
  for (const { file, text } of knownDelegations(env)) {
    const other = await verifiedDelegation(text, rootKey);
    if (other !== undefined && names(other))
      found.push({ ...other, file, isEarlier: other.issuedAt < published.issuedAt });
  }
  // A key that was replaced once is not trusted because somebody has delegated to it again.
  return found.find(({ isEarlier }) => isEarlier) ?? found[0];
}

function knownDelegations(
  env: NodeJS.ProcessEnv,
): readonly { readonly file: string; readonly text: string }[] {
  const repository = orNothing(() => repositoryAround('.', env));
  const head = repository && orNothing(() => revisionsOf('HEAD', repository).before);
  const committed = (file: string) =>
    head && readFromCommit(head, `${repository.prefix}${file}`, repository).toString();
  const replaced = replacedTrees().map((folder) => join(folder, PATHS.delegation));
  const here = [...statementFiles(), ...replaced];
  return here.flatMap((file) =>
    [() => readText(file), () => committed(file)].flatMap((read) => {
      const text = orNothing(read)?.trim();
      return text === undefined ? [] : [{ file, text }];
    }),
  );
}

function delegationTrace({ rootKey, delegation: given, env }: TraceOptions): PublicationTrace | undefined {
  const here = statementFiles();
  const about = given === undefined ? undefined : orNothing(() => readText(given).trim());
  for (const file of given === undefined ? here : [given, ...here]) {
    const text = orNothing(() => readText(file).trim());
    if (text === undefined) continue;
    const read = orNothing(() => readStatement(text, 'registry-delegation+jwt', (why) => new Error(why)));
    if (read === undefined || !isAmong(rootKey, [read.kid])) continue;
    const signed = `${named(rootKey)} has signed the delegation ${file} at ${formatUpdatedAt(read.issuedAt)}`;
    // Also if another one has replaced it since: a renewal that was not published leaves that.
    const isCommitted = isInLastCommit(file, env);
    const isNew = Date.now() - read.issuedAt <= NEW_MS;
    if (isCommitted || !isNew) {
      const again = 'sign another delegation with `keys delegate`, and build with that';
      return {
        what: `${signed}${isCommitted ? ', and the last commit has that file' : ''}`,
        otherwise: isNew
          ? `take ${file} out of git with \`git rm --cached ${shellWord(file)}\` and a commit, build with it again, and commit it only then`
          : `remove ${file}${isCommitted ? ', also from git' : ''}, ${again}`,
      };
    }
    if (text === about) continue;
    return {
      what: signed,
      delegation: file,
      otherwise: `publish that delegation with the first list: build with --delegation ${file}`,
    };
  }
  return undefined;
}

/** A first list is built soon after its delegation is signed. */
const NEW_MS = 7 * DAY_MS;

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
