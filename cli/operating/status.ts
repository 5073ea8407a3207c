import type { RootKey } from '@passport-registry/verifier';
import { GeneratorError } from '../../generator/errors.js';
import type { CosignChoice } from '../../generator/log/log-choice.js';
import type { RuleExceptions } from '../../generator/review/assert-publishable.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { isOverThief } from '../hosts/over-thief.js';
import { thumbprintIn } from '../hosts/own-tree.js';
import { findTrace } from '../hosts/published-before.js';
import { type ChangesCondition, changesCondition } from './changes-condition.js';
import { type Condition, type Level, mostUrgent } from './condition.js';
import { type HostsCondition, hostsCondition } from './hosts-condition.js';
import { type ListCondition, listCondition, type TreeCondition, treeCondition } from './list-condition.js';
import { type LocalTree, readLocalTree } from './local-tree.js';
import { type LogCondition, logCondition, withWitnesses } from './log-condition.js';
import { type PinnedKey, type RootKeyCondition, rootKeyCondition } from './root-key-condition.js';
import { type RotationCondition, rotationCondition } from './rotation-condition.js';
import { presenceOf, type SignerPresence } from './signer-presence.js';
import {
  type CheckpointCondition,
  checkpointCondition,
  type HoldCondition,
  holdCondition,
  type OnlineCondition,
  onlineCondition,
  type PublicationCondition,
  publicationCondition,
} from './statement-conditions.js';

/** What to look at. */
export interface StatusOptions {
  /** The folder of the records. */
  readonly issuers: string;
  /** The other files that a clone of the registry needs. They need not exist. */
  readonly ownFiles: readonly string[];
  /** The folder of the tree. */
  readonly out: string;
  /** The file of the public root key. */
  readonly rootKey: string | undefined;
  /** The file of the public online key. */
  readonly onlineKey: string | undefined;
  /** Whether registry.yaml lets online keys hold issuers. */
  readonly onlineMayHold: boolean;
  /** The keys to which registry.yaml commits the root key. */
  readonly nextRoots: readonly string[] | undefined;
  /** The folder of a rotation. */
  readonly rotation: string;
  readonly signer: SignerPresence;
  /** Who signs checkpoints. */
  readonly onlineSigner: SignerPresence;
  readonly logSigner: SignerPresence;
  readonly exceptions: RuleExceptions;
  /** The witnesses and the quorum of the log. */
  readonly witnesses: CosignChoice;
  readonly baseUrl: string | undefined;
  readonly mirrors: readonly string[];
  /** How far behind a mirror may be. */
  readonly maxBehindSeconds: number;
  /** Whether no host is asked. */
  readonly offline: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

/** The status of a registry: the condition of each part. */
export interface RegistryStatus extends HostsCondition {
  /** The most urgent level of all parts. */
  readonly level: Level;
  readonly rootKey: RootKeyCondition;
  readonly rotation: RotationCondition;
  readonly tree: TreeCondition;
  readonly list: ListCondition;
  readonly publication: PublicationCondition;
  readonly log: LogCondition;
  readonly online: OnlineCondition;
  readonly checkpoint: CheckpointCondition;
  readonly hold: HoldCondition;
  readonly changes: ChangesCondition;
}

/**
 * Finds out how a registry is doing: its keys, tree, list, statements, records and hosts. Every part may be missing.
 * Reads no private key, runs no signing command and changes nothing.
 */
export async function registryStatus(options: StatusOptions): Promise<RegistryStatus> {
  const { issuers, ownFiles, out, exceptions, now } = options;
  const pinned = await loadPinned(options);
  const local = await readLocalTree(out, pinned.rootKey, now);
  const rootKey = rootKeyCondition(pinned, local, options);
  const { key, command } = options.signer;
  const isProduction = [options.rootKey, key, command].some((one) => one !== undefined);
  const development = !isProduction && local.report?.development !== false;
  const thumbprint = await thumbprintIn(options.onlineKey, options.env);
  const hosts = await hostsCondition({ ...options, rootKey: trustedKey(pinned, local) }, local);
  const { comparedWithTree, keep, isForeign } = hosts.live;
  // What is newer, or another history, is on the host: the steps begin with that.
  const isHostFirst = comparedWithTree === 'newer' || keep !== undefined || isForeign;
  const asksWitnesses = !options.offline && (!isHostFirst || isOverThief(out, local.rootKey));
  const ownLog = await logCondition(local, options.witnesses);
  const log = asksWitnesses ? await withWitnesses(ownLog, local, options.witnesses) : ownLog;
  const isAbsent = local.report === undefined && local.refusal === undefined;
  const isServed = [hosts.live, ...hosts.mirrors].some(({ host }) => host?.updatedAt !== undefined);
  const trace = isAbsent ? await findTrace({ rootKey: pinned.rootKey, env: options.env }) : undefined;
  const found = {
    rootKey,
    rotation: await rotationCondition(options.rotation, local, options.env),
    tree: treeCondition(local, { env: options.env, trace, isServed }),
    list: listCondition(local, now),
    publication: publicationCondition(local),
    log: withPresence(log, options.logSigner, options.env),
    online: onlineCondition(local, { thumbprint, mayHold: options.onlineMayHold }, now),
    checkpoint: withPresence(checkpointCondition(local, now), options.onlineSigner, options.env),
    hold: holdCondition(local, hosts.live),
    changes: await changesCondition({ issuers, ownFiles, exceptions, development, env: options.env }, local),
    ...hosts,
  };
  const { mirrors, ...single } = found;
  const levels = [...Object.values(single), ...mirrors].map(({ level }) => level);
  return { level: mostUrgent(levels), ...found };
}

/** Adds whether what signs a part is here. Without the part, nobody needs it yet. */
function withPresence<Part extends Condition>(
  part: Part,
  signer: SignerPresence,
  env: NodeJS.ProcessEnv,
): Part {
  if (part.level === 'note' || (signer.key === undefined && signer.command === undefined)) return part;
  const { level, message, ...exposed } = presenceOf(signer, env);
  const both = { level: mostUrgent([part.level, level]), message: `${part.message}; ${message}` };
  return { ...part, ...both, partLevel: part.level, ...exposed };
}

async function loadPinned({ rootKey: file, nextRoots, env }: StatusOptions): Promise<PinnedKey> {
  const none = { file, nextRoots, rootKey: undefined, problem: undefined };
  if (file === undefined) return none;
  try {
    const rootKey = await loadRootKey(file, env);
    // `rootKeyCondition` reports keys that belong to an earlier root key.
    const isEarlier = nextRoots?.includes(rootKey.thumbprint) === true;
    return { ...none, rootKey: isEarlier ? rootKey : { ...rootKey, nextRoots } };
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    return { ...none, problem: error.message };
  }
}

/** The root key to verify hosts with. The rotation of the tree commits it with more authority than registry.yaml, or replaces that. */
function trustedKey({ rootKey }: PinnedKey, { published, report }: LocalTree): RootKey | undefined {
  const own = published?.rootKey;
  if (own !== undefined && report?.rotatedFrom !== undefined) return own;
  const isCommitted = own?.nextRoots !== undefined && own.thumbprint === rootKey?.thumbprint;
  return isCommitted ? own : (rootKey ?? own);
}
