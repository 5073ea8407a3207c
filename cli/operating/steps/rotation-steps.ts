import { PATHS } from '../../../generator/tree/paths.js';
import { commandLine } from '../../command-line.js';
import { askEverybody } from '../../hosts/in-words.js';
import type { RegistryStatus } from '../status.js';
import { cosignedFirst, publishSteps } from './host-steps.js';
import { type CommandSettings, keysFirst, type NextStep, run, told } from './next-step.js';

/** The step that lets the configuration name the current root key. */
export function rotatedStep(
  { rootKey: { rotated, thumbprint } }: RegistryStatus,
  settings: CommandSettings,
): NextStep[] {
  const { out, rootKeyFile } = settings;
  if (!rotated || rootKeyFile === undefined) return [];
  const reason = `let the file of root_key have the current root key, ${thumbprint}. Also let signer in registry.yaml name it`;
  return [run(reason, settings, 'keys', 'public', `${out}/${PATHS.rootKey}`, '>', rootKeyFile)];
}

/** The step for a commitment in registry.yaml that a rotation has replaced. */
export function nextRootsStep({ rootKey: { rotated, hasStaleNextRoots } }: RegistryStatus): NextStep[] {
  if (rotated || !hasStaleNextRoots) return [];
  return [told('remove next_roots from registry.yaml: the published rotation says what can follow')];
}

/** The step for documents that still name a root key that the tree has replaced. */
export function outdatedSteps({
  rootKey: { thumbprint },
  rotation: { outdated },
}: RegistryStatus): NextStep[] {
  if (outdated.length === 0) return [];
  return [
    told(
      `write the thumbprint of the current root key, ${thumbprint}, into ${outdated.join(', ')}, and wherever else an earlier one is shown`,
    ),
  ];
}

/** The step that continues a rotation. Only whoever has the next key knows where it is. */
export function rotateStep(status: RegistryStatus, settings: CommandSettings): NextStep {
  const { rootKey, rotation } = status;
  const { rootOptions, buildOptions, overrideOptions } = settings;
  const { folder, next } = rotation;
  const isBegun = next !== undefined && rootKey.thumbprint === next;
  const otherwise = isBegun ? '' : `. To give it up, remove ${folder}`;
  const options = [...rootOptions, ...buildOptions, ...overrideOptions];
  const command = commandLine(settings, 'keys', 'rotate', ...options);
  const reason = `continue the rotation: run \`${command}\` with --next-key and the file of the same next key${otherwise}`;
  return told(keysFirst(reason, status, settings));
}

/** The step that continues or ends a rotation, or looks at one that cannot be read. */
export function rotationSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { rotation, rootKey } = status;
  const { state, folder, next, message } = rotation;
  if (state === 'unfinished') return [rotateStep(status, settings)];
  if (state === 'unreadable') return [told(`find out who changed ${folder}: ${message}`)];
  if (state !== 'complete') return [];
  // Another step says the same if the tree shows that root_key is outdated. Whether signer is, only its user knows.
  const signer = rootKey.rotated ? '' : 'let signer in registry.yaml name the next key, ';
  const reason = `when all hosts serve the tree, ${signer}publish the thumbprint ${next} wherever the earlier one is shown, and remove ${folder}`;
  return [{ command: `rm -r ${folder}`, reason }];
}

/** The steps for a root key that nobody here knows. Over a rotation of our own, the thief's is replaced at once. */
export function foreignKeySteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { live, rotation } = status;
  if (!live.isForeign) return [];
  if (live.host?.rootKey !== undefined) return [told(askEverybody(live.host.rootKey))];
  if (rotation.state === 'unfinished') return [];
  const [first, ...others] = [...cosignedFirst(status, settings), ...publishSteps(status, settings)];
  const key = live.host?.claimed?.rootKey;
  const why = `ask whether one of you has rotated the root key to ${key}. If not, a thief has, and the rotation of ${settings.out} is the answer: ${first?.reason}`;
  return [{ command: first?.command, reason: why }, ...others];
}
