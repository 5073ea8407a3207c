import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../../../generator/files/private-folder.js';
import { PATHS } from '../../../generator/tree/paths.js';
import type { HostStatus } from '../../../observers/hosts/compare-hosts.js';
import { commandLine } from '../../command-line.js';
import { doubtOfHost } from '../../hosts/in-words.js';
import { andHold, loadFromHost, moveAway } from '../../hosts/load-commands.js';
import type { RegistryStatus } from '../status.js';
import { holdStep } from './hold-steps.js';
import { type CommandSettings, inSentences, type NextStep } from './next-step.js';

/** Whether the live registry has a newer tree than the output folder, or the output folder has none although one was published. */
export function isTreeOlder(status: RegistryStatus): boolean {
  const { tree, live, online } = status;
  // A later checkpoint by the key that registry.yaml replaces, maybe a thief's: the new key could not hold anyone over it.
  const isByOldKey = online.isReplaced && live.parts?.publication === 'same';
  if (tree.published) return live.comparedWithTree === 'newer' && !isByOldKey;
  if (tree.trace !== undefined) return true;
  return servingHost(status) !== undefined;
}

/** Brings the host's tree here, and holds again what its checkpoint lacks. */
export function loadSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { parts, lostHolds } = status.live;
  const [load, ...otherwise] = loadReasons(status, settings);
  const doubt = parts && doubtOfHost(parts);
  const reason = inSentences(
    ...(doubt === undefined ? [load] : [doubt, `Otherwise, ${load}`]),
    ...[...otherwise, holdsAgain(status, settings)],
  );
  return loadAndHold({ command: loadCommand(status, settings), reason }, lostHolds, settings);
}

/** Whom a load releases, in words. Undefined if it releases nobody. */
export function holdsAgain(
  { live: { lostHolds, parts } }: RegistryStatus,
  { out }: CommandSettings,
): string | undefined {
  if (lostHolds.length === 0) return undefined;
  // The settings, too, may be older than the host.
  const key = parts?.publication === 'newer' ? ', after `git pull`: the online key may be another' : '';
  return `Then hold again what only ${out} holds: ${lostHolds.join(', ')}; leave out whom one of you has released${key}`;
}

/** One command, because the loaded tree shows no trace of whom the own one has stopped. */
export function loadAndHold(
  { command, reason }: NextStep,
  ids: readonly string[],
  settings: CommandSettings,
): NextStep[] {
  if (command !== undefined) return [{ command: andHold(command, ids, settings), reason }];
  return [{ command, reason }, ...(ids.length === 0 ? [] : [holdStep('hold again', ids, settings)])];
}

/** Why the published tree is loaded, and from where otherwise. */
function loadReasons(status: RegistryStatus, settings: CommandSettings): (string | undefined)[] {
  const { out } = settings;
  const { hasRemote, trace } = status.tree;
  const url = servingHost(status)?.url;
  if (isCopyNewest(status)) {
    const newest =
      url === undefined ? 'if it is the newest publication' : `which is newer than what ${url} serves`;
    return [`load the copy of the published tree into ${out}, ${newest}`];
  }
  const from = url === undefined && !hasRemote ? ', from a branch, a mirror or a backup' : '';
  return [
    `load the published tree into ${out} before the next build${from}`,
    hasRemote && url !== undefined
      ? `If it is not on a branch, or older there, run \`${fromHostAndHold(url, status, settings)}\``
      : undefined,
    trace !== undefined && url === undefined
      ? `If this registry has never published, ${trace.otherwise}`
      : undefined,
    url === undefined && status.live.host?.state === 'unreachable'
      ? `Or wait until ${status.live.url} answers`
      : undefined,
  ];
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
    return `${commandLine(settings, 'branch', 'load', FROM_BRANCH)} && test -d ${FROM_BRANCH} && ${moveAway(out)} && mv ${FROM_BRANCH} ${out}`;
  }
  const url = servingHost(status)?.url;
  return url && fromHost(url, settings, { replaces: isThere(status) });
}

/** The command that brings the tree of a host here, and holds again what its checkpoint lacks. */
export function fromHostAndHold(url: string, status: RegistryStatus, settings: CommandSettings): string {
  return andHold(fromHost(url, settings, { replaces: isThere(status) }), status.live.lostHolds, settings);
}

/** The command that brings the tree of a host into a folder. */
export function fromHost(
  url: string,
  settings: CommandSettings,
  { into = settings.out, replaces }: { readonly into?: string; readonly replaces: boolean },
): string {
  const { config, out, rootKeyFile, rootKeyOptions } = settings;
  // Without a setting, the tree's own key has verified the host.
  const key = rootKeyFile === undefined ? ['--root-key', `${out}/${PATHS.rootKey}`] : rootKeyOptions;
  return loadFromHost(url, { config, out: into }, { key, replaces });
}

/** Whether the output folder has a tree, damaged or not. */
const isThere = ({ tree }: RegistryStatus) =>
  tree.published || (tree.level !== 'note' && tree.trace === undefined);

/** A host that serves a list of the registry. */
function servingHost({ live, mirrors }: RegistryStatus): HostStatus | undefined {
  return [live, ...mirrors].find(({ host }) => host?.updatedAt !== undefined)?.host;
}

/** Whether this folder has a copy of the tree, and no host shows a later one. From an earlier host, `mirror` would copy nothing. */
function isCopyNewest(status: RegistryStatus): boolean {
  const { copy, copied: [list, checkpoint = ''] = [''] } = status.tree.trace ?? {};
  const { updatedAt = '', checkpoint: served } = servingHost(status) ?? {};
  if (copy === undefined || list < updatedAt) return false;
  return list > updatedAt || checkpoint > (served?.issuedAt ?? '');
}
