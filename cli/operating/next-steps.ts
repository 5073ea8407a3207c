import { type Condition, LEVELS, type Level, mostUrgent } from './condition.js';
import type { RegistryStatus } from './status.js';
import { damageSteps } from './steps/damage-steps.js';
import { forkSteps, historySteps } from './steps/history-steps.js';
import { holdAgainSteps, holdSteps } from './steps/hold-steps.js';
import { askMirrors, cosignedSteps, hostSteps, isPublishedFirst, isUncosigned } from './steps/host-steps.js';
import { isTreeOlder, loadSteps } from './steps/load-steps.js';
import type { CommandSettings, NextStep } from './steps/next-step.js';
import { publicationSteps, strayKeyStep } from './steps/publication-steps.js';
import { recordSteps } from './steps/record-steps.js';
import {
  foreignKeyStep,
  nextRootsStep,
  outdatedSteps,
  rotatedStep,
  rotateStep,
  rotationSteps,
} from './steps/rotation-steps.js';

type Steps = readonly NextStep[];

/**
 * Returns what the operator should do, in order. Empty if there is nothing to do. Damage comes first, then a root key that nobody
 * here knows, then two histories, of the host or of witnesses: none of them leaves anything else to do. A rotation that has begun goes on. The rest is a
 * matter of urgency.
 */
export function nextSteps(status: RegistryStatus, settings: CommandSettings): Steps {
  const damage = damageSteps(status, settings);
  if (damage.length > 0) return damage;
  if (status.live.isForeign) return [foreignKeyStep(status)];
  if (status.live.keep !== undefined) return historySteps(status, settings);
  if (status.log.isForked) return forkSteps(status, settings);
  return unfinishedRotation(status, settings) ?? stepsByUrgency(status, settings);
}

/** A rotation that needs the newest tree, or that has signed its step. Undefined if other steps may come before the next one. */
function unfinishedRotation(status: RegistryStatus, settings: CommandSettings): Steps | undefined {
  const { tree, rotation } = status;
  if (rotation.state !== 'unfinished') return undefined;
  const records = recordSteps(status, settings);
  const rotate = rotateStep(status, settings);
  if (!tree.published || isTreeOlder(status)) return [...loadSteps(status, settings), ...records, rotate];
  // Nothing should be signed with the outgoing key any more.
  return rotation.signed ? [...records, rotate, ...hostSteps(status, settings, true)] : undefined;
}

function stepsByUrgency(status: RegistryStatus, settings: CommandSettings): Steps {
  const { rootKey, changes, delegation, hold, rotation } = status;
  const isOlder = isTreeOlder(status);
  // Without the newest tree, a build could not compare the records with the published list.
  const renewal = isOlder ? [] : publicationSteps(status, settings);
  const records = recordSteps(status, settings);
  // Nothing was published that the host lacks: what is unpublished comes first.
  const isCommit = changes.toCommit !== undefined || changes.unpushed !== undefined;
  // Records that would stop a build come before that build.
  const stopsBuild = !isCommit && renewal.length > 0;
  const treeGroup = { level: levelOfTree(status), steps: treeSteps(status, settings, renewal) };
  return mostUrgentFirst([
    // Records are compared with the published list, so what is lost or older here is loaded before they are judged.
    ...(isOlder ? [treeGroup] : []),
    { level: rootKey.level, steps: [...rotatedStep(status, settings), ...nextRootsStep(status)] },
    // With a key that is no online key, no build and no `checkpoint` succeeds.
    { level: renewal.length > 0 ? 'error' : delegation.level, steps: strayKeyStep(status) },
    { level: stopsBuild ? 'error' : changes.level, steps: isCommit ? [] : records },
    ...(isOlder ? [] : [treeGroup]),
    // One commit has them all.
    { level: rotation.level, steps: isOlder ? [] : outdatedSteps(status, settings) },
    { level: changes.level, steps: isCommit && !isOlder ? records : [] },
    { level: hold.level, steps: isOlder ? [] : holdSteps(status, settings) },
    { level: rotation.level, steps: rotationSteps(status, settings) },
  ]);
}

/** The steps after which the hosts serve the tree: with the renewal of the tree, or with the newer tree of a host. */
function treeSteps(status: RegistryStatus, settings: CommandSettings, renewal: Steps): Steps {
  if (isTreeOlder(status)) return [...loadSteps(status, settings), ...askMirrors(status)];
  // Witnesses may be away for long, and nobody stops those issuers meanwhile.
  if (isUncosigned(status, settings))
    return [
      ...holdAgainSteps(status, settings),
      ...cosignedSteps(status, settings),
      ...renewal,
      ...askMirrors(status),
    ];
  const hosts = hostSteps(status, settings, renewal.length > 0);
  // A hold that nobody sees stops nobody, and is signed already.
  const isUnseen = status.hold.level === 'error';
  const isHostFirst = isUnseen || isPublishedFirst(status, settings);
  return [
    ...holdAgainSteps(status, settings),
    ...(isHostFirst ? [...hosts, ...renewal] : [...renewal, ...hosts]),
  ];
}

/** How urgent it is to make the tree valid, and to bring it to the hosts. */
function levelOfTree(status: RegistryStatus): Level {
  const { tree, list, publication, log, delegation, checkpoint, changes, live, mirrors } = status;
  const changed = changes.state === 'changed' ? [changes] : [];
  const parts = [tree, list, publication, log, delegation, checkpoint, ...changed, live, ...mirrors];
  return mostUrgent(parts.map(({ level }) => level));
}

/** Steps that need each other, and the level of the most urgent condition that they mend. */
interface StepGroup extends Pick<Condition, 'level'> {
  readonly steps: Steps;
}

/** Of two groups with the same level, the first in the list may be the cause of the other. */
function mostUrgentFirst(groups: readonly StepGroup[]): Steps {
  return LEVELS.flatMap((level) => groups.filter((one) => one.level === level)).flatMap(({ steps }) => steps);
}
