import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../../../generator/files/private-folder.js';
import { loadFromHost, MIRROR_FOLDER } from '../published-before.js';
import { shellWord } from '../shell-word.js';
import type { RegistryStatus } from '../status.js';
import { holdStep } from './hold-steps.js';
import { type CommandSettings, type NextStep, run } from './next-step.js';

/** Whether the live registry has a newer tree than the output folder, or the output folder has none although one was published. */
export function isTreeOlder({ tree, live, mirrors }: RegistryStatus): boolean {
  if (tree.published) return live.comparedWithTree === 'newer';
  if (tree.trace !== undefined && tree.trace.delegation === undefined) return true;
  return [live, ...mirrors].some(({ host }) => host?.updatedAt !== undefined);
}

/** Brings the host's tree here, and holds again what its checkpoint lacks. */
export function loadSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const load = loadStep(status, settings);
  const { list, holds } = status.live.parts ?? {};
  const { onlyHost = [], onlyTree = [] } = holds ?? {};
  if (onlyTree.length === 0 && onlyHost.length === 0) return [load];
  const lost =
    onlyTree.length === 0 ? '' : `; then hold again what only ${settings.out} holds: ${onlyTree.join(', ')}`;
  // Another list is signed by the root key, so the holds are not the only work of whoever published it.
  const ifStolen =
    list === 'same'
      ? '. If nobody of you has signed the checkpoint of the host, the online key has leaked: do not load its tree, and see "The online key has leaked" in the document emergency.md'
      : '';
  const step = { ...load, reason: `${load.reason}${lost}${ifStolen}` };
  if (onlyTree.length === 0) return [step];
  const { command } = holdStep('', onlyTree, settings);
  return load.command === undefined
    ? [step, { command, reason: 'hold again' }]
    : [{ ...step, command: `${load.command} && ${command}` }];
}

/** The step that brings the published tree into the output folder. */
export function loadStep(status: RegistryStatus, settings: CommandSettings): NextStep {
  const { out } = settings;
  const command = loadCommand(status, settings);
  const from = command === undefined ? ', from a branch, a mirror or a backup' : '';
  const url = servingUrl(status);
  const copy =
    !status.tree.hasRemote || url === undefined
      ? ''
      : `; if it is not on a branch, or older there, run \`${fromHost(url, status, settings)}\``;
  const { trace } = status.tree;
  const start = trace?.otherwise;
  const isServed = url !== undefined;
  const never = start === undefined || isServed ? '' : `; if this registry has never published, ${start}`;
  return {
    command,
    reason: `load the published tree into ${out} before the next build${from}${copy}${never}`,
  };
}

/** The folder for a tree that is loaded from its branch. It replaces the output folder only when it is complete. */
const FROM_BRANCH = join(PRIVATE_FOLDER, 'branch');

/** The command that loads the published tree: from its branch, or else from a host. Undefined if neither is known. */
export function loadCommand(status: RegistryStatus, settings: CommandSettings): string | undefined {
  const { tree } = status;
  const { out } = settings;
  // Of two histories, the branch has the one that its last saver had.
  if (tree.hasRemote && status.live.keep === undefined) {
    if (!isThere(status)) return run('', 'branch', 'load', out).command;
    return `${run('', 'branch', 'load', FROM_BRANCH).command} && rm -r ${out} && mv ${FROM_BRANCH} ${out}`;
  }
  const url = servingUrl(status);
  const { copy } = tree.trace ?? {};
  if (url === undefined) return copy && `cp -rL ${copy} ${out}`;
  return fromHost(url, status, settings);
}

function fromHost(url: string, status: RegistryStatus, settings: CommandSettings): string {
  const { out, rootKeyFile, rootKeyOptions, hasRootKey } = settings;
  const key = hasRootKey ? rootKeyOptions : ['--root-key', rootKeyFile];
  if (isThere(status)) return loadFromHost(url, out, key);
  return `${run('', 'mirror', shellWord(url), MIRROR_FOLDER, ...key).command} && cp -rL ${MIRROR_FOLDER}/current ${out}`;
}

/** Whether the output folder has a tree, damaged or not. */
const isThere = ({ tree }: RegistryStatus) =>
  tree.published || (tree.level !== 'note' && tree.trace === undefined);

/** A host that serves a list of the registry. */
function servingUrl({ live, mirrors }: RegistryStatus): string | undefined {
  return [live, ...mirrors].find(({ host }) => host?.updatedAt !== undefined)?.url;
}
