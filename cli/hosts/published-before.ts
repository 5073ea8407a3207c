import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assertTrustAnchor, importRootKey, type RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  type Delegation,
  readRotation,
  readStatement,
  verifyDelegation,
} from '@passport-registry/verifier/core';
import { isInLastCommit, repositoryAround } from '../../generator/files/git.js';
import { PRIVATE_FOLDER } from '../../generator/files/private-folder.js';
import { readText, readTreeFile } from '../../generator/files/read-file.js';
import { knownBranches, readFromCommit } from '../../generator/files/remote-branch.js';
import { formatUpdatedAt, updatedAtOf } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type CommandPlace, commandLine, shellWord } from '../command-line.js';

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
  return (
    (await branchTrace(options)) ??
    (await mirrorTrace(options)) ??
    (await anchorTrace(options)) ??
    delegationTrace(options)
  );
}

async function branchTrace({ rootKey, env }: TraceOptions): Promise<PublicationTrace | undefined> {
  const repository = orNothing(() => repositoryAround('.', env));
  if (repository === undefined) return undefined;
  for (const { ref, commit } of orNothing(() => knownBranches(repository)) ?? []) {
    const read = (path: string) => orNothing(() => readFromCommit(commit, path, repository));
    const [key, steps] = [read(PATHS.rootKey), read(PATHS.rotation)];
    const earlier = orNothing(() => readRotation(steps ?? '[]').map(({ kid }) => kid)) ?? [];
    if (key === undefined || !isAmong(rootKey, [await thumbprintOf(key.toString()), ...earlier])) continue;
    return {
      what: `${ref} in git has a tree of ${named(rootKey)}`,
      otherwise: `delete that branch, also here: git update-ref -d ${ref}`,
    };
  }
  return undefined;
}

/** The copy that `status` lets `mirror` make, which verified it. */
export const MIRROR_FOLDER = join(PRIVATE_FOLDER, 'mirror');

/** Into which folder the tree of a host is to be loaded. */
interface LoadTarget {
  /** The folder, quoted for a shell. */
  readonly out: string;
  /** The option that names the root key. */
  readonly key: readonly string[];
  /** Whether the folder has a tree. */
  readonly replaces: boolean;
}

/** The command that brings the tree of a host into a folder. */
export function loadFromHost(url: string, place: CommandPlace, { out, key, replaces }: LoadTarget): string {
  const mirror = commandLine(place, 'mirror', shellWord(url), MIRROR_FOLDER, ...key);
  const remove = replaces ? ` && rm -r ${out}` : '';
  return `${mirror}${remove} && cp -rL ${MIRROR_FOLDER}/current ${out}`;
}

async function mirrorTrace({ rootKey }: TraceOptions): Promise<PublicationTrace | undefined> {
  const folder = join(MIRROR_FOLDER, 'current');
  const key = orNothing(() => readText(join(folder, PATHS.rootKey)));
  const steps = orNothing(() => readText(join(folder, PATHS.rotation)));
  if (key === undefined) return undefined;
  const earlier = orNothing(() => readRotation(steps ?? '[]').map(({ kid }) => kid)) ?? [];
  if (!isAmong(rootKey, [await thumbprintOf(key), ...earlier])) return undefined;
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
  if (!isAmong(rootKey, [await thumbprintOf(JSON.stringify(anchor.root))])) return undefined;
  const otherwise = `remove ${TRUST_ANCHOR}`;
  return { what: `${TRUST_ANCHOR} pins this root key`, otherwise };
}

/** The file, in the working directory, of the delegation that a tree publishes. A clone needs it for its next builds. */
export function delegationOf(out: string): string | undefined {
  const published = orNothing(() => readText(join(out, PATHS.delegation)).trim());
  const names = published === undefined ? [] : (orNothing(() => readdirSync('.')) ?? []);
  return names.find((name) => name.endsWith('.jwt') && orNothing(() => readText(name).trim()) === published);
}

/** A delegation that a tree publishes, and the root key that has signed it. */
interface PublishedDelegation {
  readonly rootKey: RootKey;
  readonly delegation: Uint8Array | undefined;
}

/**
 * Returns the file, in the working directory, of a delegation to an online key that the published one leaves out, although it is
 * later: the key may have been replaced. Undefined if no file shows that.
 */
export async function replacedDelegation(
  online: RootKey,
  { rootKey, delegation }: PublishedDelegation,
): Promise<string | undefined> {
  const verified = async (text: Uint8Array | string | undefined) =>
    text === undefined ? undefined : verifyDelegation(text, rootKey, ANY_TIME).catch(() => undefined);
  const names = (one: Delegation) => one.keys.some(({ thumbprint }) => thumbprint === online.thumbprint);
  const published = await verified(delegation);
  if (published === undefined || names(published)) return undefined;
  for (const file of (orNothing(() => readdirSync('.')) ?? []).filter((name) => name.endsWith('.jwt'))) {
    const earlier = await verified(orNothing(() => readText(file).trim()));
    if (earlier !== undefined && names(earlier) && earlier.issuedAt < published.issuedAt) return file;
  }
  return undefined;
}

function delegationTrace({ rootKey, delegation: given, env }: TraceOptions): PublicationTrace | undefined {
  const here = (orNothing(() => readdirSync('.')) ?? []).filter((name) => name.endsWith('.jwt')).sort();
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
const NEW_MS = 7 * 24 * 60 * 60 * 1000;

const named = (rootKey: RootKey | undefined) => (rootKey === undefined ? 'a root key' : 'this root key');

function isAmong(rootKey: RootKey | undefined, thumbprints: readonly (string | undefined)[]): boolean {
  return rootKey === undefined || thumbprints.includes(rootKey.thumbprint);
}

async function thumbprintOf(jwk: string): Promise<string | undefined> {
  try {
    return (await importRootKey(JSON.parse(jwk))).thumbprint;
  } catch {
    return undefined;
  }
}

/** What cannot be read shows nothing. */
function orNothing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
