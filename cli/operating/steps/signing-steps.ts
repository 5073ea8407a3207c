import { commandLine } from '../../command-line.js';
import type { RegistryStatus } from '../status.js';
import type { CommandSettings, NextStep } from './next-step.js';

/**
 * The step that builds.
 *
 * @param more - options besides those of the settings
 */
export function buildStep(
  { reason, more = [] }: { readonly reason: string; readonly more?: readonly string[] },
  status: RegistryStatus,
  settings: CommandSettings,
): NextStep {
  const command = commandLine(settings, 'build', ...publishingOptions(settings), ...more);
  return { command, reason: onlineKeyFirst(reason, status, settings) };
}

/** Options of every command that builds with the root key. */
export function publishingOptions({
  rootOptions,
  productionOptions,
  buildOptions,
  overrideOptions,
}: CommandSettings): readonly string[] {
  return [...rootOptions, ...productionOptions, ...buildOptions, ...overrideOptions];
}

/** Adds to the reason of a publication what it needs first: a setting for the online key. */
export function onlineKeyFirst(
  reason: string,
  status: RegistryStatus,
  { hasOnlineKey }: CommandSettings,
): string {
  const isMissing = needsOnlineKey(status) && !hasOnlineKey;
  return isMissing ? `${reason}; first name the online key in registry.yaml: checkpoint.signer` : reason;
}

/** Whether the next publication needs a checkpoint: the tree has one, or a delegation to the key that signs one, valid or not. */
function needsOnlineKey({ tree, checkpoint, delegation }: RegistryStatus): boolean {
  return tree.published && !(checkpoint.isAbsent && delegation.isAbsent);
}

/** The step that signs a checkpoint, if the tree needs one. Otherwise it needs no key. */
export function checkpointStep(reason: string, status: RegistryStatus, settings: CommandSettings): NextStep {
  const { out, onlineOptions } = settings;
  const signs = needsOnlineKey(status) ? onlineOptions : [];
  return { command: commandLine(settings, 'checkpoint', out, ...signs), reason };
}

/** The step that a checkpoint needs which is older than that of the host: verifiers that have seen the newer one refuse it. */
export function laterCheckpointSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  if (status.live.parts?.checkpoint !== 'newer') return [];
  return [checkpointStep('sign a later checkpoint than that of the host', status, settings)];
}
