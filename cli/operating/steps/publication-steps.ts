import { shellWord } from '../../command-line.js';
import type { Condition } from '../condition.js';
import type { RegistryStatus } from '../status.js';
import { COSIGNED, isHeldInCopy, isUncosigned, lacksWitnesses } from './host-steps.js';
import {
  buildStep,
  type CommandSettings,
  checkpointStep,
  inSentences,
  type NextStep,
  run,
} from './next-step.js';

/** The steps that renew the tree: a build, or a checkpoint. */
export function publicationSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { tree, log, changes } = status;
  // What the published files lack may be in the publication that `checkpoint` completes.
  if (log.pending && changes.changes.length === 0) {
    const reason = 'collect cosignatures, and complete the publication';
    return [
      log.needsBuild ? buildStep({ reason }, status, settings) : checkpointStep(reason, status, settings),
    ];
  }
  const reasons = reasonsToBuild(status);
  if (reasons.length === 0) return withoutBuild(status, settings);
  const build = buildStep({ reason: reasons.join(', and ') }, status, settings);
  const isLoadedFirst = mayHavePublished(status) && tree.hasRemote;
  return [...(isLoadedFirst ? [loadFirst(settings, build)] : []), build];
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

/** No host shows a list, but a host can lose its files, too: only the operator knows. */
const FIRST_LIST = 'publish the first list. If this registry has published before, copy its tree here first';

function reasonsToBuild(status: RegistryStatus): string[] {
  const { changes, tree, online } = status;
  const reasons: string[] = [];
  if (!tree.published) reasons.push(FIRST_LIST);
  else if (tree.level === 'error') reasons.push('repair the tree');
  if (tree.published && changes.changes.length > 0) reasons.push('publish the changes');
  if (tree.published && online.wantsBuild) reasons.push('publish the online keys of registry.yaml');
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

function isUrgent({ level }: Pick<Condition, 'level'>): boolean {
  return level === 'error' || level === 'warning';
}
