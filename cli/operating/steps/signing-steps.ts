import type { RegistryStatus } from '../status.js';
import { type CommandSettings, type NextStep, run } from './next-step.js';

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
  const words = ['build', ...publishingOptions(settings), ...more];
  return run(keysFirst(reason, status, settings), settings, ...words);
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

/** Whether the next publication needs a checkpoint: the tree has one, or a delegation to the key that signs one, valid or not. */
function needsOnlineKey({ tree, checkpoint, delegation }: RegistryStatus): boolean {
  return tree.published && !(checkpoint.isAbsent && delegation.isAbsent);
}

/** Adds to the reason of a publication which keys it needs first. */
export function keysFirst(reason: string, status: RegistryStatus, settings: CommandSettings): string {
  const signed = rootKeyFirst(reason, settings);
  return needsOnlineKey(status) ? onlineKeyFirst(signed, settings) : signed;
}

/** Adds to the reason of a step with the root key that a setting has to name it first. */
export function rootKeyFirst(reason: string, { hasRootSigner }: CommandSettings): string {
  return hasRootSigner
    ? reason
    : `${reason}. First name the root key in registry.yaml, signer.key, or add --key`;
}

/** The same for the online key. */
export function onlineKeyFirst(reason: string, { hasOnlineKey }: CommandSettings): string {
  return hasOnlineKey ? reason : `${reason}. First name the online key in registry.yaml: checkpoint.signer`;
}

/** The step that signs a checkpoint, if the tree needs one. Otherwise it needs no key. */
export function checkpointStep(reason: string, status: RegistryStatus, settings: CommandSettings): NextStep {
  const why = needsOnlineKey(status) ? onlineKeyFirst(reason, settings) : reason;
  return run(why, settings, 'checkpoint', settings.out);
}

/** The step that a checkpoint needs which is older than that of the host: verifiers that have seen the newer one refuse it. */
export function laterCheckpointSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  if (status.live.parts?.checkpoint !== 'newer') return [];
  return [checkpointStep('sign a later checkpoint than that of the host', status, settings)];
}
