import { type CommandSettings, type NextStep, run } from './next-step.js';
import type { RegistryStatus } from './status.js';

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
  const signs = checkpointOptionsOf(status, settings);
  return run(reason, 'build', ...publishingOptions(settings), ...more, ...signs);
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

/** Options of a build for the online key, if the tree has a checkpoint, valid or not. */
export function checkpointOptionsOf(
  { tree, checkpoint }: RegistryStatus,
  { checkpointOptions }: CommandSettings,
): readonly string[] {
  return tree.published && checkpoint.message !== 'none' ? checkpointOptions : [];
}
