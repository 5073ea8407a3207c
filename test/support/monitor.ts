import { join } from 'node:path';
import type { TrustAnchor } from '@passport-registry/verifier';
import { pinnedAnchor } from '../../build/generator/verification/pinned-trust.js';
import { type Finding, isUnchecked } from '../../build/observers/monitoring/finding.js';
import { monitorOnce, type RoundReport } from '../../build/observers/monitoring/monitor.js';
import type { KnownLog, MonitorOptions } from '../../build/observers/monitoring/round.js';
import { loadState, saveState } from '../../build/observers/monitoring/state-folder.js';
import { LoggedRegistry } from './logged-registry.js';
import { type Files, testKey } from './publication.js';
import { type RegistryHost, registryHost } from './registry-host.js';
import { type NoteSigner, TestLog } from './test-log.js';
import { cli, type Outcome, temporaryFolder, writeFiles } from './workspace.js';

export type { RoundReport };

const DAY_MS = 24 * 3_600_000;

/** What a test chooses about a round. By default, no issuer is watched, and a host may be behind for a day. */
type RoundOptions = Partial<Pick<MonitorOptions, 'watch' | 'sinceMs' | 'maxBehindMs' | 'timeoutMs'>> & {
  /** Null pins nothing. Default: the trust anchor of the hosts. */
  readonly anchor?: TrustAnchor | null;
};

/** A round of a monitor. */
interface MonitoredRound {
  readonly report: RoundReport;
  /**
   * The findings that are more than notes, most urgent first, such as `alarm not-logged host 0 issuers.json`: how urgent,
   * the code, then the number of the host, the number of the entry and the file, if the finding names them.
   */
  readonly told: readonly string[];
}

/** A registry on some hosts, and the folder of a monitor. */
export interface MonitoredHosts {
  /** Has `anchor.json`, and `state` after a round. */
  readonly folder: string;
  /** The registry first, then its mirrors. */
  readonly hosts: readonly RegistryHost[];
  /** Runs a round that continues what the folder has, and saves it there. */
  round(options?: RoundOptions): Promise<MonitoredRound>;
  /** Runs the first round of a monitor without a folder. */
  firstRound(options?: RoundOptions): Promise<MonitoredRound>;
  /** Runs the command. The arguments follow `monitor`, its hosts, `--trust-anchor anchor.json` and `--max-behind 86400`. */
  monitor(...args: string[]): Promise<Outcome>;
}

/**
 * Creates a registry with two issuers, and publishes it. Its witnesses cosign now.
 *
 * @param hoursAgo - the time of its first list
 */
export async function loggedWorld(
  witnesses: readonly NoteSigner[] = [],
  hoursAgo = 24,
): Promise<LoggedRegistry> {
  const world = new LoggedRegistry(await testKey(), new TestLog(), witnesses);
  world.now = Date.now() - hoursAgo * 3_600_000;
  world.cosignedAt = Date.now();
  await world.publish();
  return world;
}

/** Creates such a registry, and serves it on some hosts. */
export async function monitoredWorld(
  count = 1,
): Promise<MonitoredHosts & { readonly world: LoggedRegistry }> {
  const world = await loggedWorld();
  return { world, ...(await monitoredHosts(world, count)) };
}

/** Serves a registry on some hosts. Each has its own files. */
export async function monitoredHosts(
  world: LoggedRegistry,
  count = 1,
  more: Partial<TrustAnchor> = {},
): Promise<MonitoredHosts> {
  const folder = temporaryFolder();
  const hosts: RegistryHost[] = [];
  for (let index = 0; index < count; index++) hosts.push(await registryHost(copyOf(world.files)));
  const pinned: TrustAnchor = { root: world.root.rootKey.jwk, ...more };
  writeFiles(folder, { 'anchor.json': JSON.stringify(pinned) });
  const [url = '', ...mirrors] = hosts.map(({ base }) => base);
  const after = async (
    known: KnownLog | undefined,
    state: string | undefined,
    { anchor = pinned, ...options }: RoundOptions = {},
  ) => {
    const usual = { watch: [], sinceMs: undefined, maxBehindMs: DAY_MS, timeoutMs: 600_000 };
    const trust = anchor === null ? undefined : await pinnedAnchor(anchor);
    const round = await monitorOnce({ url, mirrors, folder: state, trust, ...usual, ...options }, known);
    return { ...round, told: toldIn(round.report, hosts) };
  };
  const state = join(folder, 'state');
  return {
    folder,
    hosts,
    round: async (options) => {
      const { known, ...round } = await after(await loadState(state), state, options);
      if (known !== undefined) saveState(state, known);
      return round;
    },
    firstRound: (options) => after(undefined, undefined, options),
    monitor: (...args) => {
      const asked = [url, ...mirrors.flatMap((mirror) => ['--mirror', mirror])];
      const trust = args.includes('--trust-anchor') ? [] : ['--trust-anchor', 'anchor.json'];
      return cli(['monitor', ...asked, ...trust, '--max-behind', '86400', ...args], folder);
    },
  };
}

/** Lets hosts serve the files of a registry as they are now. */
export function serveOn(world: LoggedRegistry, ...hosts: readonly (RegistryHost | undefined)[]): void {
  for (const host of hosts) if (host !== undefined) host.files = copyOf(world.files);
}

function copyOf(files: Files): Files {
  return new Map(files);
}

function toldIn({ findings }: RoundReport, hosts: readonly RegistryHost[]): string[] {
  const toldOf = (found: Finding) => {
    const { severity, code, host, entry, file } = found;
    const told = [isUnchecked(found) ? 'unchecked' : severity, code];
    if (host !== undefined) told.push(`host ${hosts.findIndex(({ base }) => base === host)}`);
    if (entry !== undefined) told.push(`entry ${entry}`);
    if (file !== undefined) told.push(String(file));
    return told.join(' ');
  };
  return findings.filter(({ severity }) => severity !== 'note').map(toldOf);
}
