import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../../../generator/files/private-folder.js';
import { PATHS } from '../../../generator/tree/paths.js';
import { commandLine } from '../../command-line.js';
import { loadFromHost } from '../../hosts/published-before.js';
import { doubtOfHost } from '../../hosts/tree-comparison.js';
import type { LiveCondition, MirrorCondition } from '../hosts-condition.js';
import type { RegistryStatus } from '../status.js';
import { holdCommand, holdStep } from './hold-steps.js';
import type { CommandSettings, NextStep } from './next-step.js';

/** Whether the live registry has a newer tree than the output folder, or the output folder has none although one was published. */
export function isTreeOlder({ tree, live, mirrors }: RegistryStatus): boolean {
  if (tree.published) return live.comparedWithTree === 'newer';
  if (tree.trace !== undefined && tree.trace.delegation === undefined) return true;
  return [live, ...mirrors].some(({ host }) => host?.updatedAt !== undefined);
}

/** Brings the host's tree here, and holds again what its checkpoint lacks. */
export function loadSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { parts } = status.live;
  const doubt = parts && doubtOfHost(parts);
  const { command, reason } = loadStep(status, settings);
  const why = `${reason}${holdsAgain(status, settings)}${doubt === undefined ? '' : `. ${doubt}`}`;
  return loadAndHold({ command, reason: why }, status.live.lostHolds, settings);
}

/** Whom a load releases, in words. Empty if it releases nobody. */
export function holdsAgain({ live: { lostHolds, parts } }: RegistryStatus, { out }: CommandSettings): string {
  if (lostHolds.length === 0) return '';
  // The settings, too, may be older than the host.
  const key = parts?.delegation === 'newer' ? '; `git pull` first: the online key may be another' : '';
  return `; then hold again what only ${out} holds: ${lostHolds.join(', ')}; leave out whom one of you has released${key}`;
}

/** One command, because the loaded tree shows no trace of whom the own one has stopped. */
export function loadAndHold(
  { command, reason }: NextStep,
  ids: readonly string[],
  settings: CommandSettings,
): NextStep[] {
  if (ids.length === 0) return [{ command, reason }];
  if (command === undefined) return [{ command, reason }, holdStep('hold again', ids, settings)];
  return [{ command: andHold(command, ids, settings), reason }];
}

function andHold(load: string, ids: readonly string[], settings: CommandSettings): string {
  return ids.length === 0 ? load : `${load} && ${holdCommand(ids, settings)}`;
}

/** The step that brings the published tree into the output folder. */
function loadStep(status: RegistryStatus, settings: CommandSettings): NextStep {
  const { out } = settings;
  const command = loadCommand(status, settings);
  const url = servingHost(status)?.url;
  if (isCopyNewest(status)) {
    const newest =
      url === undefined ? 'if it is the newest publication' : `which is newer than what ${url} serves`;
    return {
      command,
      reason: `load the copy of the published tree into ${out}, ${newest}, before the next build`,
    };
  }
  const from = command === undefined ? ', from a branch, a mirror or a backup' : '';
  const copy =
    !status.tree.hasRemote || url === undefined
      ? ''
      : `; if it is not on a branch, or older there, run \`${fromHostAndHold(url, status, settings)}\``;
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
  if (isCopyNewest(status)) return `cp -rL ${tree.trace?.copy} ${out}`;
  // Of two histories, the branch has the one that its last saver had.
  if (tree.hasRemote && status.live.keep === undefined) {
    if (!isThere(status)) return commandLine(settings, 'branch', 'load', out);
    // There may be no such branch, which is no failure.
    return `${commandLine(settings, 'branch', 'load', FROM_BRANCH)} && test -d ${FROM_BRANCH} && rm -r ${out} && mv ${FROM_BRANCH} ${out}`;
  }
  const url = servingHost(status)?.url;
  return url === undefined ? undefined : replaceFromHost(url, status, settings);
}

/** The command that brings the tree of a host here, and holds again what its checkpoint lacks. */
export function fromHostAndHold(url: string, status: RegistryStatus, settings: CommandSettings): string {
  return andHold(replaceFromHost(url, status, settings), status.live.lostHolds, settings);
}

function replaceFromHost(url: string, status: RegistryStatus, settings: CommandSettings): string {
  return fromHost(url, settings, { out: settings.out, replaces: isThere(status) });
}

/** The command that brings the tree of a host into a folder. */
export function fromHost(
  url: string,
  settings: CommandSettings,
  target: { readonly out: string; readonly replaces: boolean },
): string {
  const { out, rootKeyFile, rootKeyOptions } = settings;
  // Without a setting, the tree's own key has verified the host.
  const key = rootKeyFile === undefined ? ['--root-key', `${out}/${PATHS.rootKey}`] : rootKeyOptions;
  return loadFromHost(url, settings, { ...target, key });
}

/** Whether the output folder has a tree, damaged or not. */
const isThere = ({ tree }: RegistryStatus) =>
  tree.published || (tree.level !== 'note' && tree.trace === undefined);

/** A host that serves a list of the registry. */
function servingHost({ live, mirrors }: RegistryStatus): LiveCondition | MirrorCondition | undefined {
  return [live, ...mirrors].find(({ host }) => host?.updatedAt !== undefined);
}

/** Whether this folder has a copy of the tree, and no host shows a later one. From an earlier host, `mirror` would copy nothing. */
function isCopyNewest(status: RegistryStatus): boolean {
  const { copy, copied: [list, checkpoint = ''] = [''] } = status.tree.trace ?? {};
  const { updatedAt = '', checkpoint: served } = servingHost(status)?.host ?? {};
  if (copy === undefined || list < updatedAt) return false;
  return list > updatedAt || checkpoint > (served?.issuedAt ?? '');
}
