import { join } from 'node:path';
import type { Command } from 'commander';
import { withLock } from '../../generator/files/lock.js';
import { type Finding, isUnchecked, SEVERITIES } from '../../observers/monitoring/finding.js';
import { monitorOnce, type RoundReport } from '../../observers/monitoring/monitor.js';
import type { KnownLog, MonitorOptions } from '../../observers/monitoring/round.js';
import { loadState, saveState } from '../../observers/monitoring/state-folder.js';
import { EVERY_OPTION, JSON_OPTION, MAX_BEHIND_OPTION, numberOption } from '../options/common-options.js';
import { loadTrust, TRUST_OPTION, trustFile, type WithTrust } from '../options/trust-option.js';
import { assertAddresses, duration } from '../options/values.js';
import { count, emit, grouped, type Io, type Output, reportOutput, writeLine } from '../terminal/io.js';
import { repeatForever } from '../terminal/until-stopped.js';

interface Options extends WithTrust {
  state?: string;
  since?: string;
  maxBehind: number;
  roundTimeout: number;
  every?: number;
  json?: true;
}

/** `passport-registry monitor` */
export function declareMonitor(command: Command, io: Io) {
  command
    .argument('<url>', 'URL of the registry')
    .argument('[id...]', 'issuers whose changes end with exit code 5')
    .addOption(TRUST_OPTION)
    .option('--mirror <url...>', 'URLs of the mirrors (default: of the trust anchor)')
    .option('--state <dir>', 'folder of what earlier rounds have seen')
    .option('--since <duration>', 'without --state: the changes of this time, such as 2d')
    .addOption(MAX_BEHIND_OPTION)
    .addOption(numberOption('--round-timeout <seconds>', 'time limit of a round').default(600))
    .addOption(EVERY_OPTION)
    .addOption(JSON_OPTION);
  return (url: string, watch: string[], options: Options) => monitor(io, { url, watch }, options);
}

/** What to follow: a registry, and issuers of it. */
interface Watched {
  readonly url: string;
  readonly watch: readonly string[];
}

async function monitor(io: Io, watched: Watched, options: Options): Promise<number> {
  const chosen = await monitorOptions(io, watched, options);
  const { state } = options;
  let inMemory: KnownLog | undefined;
  const once = async () => {
    const { report, known } = await monitorOnce(
      chosen,
      state === undefined ? inMemory : await loadState(state),
    );
    if (options.json) emit(io, { ok: exitCodeOf(report) === 0, ...report });
    writeRound(reportOutput(io, options.json), report);
    // Last: a monitor that is killed before has told nothing, or tells it again.
    inMemory = known;
    if (state !== undefined && known !== undefined) saveState(state, known);
    return exitCodeOf(report);
  };
  const locked = () => (state === undefined ? once() : withLock(join(state, 'state.json'), once));
  const { every: seconds, json = false } = options;
  return seconds === undefined ? locked() : repeatForever(io, { seconds, json }, locked);
}

async function monitorOptions(io: Io, { url, watch }: Watched, options: Options): Promise<MonitorOptions> {
  const { mirrors: others } = options.settings;
  const file = trustFile(options);
  const trust = file === undefined ? undefined : await loadTrust(io, file);
  const isOther = (source: string) => withoutSlash(source) !== withoutSlash(url);
  const mirrors = [...new Set(others ?? trust?.sources ?? [])].filter(isOther);
  assertAddresses([url, ...mirrors]);
  const { since } = options;
  return {
    url,
    mirrors,
    trust,
    watch,
    folder: options.state,
    sinceMs: since === undefined ? undefined : duration('--since', since),
    maxBehindMs: options.maxBehind * 1000,
    timeoutMs: options.roundTimeout * 1000,
  };
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');

/** Exit code if a watched issuer has changed, and nothing is wrong. */
const WATCHED_ISSUER_CHANGED = 5;

/** Alarms come first, then changes, then what could not be checked. */
function exitCodeOf({ findings }: RoundReport): number {
  const has = (severity: string) => findings.some((found) => found.severity === severity);
  if (has('alarm')) return 1;
  if (has('change')) return WATCHED_ISSUER_CHANGED;
  return findings.some(isUnchecked) ? 4 : 0;
}

const MARKS = { alarm: 'ALARM  ', change: 'CHANGE ', warning: 'WARNING', note: 'note   ' } as const;

/** The number of findings of each severity to print. A publication can change thousands of issuers. */
const MAX_LINES = 20;

/** Prints the report of a round of the monitor for people. */
function writeRound(output: Output, { at, log, hosts, findings }: RoundReport): void {
  for (const severity of SEVERITIES) {
    const some = findings.filter((found) => found.severity === severity);
    for (const found of some.slice(0, MAX_LINES)) writeLine(output, lineOf(found));
    if (some.length > MAX_LINES)
      writeLine(output, `${MARKS[severity]} and ${grouped(some.length - MAX_LINES)} more`);
  }
  const alarms = findings.filter(({ severity }) => severity === 'alarm').length;
  const what =
    log === null
      ? 'no log could be read'
      : `${log.origin}, ${count(log.size, 'entry', 'entries')}, ${grouped(log.added)} new, ${count(hosts.length, 'host')}`;
  const parts = [`monitor ${at}: ${what}`];
  if (alarms > 0) parts.push(count(alarms, 'alarm'));
  else if (log !== null) parts.push('no alarm');
  writeLine(output, parts.join(', '));
}

function lineOf({ severity, code, host, message }: Finding): string {
  return `${MARKS[severity]} ${code}: ${host === undefined ? '' : `${host} `}${message}`;
}
