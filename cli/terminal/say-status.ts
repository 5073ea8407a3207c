import { type Condition, LEVELS } from '../operating/condition.js';
import type { RegistryStatus } from '../operating/status.js';
import type { NextStep } from '../operating/steps/next-step.js';
import { count, type Io, say } from './io.js';

const MARKS = { error: 'FAILED ', warning: 'warning', note: 'note   ', ok: 'ok     ' } as const;

/** Prints the status of a registry for people, most urgent parts first, and the one thing to do next. */
export function sayStatus(io: Io, status: RegistryStatus, next: readonly NextStep[]): void {
  const lines: readonly (readonly [part: string, condition: Condition])[] = [
    // Of one level, first what may leave an issuer that is stopped to those who trust it.
    ['live', status.live],
    ...status.mirrors.map((mirror) => ['mirror', mirror] as const),
    ...(status.hold.issuers?.length === 0 ? [] : [['hold', status.hold] as const]),
    ['changes', status.changes],
    ['root key', status.rootKey],
    ...(status.holders.isAbsent ? [] : [['holders', status.holders] as const]),
    ...(status.rotation.state === 'none' && status.rotation.outdated.length === 0
      ? []
      : [['rotation', status.rotation] as const]),
    ['tree', status.tree],
    ['list', status.list],
    ['publication', status.publication],
    ...(status.log.isAbsent ? [] : [['log', status.log] as const]),
    ['delegation', status.delegation],
    ['checkpoint', status.checkpoint],
  ];
  for (const level of LEVELS) {
    for (const [part, condition] of lines) {
      if (condition.level === level) sayCondition(io, part, condition);
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
  if (status.live.keep !== undefined) {
    sayRest(io, status, others);
    return;
  }
  // Each step changes what the next one is.
  if (others.length > 0)
    say(io, `Then run \`status\` again: ${count(others.length, 'step follows', 'steps follow')}.`);
}

function sayCondition(io: Io, part: string, { level, message, details = [] }: Condition): void {
  const start = `${MARKS[level]} ${part.padEnd(PART_WIDTH)} `;
  say(io, `${start}${message}`);
  if (details.length > 0) say(io, `${' '.repeat(start.length)}${details.join('; ')}`);
}

/** Of two histories, the first step may replace the tree, and nothing would name the others any more. */
function sayRest(io: Io, { tree, live }: RegistryStatus, others: readonly NextStep[]): void {
  const commands = others.flatMap(({ command, reason }) => command ?? reason);
  if (commands.length > 0) say(io, 'Then:');
  for (const command of commands) say(io, `  ${command}`);
  const other = live.keep === 'tree' ? live.url : tree.folder;
  say(io, `Only if others have seen that of ${other} instead: see "Two histories" in status.md.`);
}

const PART_WIDTH = 'publication'.length;
