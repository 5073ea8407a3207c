import { PATHS } from '../../../generator/tree/paths.js';
import type { RegistryStatus } from '../status.js';
import { type CommandSettings, type NextStep, run, told } from './next-step.js';
import { onlineKeyFirst } from './signing-steps.js';

/** The step that lets the configuration name the current root key. */
export function rotatedStep(
  { rootKey: { rotated, thumbprint } }: RegistryStatus,
  { out, rootKeyFile }: CommandSettings,
): NextStep[] {
  if (!rotated) return [];
  const reason = `let root_key and signer in registry.yaml name the current root key, ${thumbprint}: the file of root_key gets the public key`;
  return [run(reason, 'keys', 'public', `${out}/${PATHS.rootKey}`, '>', rootKeyFile)];
}

/** The step that continues a rotation. */
export function rotateStep(status: RegistryStatus, settings: CommandSettings): NextStep {
  const { rootKey, rotation } = status;
  const { rootOptions, buildOptions, overrideOptions } = settings;
  const { folder, next } = rotation;
  const isBegun = next !== undefined && rootKey.thumbprint === next;
  const otherwise = isBegun ? '' : `; or remove ${folder} to give it up`;
  const options = [...rootOptions, ...buildOptions, ...overrideOptions];
  const reason = `continue the rotation, with the same next key${otherwise}`;
  const words = ['keys', 'rotate', '--next-key', '<NEXT_KEY_FILE>', ...options];
  return run(onlineKeyFirst(reason, status, settings), ...words);
}

/** The step that continues or ends a rotation, or looks at one that cannot be read. */
export function rotationSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { rotation, rootKey } = status;
  const { state, folder, next, message } = rotation;
  if (state === 'unfinished') return [rotateStep(status, settings)];
  if (state === 'unreadable') return [told(`find out who changed ${folder}: ${message}`)];
  if (state !== 'complete') return [];
  // Another step says the same if the tree shows that root_key is outdated. Whether signer is, only its user knows.
  const signer = rootKey.rotated ? '' : `let signer in registry.yaml name the key ${next}, and `;
  return [{ command: `rm -r ${folder}`, reason: `when all hosts serve the tree: ${signer}remove ${folder}` }];
}

/** Nobody but the people of the registry knows whether a rotation is theirs, so no command may adopt the key or undo it. */
export function foreignKeyStep({ live }: RegistryStatus): NextStep {
  const key = live.host?.rootKey;
  return told(
    `ask everybody who has the root key whether they have rotated it to ${key}. If one of you has, get root_key and the other settings from there, and run \`status\` again. If not, the root key has leaked: keep the folder as it is, and see "The root key has leaked" in the document emergency.md`,
  );
}
