import { type Condition, LEVELS } from '../operating/condition.js';
import type { NextStep } from '../operating/next-step.js';
import type { RegistryStatus } from '../operating/status.js';
import type { Io } from './io.js';
import { say } from './output.js';

const MARKS = { error: 'FAILED ', warning: 'warning', note: 'note   ', ok: 'ok     ' } as const;

/** Prints the status of a registry for people, most urgent parts first, and what to do next. */
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
  if (next.length === 0) say(io, 'There is nothing to do.');
  else say(io, 'What to do next:');
  for (const [index, { command, reason }] of next.entries()) {
    say(io, `${index + 1}. ${reason}${command === undefined ? '' : ':'}`);
    if (command !== undefined) say(io, `   ${command}`);
  }
}

const PART_WIDTH = 'publication'.length;
