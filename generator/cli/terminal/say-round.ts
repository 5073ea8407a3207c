import type { Finding } from '../../monitoring/finding.js';
import type { RoundReport } from '../../monitoring/monitor.js';
import type { Io } from './io.js';
import { count, grouped, say } from './output.js';

const MARKS = { alarm: 'ALARM  ', change: 'CHANGE ', warning: 'WARNING', note: 'note   ' } as const;

/** The number of notes to print. A publication can change thousands of issuers. */
const MAX_NOTES = 20;

/** Prints the report of a round of the monitor for people. */
export function sayRound(io: Io, { at, log, hosts, findings }: RoundReport): void {
  const notes = findings.filter(({ severity }) => severity === 'note');
  for (const found of findings.slice(0, findings.length - notes.length)) say(io, lineOf(found));
  for (const note of notes.slice(0, MAX_NOTES)) say(io, lineOf(note));
  if (notes.length > MAX_NOTES) say(io, `note    and ${grouped(notes.length - MAX_NOTES)} more`);
  const alarms = findings.filter(({ severity }) => severity === 'alarm').length;
  const what =
    log === null
      ? 'no log could be read'
      : `${log.origin}, ${count(log.size, 'entry', 'entries')}, ${grouped(log.added)} new, ${count(hosts.length, 'host')}`;
  say(io, `monitor ${at}: ${what}, ${alarms === 0 ? 'no alarm' : count(alarms, 'alarm')}`);
}

function lineOf({ severity, code, host, message }: Finding): string {
  return `${MARKS[severity]} ${code}: ${host === undefined ? '' : `${host} `}${message}`;
}
