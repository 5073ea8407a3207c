import { LoggedRegistry } from './logged-registry.js';
import { type Files, testKey } from './publication.js';
import { type RegistryHost, registryHost } from './registry-host.js';
import { type NoteSigner, TestLog } from './test-log.js';
import { cli, type Outcome, temporaryFolder, writeFiles } from './workspace.js';

/** A finding in the report of the monitor. */
interface ReportedFinding {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly host?: string;
  readonly [more: string]: unknown;
}

/** A round of the monitor. */
interface ReportedRound extends Outcome {
  readonly report: {
    readonly ok: boolean;
    readonly log: { readonly origin: string; readonly size: number; readonly added: number } | null;
    readonly hosts: readonly { readonly url: string; readonly size: number | null }[];
    readonly findings: readonly ReportedFinding[];
  };
  /** The codes of alarms, changes and warnings, with the number of the host. */
  readonly told: readonly string[];
}

/** A registry on some hosts, and a folder for monitors. */
export interface MonitoredHosts {
  readonly folder: string;
  /** The registry first, then its mirrors. */
  readonly hosts: readonly RegistryHost[];
  /** Runs a round. The arguments follow `monitor` and its hosts. */
  monitor(...args: string[]): Promise<ReportedRound>;
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
  anchor: object = {},
): Promise<MonitoredHosts> {
  const folder = temporaryFolder();
  const hosts: RegistryHost[] = [];
  for (let index = 0; index < count; index++) hosts.push(await registryHost(copyOf(world.files)));
  writeFiles(folder, { 'anchor.json': JSON.stringify({ root: world.root.rootKey.jwk, ...anchor }) });
  const [origin, ...mirrors] = hosts.map(({ base }) => base);
  const fixed = ['monitor', origin ?? '', ...mirrors.flatMap((url) => ['--mirror', url]), '--json'];
  return {
    folder,
    hosts,
    monitor: async (...args) => {
      const trust =
        args.includes('--trust-anchor') || args.includes('--no-trust-anchor')
          ? []
          : ['--trust-anchor', 'anchor.json'];
      const given = args.filter((arg) => arg !== '--no-trust-anchor');
      // The registries of tests have begun some hours ago.
      const lag = args.includes('--max-behind') ? [] : ['--max-behind', '86400'];
      const outcome = await cli([...fixed, ...trust, ...lag, ...given], folder);
      return { ...outcome, report: JSON.parse(outcome.stdout), told: toldIn(outcome, hosts) };
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

function toldIn({ stdout }: Outcome, hosts: readonly RegistryHost[]): string[] {
  const { findings = [] } = JSON.parse(stdout) as { findings?: readonly ReportedFinding[] };
  const numberOf = (url: string | undefined) => hosts.findIndex(({ base }) => base === url);
  return findings
    .filter(({ severity }) => severity !== 'note')
    .map(({ code, host }) => (host === undefined ? code : `${code} ${numberOf(host)}`));
}
