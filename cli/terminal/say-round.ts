import { type Finding, SEVERITIES } from '../../observers/monitoring/finding.js';
import type { RoundReport } from '../../observers/monitoring/monitor.js';
import type { Io } from './io.js';
import { count, grouped, say } from './output.js';

const MARKS = { alarm: 'ALARM  ', change: 'CHANGE ', warning: 'WARNING', note: 'note   ' } as const;

/** The number of findings of each severity to print. A publication can change thousands of issuers. */
const MAX_LINES = 20;

/** Prints the report of a round of the monitor for people. */
export function sayRound(io: Io, { at, log, hosts, findings }: RoundReport): void {
  for (const severity of SEVERITIES) {
    const some = findings.filter((found) => found.severity === severity);
    for (const found of some.slice(0, MAX_LINES)) say(io, lineOf(found));
    if (some.length > MAX_LINES) say(io, `${MARKS[severity]} and ${grouped(some.length - MAX_LINES)} more`);
  }
  const alarms = findings.filter(({ severity }) => severity === 'alarm').length;
  const what =
    log === null
      ? 'no log could be read'
      : `${log.origin}, ${count(log.size, 'entry', 'entries')}, ${grouped(log.added)} new, ${count(hosts.length, 'host')}`;
  const told = log === null && alarms === 0 ? '' : `, ${alarms === 0 ? 'no alarm' : count(alarms, 'alarm')}`;
  say(io, `monitor ${at}: ${what}${told}`);
}

function lineOf({ severity, code, host, message }: Finding): string {
  return `${MARKS[severity]} ${code}: ${host === undefined ? '' : `${host} `}${message}`;
}
