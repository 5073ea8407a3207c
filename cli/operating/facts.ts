import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Issuer, RegistryError, type RootKey, walkRotation } from '@passport-registry/verifier';
import {
  COSIGNED_ANY_TIME,
  newestCosignatures,
  parseList,
  parseLogProof,
  readRotation,
} from '@passport-registry/verifier/core';
import { GeneratorError, ignoring, TreeRejected } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { findRecordFiles } from '../../generator/records/collect.js';
import type { RuleExceptions } from '../../generator/review/assert-publishable.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { withCommitment } from '../../generator/tree/commitment.js';
import { PATHS } from '../../generator/tree/paths.js';
import { readPublished } from '../../generator/verification/read-published.js';
import { statementsIn } from '../../generator/tree/statements-file.js';
import type { ProvenStatements } from '../../generator/verification/check-tree.js';
import { pinnedKey } from '../../generator/verification/pinned-trust.js';
import { folderSource } from '../../generator/verification/tree-source.js';
import { auditTree } from '../../generator/verification/verify.js';
import { readServed, type Served } from '../../observers/hosts/served.js';
import { cosignChoice } from '../options/publication-options.js';
import { hasSigner, type Settings } from '../options/settings.js';
import { type PendingChanges, pendingChanges } from './pending-changes.js';
import { type RotationFiles, readRotationFiles } from './rotation-files.js';
import { type Presence, presenceOf } from './signer-presence.js';

/** What to look at. */
export interface StatusOptions {
  readonly settings: Settings;
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  /** The folder of a rotation. */
  readonly rotation: string;
  readonly exceptions: RuleExceptions;
  /** Whether no host is asked. */
  readonly offline: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

/** The tree in the output folder, as an audit finds it under its own root key. */
export interface TreeFacts extends ProvenStatements {
  readonly folder: string;
  /** Whether the folder has any file. */
  readonly isThere: boolean;
  /** Why an audit refuses the tree; empty if it is whole. Times don't count. */
  readonly problems: readonly string[];
  /** What this version does not know, or what is not part of the tree. */
  readonly notes: readonly string[];
  /** Whether a development key signed the tree. */
  readonly development: boolean;
  /** With the keys to which the rotation commits it. */
  readonly rootKey: RootKey | undefined;
  /** The rotation steps, oldest first. */
  readonly rotation: readonly string[];
  readonly logProof: string | undefined;
  readonly updatedAt: string | undefined;
  /** The records of the list. */
  readonly issuers: readonly Issuer[];
}

/** The root key of the settings. */
export interface RootKeyFacts {
  /** The file of the public key; undefined if none is configured. */
  readonly file: string | undefined;
  readonly thumbprint: string | undefined;
  /** Why the file cannot be used. */
  readonly problem: string | undefined;
  /** The keys to which registry.yaml commits the root key. */
  readonly nextRoots: readonly string[] | undefined;
  /** Whether the rotation of the tree leads from this key to that of the tree. */
  readonly isReplaced: boolean;
  readonly signer: Presence;
}

/** The online key of the settings. */
export interface OnlineKeyFacts {
  /** Whether registry.yaml has an online key. */
  readonly isConfigured: boolean;
  /** Undefined if registry.yaml names no public key, or one that cannot be read. */
  readonly thumbprint: string | undefined;
  /** Whether registry.yaml lets it hold issuers. */
  readonly mayHold: boolean;
  readonly signer: Presence;
}

/** The log of the settings, and who has cosigned that of the tree. */
export interface LogFacts {
  readonly isConfigured: boolean;
  readonly origin: string | undefined;
  readonly hasSigner: boolean;
  readonly signer: Presence;
  /** The number of entries; undefined if the tree has no proof. */
  readonly size: number | undefined;
  /** The newest valid cosignature of each witness of registry.yaml, newest first. */
  readonly cosigned: readonly { readonly name: string; readonly time: number }[];
  readonly witnesses: number;
  readonly quorum: number;
}

/** The records, compared with the tree. `problem`: why they are not. */
export type RecordFacts = PendingChanges | { readonly problem: string; readonly isMissing: boolean };

/** A host, and what it serves. */
export interface HostFacts {
  readonly role: 'base_url' | 'mirror';
  readonly url: string;
  readonly served: Served;
}

/** All that `status` reads, each once. */
export interface Facts {
  readonly now: number;
  readonly tree: TreeFacts;
  readonly rootKey: RootKeyFacts;
  readonly online: OnlineKeyFacts;
  readonly log: LogFacts;
  readonly records: RecordFacts;
  /** Whether a committed publication waits beside the tree. */
  readonly hasStage: boolean;
  /** `problem`: why a file of its folder cannot be used. */
  readonly rotation: RotationFiles | { readonly folder: string; readonly problem: string };
  /** Why no host was asked, or what the hosts serve. */
  readonly hosts: 'offline' | 'no base_url' | 'no root key' | readonly HostFacts[];
}

/** The time limit for all hosts together. */
const HOSTS_TIMEOUT_MS = 5000;

/** Reads all that `status` says. Reads no private key, runs no signing command and changes nothing. */
export async function readFacts(options: StatusOptions): Promise<Facts> {
  const { settings, out, env, now } = options;
  const tree = await readTree(out, now);
  const configured = await readRootKey(settings, env);
  return {
    now,
    tree,
    rootKey: {
      ...{ file: settings.root_key, nextRoots: settings.next_roots, problem: configured.problem },
      thumbprint: configured.rootKey?.thumbprint,
      isReplaced: await leadsTo(tree, configured.rootKey),
      signer: presenceOf(settings.signer ?? {}, env),
    },
    online: await onlineKeyFacts(settings, env),
    log: await logFacts(settings, tree, env),
    records: await recordFacts(options, tree),
    hasStage: hasStage(out),
    rotation: await rotationFacts(options),
    hosts: await hostFacts(options, tree.rootKey ?? configured.rootKey),
  };
}

async function readTree(folder: string, now: number): Promise<TreeFacts> {
  const none = { folder, problems: [], notes: [], development: false, rotation: [], issuers: [] };
  const unread = { file: undefined, publication: undefined, checkpoint: undefined, rootKey: undefined };
  const unknown = { ...none, ...unread, logProof: undefined, updatedAt: undefined };
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === false) return { ...unknown, isThere: true, problems: [`${folder} is not a folder`] };
  if (isFolder === undefined || readdirSync(folder).length === 0) return { ...unknown, isThere: false };
  const { report, statements: proven } = await auditTree(folderSource(folder), undefined, { now: () => now });
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && name !== 'freshness');
  const { rotation = [], logProof } = statementsIn((path) => readIfReadable(folder, path)) ?? {};
  const root = await loadRootKey(join(folder, PATHS.rootKey), {}).catch(ignoring(GeneratorError));
  const list = readIfReadable(folder, PATHS.list);
  const found = {
    ...{ folder, isThere: true, development: report.development, rotation, logProof, ...proven },
    problems: failed.flatMap(({ problems }) => problems),
    notes: report.notes.map(({ message }) => message),
    updatedAt: report.updatedAt,
  };
  if (failed.length > 0 || root === undefined || list === undefined)
    return { ...found, rootKey: root, issuers: [] };
  const rootKey = await withCommitment(root, readRotation(rotation));
  return { ...found, rootKey, issuers: parseList(list).issuers };
}

async function readRootKey(
  { root_key: file }: Settings,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly rootKey?: RootKey; readonly problem: string | undefined }> {
  if (file === undefined) return { problem: undefined };
  try {
    return { rootKey: await loadRootKey(file, env), problem: undefined };
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    return { problem: error.message };
  }
}

async function leadsTo({ rootKey, rotation }: TreeFacts, configured: RootKey | undefined): Promise<boolean> {
  if (rootKey === undefined || configured === undefined || rotation.length === 0) return false;
  const current = await walkRotation(configured, rotation).catch(ignoring(RegistryError));
  return current?.thumbprint === rootKey.thumbprint && configured.thumbprint !== rootKey.thumbprint;
}

async function onlineKeyFacts({ checkpoint }: Settings, env: NodeJS.ProcessEnv): Promise<OnlineKeyFacts> {
  const { public_key: file, may_hold: mayHold = true, signer = {} } = checkpoint;
  // The commands that need the key say why it cannot be read.
  const key = file === undefined ? undefined : await loadRootKey(file, env).catch(ignoring(GeneratorError));
  return {
    isConfigured: file !== undefined || hasSigner(checkpoint),
    thumbprint: key?.thumbprint,
    mayHold,
    signer: presenceOf(signer, env),
  };
}

async function logFacts(settings: Settings, tree: TreeFacts, env: NodeJS.ProcessEnv): Promise<LogFacts> {
  const { origin, signer = {}, witnesses } = settings.log;
  const choice = cosignChoice(settings);
  const invalid = (message: string) => new TreeRejected(`the proof of the log ${message}`);
  // The audit has passed it.
  const isProven = tree.problems.length === 0 && tree.logProof !== undefined;
  const head = isProven ? parseLogProof(tree.logProof, invalid).head : undefined;
  const keys = choice.witnesses.map(({ key }) => key);
  const rules = { witnesses: keys, quorum: keys.length, ...COSIGNED_ANY_TIME };
  const found = head === undefined ? [] : await newestCosignatures(head.note, rules);
  return {
    isConfigured: origin !== undefined || hasSigner(settings.log) || witnesses !== undefined,
    origin,
    hasSigner: hasSigner(settings.log),
    signer: presenceOf(signer, env),
    size: head?.size,
    cosigned: found.map(({ witness, time }) => ({ name: witness.name, time })),
    witnesses: keys.length,
    quorum: choice.quorum,
  };
}

async function recordFacts(
  { issuers, out, exceptions, settings: { root_key, signer = {} } }: StatusOptions,
  tree: TreeFacts,
): Promise<RecordFacts> {
  if (!existsSync(issuers)) return { problem: `there is no folder ${issuers}`, isMissing: true };
  const isProduction = [root_key, signer.key, signer.command].some((one) => one !== undefined);
  const development = !isProduction && (tree.development || !tree.isThere);
  try {
    if (findRecordFiles([issuers]).length === 0)
      return { problem: `${issuers} has no records`, isMissing: true };
    if (tree.problems.length > 0)
      return { problem: `${issuers} is not compared, because ${out} is not whole`, isMissing: false };
    return await pendingChanges({ issuers, exceptions, development }, await readPublished(out));
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    return { problem: error.message, isMissing: false };
  }
}

/** Whether a publication was committed beside a tree, and waits for witnesses or for the next command that completes it. */
function hasStage(out: string): boolean {
  const folder = resolve(out);
  return existsSync(join(dirname(folder), `.${basename(folder)}.stage`, 'manifest.json'));
}

async function rotationFacts({ rotation: folder, env }: StatusOptions): Promise<Facts['rotation']> {
  try {
    return await readRotationFiles(folder, env);
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    return { folder, problem: error.message };
  }
}

/** Asks each host one question, all at the same time. */
async function hostFacts(
  { settings: { base_url, mirrors = [], next_roots }, offline, now }: StatusOptions,
  rootKey: RootKey | undefined,
): Promise<Facts['hosts']> {
  if (offline) return 'offline';
  if (base_url === undefined) return 'no base_url';
  if (rootKey === undefined) return 'no root key';
  // The rotation of the tree commits the key with more authority than registry.yaml.
  const trust = pinnedKey({ ...rootKey, nextRoots: rootKey.nextRoots ?? next_roots });
  const signal = AbortSignal.timeout(HOSTS_TIMEOUT_MS);
  const ask = async (role: HostFacts['role'], url: string): Promise<HostFacts> => ({
    ...{ role, url },
    served: await readServed(url, trust, { now, signal }),
  });
  return Promise.all([ask('base_url', base_url), ...mirrors.map((url) => ask('mirror', url))]);
}
