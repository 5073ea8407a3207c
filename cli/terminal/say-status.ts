import { type Condition, LEVELS } from '../operating/condition.js';
import type { NextStep } from '../operating/next-step.js';
import type { RegistryStatus } from '../operating/status.js';
import type { Io } from './io.js';
import { count, say } from './output.js';

const MARKS = { error: 'FAILED ', warning: 'warning', note: 'note   ', ok: 'ok     ' } as const;

/** Prints the status of a registry for people, most urgent parts first, and the one thing to do next. */
export function sayStatus(io: Io, status: RegistryStatus, next: readonly NextStep[]): void {
  const lines: readonly (readonly [part: string, condition: Condition])[] = [
    ['root key', status.rootKey],
    ...(status.holders.message === 'none' ? [] : [['holders', status.holders] as const]),
    ...(status.rotation.state === 'none' ? [] : [['rotation', status.rotation] as const]),
    ['tree', status.tree],
    ['list', status.list],
    ['publication', status.publication],
    ...(status.log.message === 'none' ? [] : [['log', status.log] as const]),
    ['delegation', status.delegation],
    ['checkpoint', status.checkpoint],
    ...(status.hold.message === 'none' ? [] : [['hold', status.hold] as const]),
    ['changes', status.changes],
    ['live', status.live],
    ...status.mirrors.map((mirror) => ['mirror', mirror] as const),
  ];
  for (const level of LEVELS) {
    for (const [part, condition] of lines) {
      if (condition.level === level)
        say(io, `${MARKS[level]} ${part.padEnd(PART_WIDTH)} ${condition.message}`);
    }
  }
  say(io, '');
  const [first, ...others] = next;
  if (first === undefined) {
    say(io, 'There is nothing to do.');
    return;
  }
  say(io, `Next: ${first.reason}${first.command === undefined ? '' : ':'}`);
  if (first.command !== undefined) say(io, `  ${first.command}`);
  // Each step changes what the next one is.
  if (others.length > 0)
    say(io, `Then run \`status\` again: ${count(others.length, 'step follows', 'steps follow')}.`);
}

const PART_WIDTH = 'publication'.length;
