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

/** Adds to the reason of a publication what it needs first: a setting for the online key, if the tree has a checkpoint, valid or not. */
export function onlineKeyFirst(
  reason: string,
  { tree, checkpoint }: RegistryStatus,
  { hasOnlineKey }: CommandSettings,
): string {
  const isMissing = tree.published && checkpoint.message !== 'none' && !hasOnlineKey;
  return isMissing ? `${reason}; first name the online key in registry.yaml: checkpoint.signer` : reason;
}

/** The step that needs the online key if the tree has a checkpoint, valid or not, and no key otherwise. */
export function checkpointStep(
  reason: string,
  { tree, checkpoint }: RegistryStatus,
  settings: CommandSettings,
): NextStep {
  const { out, onlineOptions } = settings;
  const signs = tree.published && checkpoint.message !== 'none' ? onlineOptions : [];
  return { command: commandLine(settings, 'checkpoint', out, ...signs), reason };
}

/** The step that a checkpoint needs which is older than that of the host: verifiers that have seen the newer one refuse it. */
export function laterCheckpointSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  if (status.live.parts?.checkpoint !== 'newer') return [];
  return [checkpointStep('sign a later checkpoint than that of the host', status, settings)];
}
