import { join } from 'node:path';
import type { Command } from 'commander';
import { withOutputLock } from '../../generator/files/output-lock.js';
import { addToFeed } from '../../observers/monitoring/feed.js';
import { isUnchecked } from '../../observers/monitoring/finding.js';
import { monitorOnce, type RoundReport } from '../../observers/monitoring/monitor.js';
import type { KnownLog, MonitorOptions } from '../../observers/monitoring/round.js';
import { loadState, saveState } from '../../observers/monitoring/state-folder.js';
import { JSON_OPTION } from '../options/add-options.js';
import { DAY_SECONDS, maxAgeOption } from '../options/max-age-option.js';
import type { WithSettings } from '../options/settings.js';
import { loadTrust, TRUST_OPTION } from '../options/trust-option.js';
import { duration, positiveNumber } from '../options/values.js';
import { assertAddresses } from '../options/where.js';
import type { Invocation, Io } from '../terminal/io.js';
import { emit } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { sayRound } from '../terminal/say-round.js';
import { repeatForever } from '../terminal/watch.js';

interface Options extends WithSettings {
  watch?: string[];
  state?: string;
  since?: string;
  pendingAfter: string;
  maxAge: number;
  timeout: string;
  every?: string;
  feed?: string;
  json?: true;
}

/** `passport-registry monitor` */
export function declareMonitor(command: Command, io: Invocation): void {
  command
    .description('follow the public log of a registry, and tell what is wrong or has changed')
    .argument('<url>', 'URL of the registry')
    .addOption(TRUST_OPTION)
    .option('--mirror <url...>', 'URLs of its mirrors (default: the other sources of the trust anchor)')
    .option('--watch <id...>', 'issuers whose changes end with exit code 5')
    .option('--state <dir>', 'folder of what earlier rounds have seen, which the next round continues')
    .option('--since <duration>', 'without earlier rounds: tell the changes of this time, such as 2d')
    .option('--pending-after <duration>', 'how long a publication may be in the log, but not published', '1d')
    .addOption(maxAgeOption('cosignatures'))
    .option('--timeout <seconds>', 'time limit of a round', '600')
    .option('--every <seconds>', 'keep running, and check again after this time')
    .option('--feed <file>', 'add alarms and changes to an Atom feed')
    .addOption(JSON_OPTION)
    .action((url: string, options: Options) =>
      run(io, options.json === true, () => monitor(io, url, options)),
    );
}

async function monitor(io: Invocation, url: string, options: Options): Promise<number> {
  const chosen = await monitorOptions(io, url, options);
  const { state } = options;
  let inMemory: KnownLog | undefined;
  const once = async () => {
    const { report, known } = await monitorOnce(
      chosen,
      state === undefined ? inMemory : await loadState(state),
    );
    if (options.feed !== undefined) addToFeed(options.feed, url, report);
    if (options.json) emit(io, { ok: exitCodeOf(report) === 0, ...report });
    sayRound(io, report);
    // Last: a monitor that is killed before has told nothing, or tells it again.
    inMemory = known;
    if (state !== undefined && known !== undefined) saveState(state, known);
    return exitCodeOf(report);
  };
  const locked = () => (state === undefined ? once() : withOutputLock(join(state, 'state.json'), once));
  if (options.every === undefined) return locked();
  const seconds = positiveNumber('--every', options.every);
  return repeatForever(io, { seconds, json: options.json === true }, locked);
}

async function monitorOptions(io: Io, url: string, options: Options): Promise<MonitorOptions> {
  const { root_key: rootKey, mirrors: others } = options.settings;
  const trust = rootKey === undefined ? undefined : await loadTrust(io, rootKey);
  const isOther = (source: string) => withoutSlash(source) !== withoutSlash(url);
  const mirrors = [...new Set(others ?? trust?.sources ?? [])].filter(isOther);
  assertAddresses([url, ...mirrors]);
  const { since, watch = [] } = options;
  return {
    ...{ url, mirrors, trust, watch, folder: options.state },
    sinceMs: since === undefined ? undefined : duration('--since', since),
    pendingAfterMs: duration('--pending-after', options.pendingAfter),
    maxAgeMs: options.maxAge * DAY_SECONDS * 1000,
    timeoutMs: positiveNumber('--timeout', options.timeout) * 1000,
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
