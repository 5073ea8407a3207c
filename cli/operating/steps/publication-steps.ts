import { shellWord } from '../../command-line.js';
import type { Condition } from '../condition.js';
import { DELEGATION_FILE } from '../rotation-files.js';
import type { RegistryStatus } from '../status.js';
import { COSIGNED, isHeldInCopy, isUncosigned, lacksWitnesses } from './host-steps.js';
import {
  buildStep,
  type CommandSettings,
  checkpointStep,
  inSentences,
  type NextStep,
  run,
  told,
} from './next-step.js';

/** The steps that renew the tree: a delegation, a build, a checkpoint. */
export function publicationSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { tree, log, changes } = status;
  // What the published files lack may be in the publication that `checkpoint` completes.
  if (log.pending && changes.changes.length === 0) {
    const reason = 'collect cosignatures, and complete the publication';
    return [
      log.needsBuild ? buildStep({ reason }, status, settings) : checkpointStep(reason, status, settings),
    ];
  }
  const delegates = needsDelegation(status, settings);
  const reasons = reasonsToBuild(status, delegates);
  if (reasons.length === 0) return withoutBuild(status, settings);
  const renews = isUrgent(status.list) ? ['--renew'] : [];
  // The delegation for a first list may be signed already.
  const file = delegates ? DELEGATION_FILE : tree.trace?.delegation;
  const delegation = file === undefined ? [] : ['--delegation', file];
  const reason = reasons.join(', and ');
  const build = buildStep({ reason, more: [...renews, ...delegation] }, status, settings);
  const delegated = delegates ? delegateStep(status, settings) : undefined;
  if (delegated !== undefined && delegated.command === undefined) return [delegated];
  const step = delegated === undefined ? build : both(delegated, build);
  const isLoadedFirst = mayHavePublished(status) && tree.hasRemote;
  return [...(isLoadedFirst ? [loadFirst(settings, build)] : []), step];
}

/** The step for private keys that other users may read. They sign all the same, so that nothing urgent waits for that. */
export function exposedKeySteps({ rootKey, log, checkpoint }: RegistryStatus): NextStep[] {
  const files = [rootKey, log, checkpoint].flatMap(({ exposedKey }) => exposedKey ?? []);
  if (files.length === 0) return [];
  const names = [...new Set(files)].map(shellWord);
  const reason = 'let nobody else read the private key. If others use this machine, it may have leaked';
  return [{ command: `chmod 600 ${names.join(' ')}`, reason }];
}

/** The step that needs the online key only, if the tree needs one. */
function withoutBuild(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { checkpoint } = status;
  const lacks = lacksWitnesses(status);
  const wanted = [
    ...(lacks ? ['collect the missing cosignatures, as soon as the witnesses answer'] : []),
    ...(isUrgent({ level: checkpoint.partLevel ?? checkpoint.level }) ? ['sign a new checkpoint'] : []),
  ];
  if (wanted.length === 0) return [];
  const isHeldBack = isUncosigned(status);
  const reason = inSentences(
    wanted.join(', and '),
    isHeldBack ? `Do not publish ${settings.out} before` : undefined,
    isHeldBack && isHeldInCopy(status)
      ? `If it does not end with 0, copy ${COSIGNED} to the host, unless somebody has published there since`
      : undefined,
  );
  return [checkpointStep(reason, status, settings)];
}

/** Whether a delegation is to be signed: for a first list that promises checkpoints, or because the published one ends. */
function needsDelegation({ tree, delegation }: RegistryStatus, { hasOnlineKey }: CommandSettings): boolean {
  const { expires, strayKey } = delegation;
  const isForFirstList = !tree.published && hasOnlineKey && tree.trace?.delegation === undefined;
  return isForFirstList || (isUrgent(delegation) && expires !== undefined && strayKey === undefined);
}

/** The new delegation permits what the published one permits. */
function delegateStep({ delegation, tree }: RegistryStatus, settings: CommandSettings): NextStep {
  const { rootOptions, outOptions, onlinePublicKey } = settings;
  if (onlinePublicKey === undefined)
    return told(
      'a new delegation is to be signed. First name the public online key in registry.yaml: checkpoint.public_key, as `keys public` prints it',
    );
  const permission = delegation.mayHold ? '--hold' : '--no-hold';
  const online = ['--online', onlinePublicKey, ...(tree.published ? [permission] : [])];
  const words = ['keys', 'delegate', ...rootOptions, ...outOptions, ...online, '>', DELEGATION_FILE];
  const more = tree.published ? '' : ' (with --hold, the online key may also stop issuers)';
  return run(`sign a new delegation, on the machine with the root key${more}`, settings, ...words);
}

/** Only the build shows that a delegation was signed, so both are one step: otherwise, it would be proposed again. */
function both(first: NextStep, second: NextStep): NextStep {
  return {
    command: `${first.command} && ${second.command}`,
    reason: `${first.reason}, and ${second.reason}`,
  };
}

/** No host shows a list, but a host can lose its files, too: only the operator knows. */
const FIRST_LIST = 'publish the first list. If this registry has published before, copy its tree here first';

function reasonsToBuild(status: RegistryStatus, delegates: boolean): string[] {
  const { changes, tree, list } = status;
  const reasons: string[] = [];
  if (!tree.published) reasons.push(FIRST_LIST);
  else if (tree.level === 'error') reasons.push('repair the tree');
  if (tree.published && changes.changes.length > 0) reasons.push('publish the changes');
  if (delegates) reasons.push('publish the delegation');
  if (isUrgent(list) && list.ageDays !== undefined) reasons.push('renew the list');
  return reasons;
}

/** Whether there is no tree here, and the host does not show whether a list was published. */
function mayHavePublished({ tree, live }: RegistryStatus): boolean {
  return !tree.published && live.url !== undefined && live.host?.state === 'unreachable';
}

function loadFirst(settings: CommandSettings, { command }: NextStep): NextStep {
  const reason = `load the tree that this registry has published, from the branch or from a copy. If it has never published, run \`${command}\``;
  return run(reason, settings, 'branch', 'load', settings.out);
}

/** Whether a delegation to the online key of registry.yaml is signed, which replaces the published one. */
export function isReplacing({ delegation: { replacement } }: RegistryStatus): boolean {
  return replacement !== undefined && replacement !== 'undone';
}

/**
 * The step for an online key of registry.yaml that the published delegation leaves out. It may be the next key, or one that was
 * replaced: to delegate to that would trust it again.
 */
export function strayKeySteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { strayKey, replacement, onlineKeys } = status.delegation;
  if (strayKey === undefined) return [];
  if (replacement !== undefined && isReplacing(status)) {
    const reason = `publish the delegation to the online key of registry.yaml, ${strayKey}`;
    return [buildStep({ reason, more: ['--delegation', shellWord(replacement)] }, status, settings)];
  }
  const named = `let public_key and signer of checkpoint in registry.yaml name ${onlineKeys.join(' or ')}, as whoever has replaced ${strayKey} has it, and do not delegate to that again if it has leaked. Until then, builds need --checkpoint-later`;
  if (replacement === 'undone') return [told(named)];
  const own = `if ${strayKey} is to be the next online key, delegate to it, and build with that delegation (see "The online key has leaked" in emergency.md)`;
  return [told(`${own}. If not, ${named}`)];
}

function isUrgent({ level }: Pick<Condition, 'level'>): boolean {
  return level === 'error' || level === 'warning';
}
