import { type Condition, LEVELS, type Level, mostUrgent } from './condition.js';
import type { RegistryStatus } from './status.js';
import { damageSteps } from './steps/damage-steps.js';
import { forkSteps, historySteps } from './steps/history-steps.js';
import { holdAgainSteps, holdSteps } from './steps/hold-steps.js';
import { askMirrors, cosignedSteps, hostSteps, isPublishedFirst, isUncosigned } from './steps/host-steps.js';
import { isTreeOlder, loadSteps } from './steps/load-steps.js';
import type { CommandSettings, NextStep } from './steps/next-step.js';
import { exposedKeySteps, publicationSteps } from './steps/publication-steps.js';
import { recordSteps } from './steps/record-steps.js';
import {
  foreignKeySteps,
  nextRootsStep,
  outdatedSteps,
  rotatedStep,
  rotateStep,
  rotationSteps,
} from './steps/rotation-steps.js';

type Steps = readonly NextStep[];

/** The first of these that applies leaves nothing else to do. The rest is a matter of urgency. */
const ALONE: readonly ((status: RegistryStatus, settings: CommandSettings) => Steps)[] = [
  damageSteps,
  // A root key that nobody here knows; then two histories, of the host or of witnesses.
  foreignKeySteps,
  historySteps,
  forkSteps,
  unfinishedRotation,
];

/** Returns what the operator should do, in order. Empty if there is nothing to do. */
export function nextSteps(status: RegistryStatus, settings: CommandSettings): Steps {
  for (const steps of ALONE) {
    const found = steps(status, settings);
    if (found.length > 0) return found;
  }
  return stepsByUrgency(status, settings);
}

/** A rotation that needs the newest tree, or that has signed its step. Otherwise, other steps may come before the next one. */
function unfinishedRotation(status: RegistryStatus, settings: CommandSettings): Steps {
  const { tree, rotation } = status;
  if (rotation.state !== 'unfinished') return [];
  const records = recordSteps(status, settings);
  const rotate = rotateStep(status, settings);
  if (!tree.published || isTreeOlder(status)) return [...loadSteps(status, settings), ...records, rotate];
  // Nothing should be signed with the outgoing key any more.
  return rotation.signed ? [...records, rotate, ...hostSteps(status, settings, true)] : [];
}

/** Steps that need each other, and the level of the most urgent condition that they mend. */
interface StepGroup extends Pick<Condition, 'level'> {
  readonly steps: Steps;
}

/** Of two groups with the same level, the first in the list may be the cause of the other. */
function stepsByUrgency(status: RegistryStatus, settings: CommandSettings): Steps {
  const { rootKey, changes } = status;
  const isOlder = isTreeOlder(status);
  // Without the newest tree, a build could not compare the records with the published list.
  const renewal = isOlder ? [] : publicationSteps(status, settings);
  const tree = { level: levelOfTree(status), steps: treeSteps(status, settings, renewal) };
  const root = { level: rootKey.level, steps: [...rotatedStep(status, settings), ...nextRootsStep(status)] };
  const outdated = { level: status.rotation.level, steps: outdatedSteps(status) };
  const hold = { level: status.hold.level, steps: holdSteps(status, settings) };
  const rotation = { level: status.rotation.level, steps: rotationSteps(status, settings) };

  const steps = recordSteps(status, settings);
  // Nothing was published that the host lacks: what is unpublished comes first.
  const isCommit = changes.toCommit !== undefined || changes.unpushed !== undefined;
  const commit = isCommit ? [{ level: changes.level, steps }] : [];
  // Records that would stop a build come before that build.
  const recordsLevel = renewal.length > 0 ? 'error' : changes.level;
  const records = isCommit ? [] : [{ level: recordsLevel, steps }];

  const exposed: StepGroup = { level: 'warning', steps: exposedKeySteps(status) };
  const groups: readonly StepGroup[] = isOlder
    ? // Records are compared with the published list, so the newest tree is loaded before they are judged.
      [exposed, tree, root, ...records, rotation]
    : // One commit has what is outdated, too.
      [exposed, root, ...records, tree, outdated, ...commit, hold, rotation];
  const byUrgency = LEVELS.flatMap((level) => groups.filter((group) => group.level === level));
  return byUrgency.flatMap((group) => group.steps);
}

/** The steps after which the hosts serve the tree: with the renewal of the tree, or with the newer tree of a host. */
function treeSteps(status: RegistryStatus, settings: CommandSettings, renewal: Steps): Steps {
  if (isTreeOlder(status)) return [...loadSteps(status, settings), ...askMirrors(status)];
  // The next online key signs no hold before a build names it, and the tree as it is may be older than a thief's.
  const { isReplaced } = status.online;
  const again = isReplaced ? [] : holdAgainSteps(status, settings);
  // Witnesses may be away for long, and nobody stops those issuers meanwhile.
  if (isUncosigned(status))
    return [...again, ...cosignedSteps(status, settings), ...renewal, ...askMirrors(status)];
  const hosts = hostSteps(status, settings, renewal.length > 0);
  // A hold that nobody sees stops nobody, and is signed already. Mirrors refuse a tree that is not whole.
  const isUnseen = status.hold.level === 'error' && status.tree.level !== 'error' && !isReplaced;
  const isHostFirst = isUnseen || isPublishedFirst(status);
  return [...again, ...(isHostFirst ? [...hosts, ...renewal] : [...renewal, ...hosts])];
}

/** How urgent it is to make the tree valid, and to bring it to the hosts. */
function levelOfTree(status: RegistryStatus): Level {
  const { tree, list, publication, log, online, checkpoint, changes, live, mirrors } = status;
  const changed = changes.state === 'changed' ? [changes] : [];
  const parts = [tree, list, publication, log, online, checkpoint, ...changed, live, ...mirrors];
  return mostUrgent(parts.map(({ level }) => level));
}
