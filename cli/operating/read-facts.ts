import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RegistryError, type RootKey, walkRotation } from '@passport-registry/verifier';
import {
  COSIGNED_ANY_TIME,
  newestCosignatures,
  parseList,
  parseLogProof,
  readRotation,
} from '@passport-registry/verifier/core';
import { GeneratorError, ignoring, TreeRejected } from '../../generator/errors.js';
import { stageBeside } from '../../generator/files/output-folder.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { findRecordFiles } from '../../generator/records/collect.js';
import type { RuleExceptions } from '../../generator/review/assert-publishable.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { withCommitment } from '../../generator/tree/commitment.js';
import { PATHS } from '../../generator/tree/paths.js';
import { statementsIn } from '../../generator/tree/statements-file.js';
import { pinnedKey } from '../../generator/verification/pinned-trust.js';
import { readPublished } from '../../generator/verification/read-published.js';
import { folderSource } from '../../generator/verification/tree-source.js';
import { auditTree } from '../../generator/verification/verify.js';
import { readServed } from '../../observers/hosts/served.js';
import { cosignChoice } from '../options/publication-choices.js';
import { hasSigner, type Settings } from '../options/settings.js';
import type {
  Facts,
  HostFacts,
  LogFacts,
  OnlineKeyFacts,
  RecordFacts,
  RootKeyFacts,
  TreeFacts,
} from './facts.js';
import { pendingChanges } from './pending-changes.js';
import { presenceOf } from './signer-presence.js';

/** What to look at. */
export interface StatusOptions {
  readonly settings: Settings;
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  readonly exceptions: RuleExceptions;
  /** Whether no host is asked. */
  readonly offline: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

/** The time limit for all hosts together. */
const HOSTS_TIMEOUT_MS = 5000;

/** Reads all that `status` says. Reads no private key, runs no signing command and changes nothing. */
export async function readFacts(options: StatusOptions): Promise<Facts> {
  const { settings, out, env, now } = options;
  const tree = await readTree(out, now);
  const rootKey = await rootKeyFacts(settings, tree, env);
  return {
    now,
    tree,
    rootKey,
    online: await onlineKeyFacts(settings, env),
    log: await logFacts(settings, tree, env),
    records: await recordFacts(options, tree),
    hasStage: hasStage(out),
    hosts: await hostFacts(options, tree.rootKey ?? rootKey.rootKey),
  };
}

async function readTree(folder: string, now: number): Promise<TreeFacts> {
  const unread = { publication: undefined, checkpoint: undefined, rootKey: undefined, logProof: undefined };
  const none = { folder, ...unread, problems: [], notes: [], development: false, rotation: [], issuers: [] };
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined || (isFolder && readdirSync(folder).length === 0))
    return { ...none, isThere: false };
  if (!isFolder) return { ...none, isThere: true, problems: [`${folder} is not a folder`] };
  const { report, statements } = await auditTree(folderSource(folder), undefined, { now: () => now });
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && name !== 'freshness');
  const { rotation = [], logProof } = statementsIn((path) => readIfReadable(folder, path)) ?? {};
  const rootKey = await loadRootKey(join(folder, PATHS.rootKey), {}).catch(ignoring(GeneratorError));
  const found = {
    folder,
    isThere: true,
    development: report.development,
    rotation,
    logProof,
    rootKey,
    publication: statements.publication,
    checkpoint: statements.checkpoint,
    problems: failed.flatMap(({ problems }) => problems),
    notes: report.notes.map(({ message }) => message),
  };
  const list = readIfReadable(folder, PATHS.list);
  if (failed.length > 0 || rootKey === undefined || list === undefined) return { ...found, issuers: [] };
  const committed = await withCommitment(rootKey, readRotation(rotation));
  return { ...found, rootKey: committed, issuers: parseList(list).issuers };
}

async function rootKeyFacts(
  { root_key: file, next_roots: nextRoots, signer = {} }: Settings,
  { rootKey: own, rotation }: TreeFacts,
  env: NodeJS.ProcessEnv,
): Promise<RootKeyFacts> {
  const signs = presenceOf(signer, env);
  const none = { file, nextRoots, rootKey: undefined, problem: undefined, isReplaced: false, signer: signs };
  if (file === undefined) return none;
  try {
    const rootKey = await loadRootKey(file, env);
    const pinned = { ...rootKey, nextRoots };
    const current = await walkRotation(pinned, rotation).catch(ignoring(RegistryError));
    const isReplaced = current?.thumbprint === own?.thumbprint && own?.thumbprint !== rootKey.thumbprint;
    return { ...none, rootKey, isReplaced };
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    return { ...none, problem: error.message };
  }
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
  const real = existsSync(out) ? realpathSync(out) : resolve(out);
  return existsSync(join(stageBeside(real), 'manifest.json'));
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
    role,
    url,
    served: await readServed(url, trust, { now, signal }),
  });
  return Promise.all([ask('base_url', base_url), ...mirrors.map((url) => ask('mirror', url))]);
}
