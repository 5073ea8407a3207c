import { importRootKey } from '@passport-registry/verifier';
import { logTrustOf, parseStrictJson, readList } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected, UsageError } from '../../generator/errors.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type CheckedHost, checkHost } from './check-host.js';
import { type Finding, type FindingCode, finding, SEVERITIES } from './finding.js';
import { followHost } from './follow-host.js';
import { followAbout, followHold } from './follow-issuers.js';
import { type HostView, readView } from './host-view.js';
import { MonitoredHost } from './monitored-host.js';
import { type KnownLog, type MonitorOptions, nothingKnown, type Round } from './round.js';

/** The report of one round. */
export interface RoundReport {
  /** When the round began, RFC 3339. */
  readonly at: string;
  /** The log that is known now. Null if none could be read. */
  readonly log: { readonly origin: string; readonly size: number; readonly added: number } | null;
  /** The number of entries of the newest head that each host shows. Null if it shows none. */
  readonly hosts: readonly { readonly url: string; readonly size: number | null }[];
  /** Most urgent first. */
  readonly findings: readonly Finding[];
}

/** A round, and what the next one continues. */
interface MonitoredRound {
  readonly report: RoundReport;
  /** Undefined if no log could be read, now or before. */
  readonly known: KnownLog | undefined;
}

/**
 * Monitors a registry once: follows its log on every host, verifies every new entry, its statement and its list, and compares
 * what the hosts publish with the log (rule log-audit).
 *
 * @param known - what the round before returned. Undefined begins anew
 * @throws {@link UsageError} if `known` belongs to another root key; {@link IoFailed} if evidence cannot be kept
 */
export async function monitorOnce(
  options: MonitorOptions,
  known: KnownLog | undefined,
): Promise<MonitoredRound> {
  const now = Date.now();
  const hosts = monitoredHosts(options);
  const logTrust = options.trust && logTrustOf(options.trust.log);
  if (known !== undefined) assertSameRegistry(known, options);
  const views = await Promise.all(hosts.map((host) => readView(host)));
  const before = known ? withPinned(known, options) : await firstKnown(options, views[0]);
  const round: Round = { options, hosts, before, now, logTrust, findings: [], log: before, isComplete: true };
  // First the log grows, from whatever host. Then each host is compared with all of it.
  for (const one of views) await followHost(one, round);
  const checked: CheckedHost[] = [];
  for (const one of views) checked.push(await checkTwice(one, round));
  const hold = await followHold(views, round);
  const about = await followAbout(round);
  return finish(round, checked, { hold, about });
}

/** What an old file in a cache, or a publication during the reading, can also cause. */
const CAUSED_BY_CACHES: readonly FindingCode[] = [
  'log-missing',
  'log-shrunk',
  'log-damaged',
  'head-not-signed',
  'proof-invalid',
  'too-few-cosignatures',
  'cosignatures-too-old',
];

/**
 * Checks a host. If that raises an alarm, reads the registry and the host again, past caches, and checks again what caches
 * can cause. What they cannot cause stays an alarm: a host that shows others a false file could show the monitor a good
 * one.
 */
async function checkTwice(seen: HostView, round: Round): Promise<CheckedHost> {
  const first = await checkHost(seen, round);
  if (first.findings.every(({ severity }) => severity !== 'alarm')) return first;
  const hosts = new Set([...round.hosts.slice(0, 1), seen.host]);
  const fresh = await Promise.all([...hosts].map((host) => readView(host, `monitor=${round.now}`)));
  for (const one of fresh) await followHost(one, round);
  const second = await checkHost(fresh.at(-1) ?? seen, round);
  // The log may have grown.
  const again = await checkHost(seen, round);
  const isWrong = ({ code }: Finding) =>
    !CAUSED_BY_CACHES.includes(code) || second.findings.some((found) => found.code === code);
  const others = second.findings.filter(({ code }) => !CAUSED_BY_CACHES.includes(code));
  return { ...again, findings: [...again.findings.filter(isWrong), ...others] };
}

/** The share of the time limit that mirrors have, so that mirrors which hang leave time for the registry. */
const MIRROR_SHARE = 1 / 3;

function monitoredHosts({ url, mirrors, timeoutMs }: MonitorOptions): readonly MonitoredHost[] {
  const mirrorSignal = AbortSignal.timeout(Math.ceil(timeoutMs * MIRROR_SHARE));
  return [
    new MonitoredHost(url, false, AbortSignal.timeout(timeoutMs)),
    ...mirrors.map((mirror) => new MonitoredHost(mirror, true, mirrorSignal)),
  ];
}

/** Returns what is known before the first round: the pinned root key, or else the one that the registry shows. */
async function firstKnown({ url, trust }: MonitorOptions, view: HostView | undefined): Promise<KnownLog> {
  if (trust !== undefined) return nothingKnown(trust.rootKey);
  const bytes = view?.files.get(PATHS.rootKey);
  if (bytes === undefined) {
    throw new IoFailed(view?.problem ?? `${url} has no ${PATHS.rootKey}: check the URL`);
  }
  try {
    return nothingKnown(await importRootKey(parseStrictJson(bytes)));
  } catch (cause) {
    throw new TreeRejected(`${PATHS.rootKey} of ${url} is not a root key: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** The trust anchor of this round may commit the pinned key, although the one of the first round did not. */
function withPinned(known: KnownLog, { trust }: MonitorOptions): KnownLog {
  const pinned = trust?.rootKey;
  if (pinned?.nextRoots === undefined) return known;
  return {
    ...known,
    state: {
      ...known.state,
      roots: known.state.roots.map((root) =>
        root.thumbprint === pinned.thumbprint ? { ...root, nextRoots: pinned.nextRoots } : root,
      ),
    },
  };
}

/** @throws {@link UsageError} if what is known belongs to another registry */
function assertSameRegistry({ state: { roots } }: KnownLog, { trust, folder }: MonitorOptions): void {
  if (trust === undefined) return;
  const { thumbprint: pinned, nextRoots } = trust.rootKey;
  const index = roots.findIndex(({ thumbprint }) => thumbprint === pinned);
  if (index === -1) {
    throw new UsageError(
      `${folder} belongs to a registry with the root key ${roots[0]?.thumbprint}, not ${pinned}: use another folder`,
    );
  }
  const next = roots[index + 1]?.thumbprint;
  if (next !== undefined && nextRoots?.includes(next) === false) {
    throw new UsageError(
      `${folder} has followed the root key ${pinned} to ${next}, which is not in next_roots of the trust anchor: ask the operator`,
    );
  }
}

/** Equal findings have equal keys. A host that cannot be read is reported once. */
function keyOf({ code, host = '', message }: Finding): string {
  return code === 'host-unreadable' ? `${code}\n${host}` : `${code}\n${host}\n${message}`;
}

function finish(
  round: Round,
  checked: readonly CheckedHost[],
  known: Pick<KnownLog, 'hold' | 'about'>,
): MonitoredRound {
  const { hosts, before, log, now } = round;
  const findings = [
    ...round.findings,
    ...checked.flatMap((one) => one.findings),
    ...notPinned(round),
    ...unknownIssuers(round),
  ];
  const { head } = log;
  const added = log.tree.size - before.tree.size;
  const report = {
    at: formatUpdatedAt(now),
    log: head === undefined ? null : { origin: head.origin, size: head.size, added },
    hosts: checked.map(({ size = null }, at) => ({ url: hosts[at]?.url ?? '', size })),
    findings: sorted(findings),
  };
  if (head === undefined) return { report, known: undefined };
  const behind = Object.fromEntries(
    checked.flatMap((one, at) => (one.behind === undefined ? [] : [[hosts[at]?.url, one.behind]])),
  );
  // The next round repeats what this one could not read.
  const followed = round.isComplete ? log : before;
  return { report, known: { ...followed, behind, ...known } };
}

/** Sorts findings by their severity, and leaves out repeated ones. */
function sorted(findings: readonly Finding[]): readonly Finding[] {
  const byKey = new Map<string, Finding>();
  for (const found of findings) if (!byKey.has(keyOf(found))) byKey.set(keyOf(found), found);
  return SEVERITIES.flatMap((level) => [...byKey.values()].filter(({ severity }) => severity === level));
}

function notPinned({ options: { trust, url }, before }: Round): Finding[] {
  if (trust !== undefined || before.head !== undefined) return [];
  const message = `no --trust-anchor was given, so the root key ${before.state.roots[0]?.thumbprint} of ${url} is trusted`;
  return [finding('root-key-not-pinned', message)];
}

function unknownIssuers({ log: { list }, options: { watch } }: Round): Finding[] {
  if (list === undefined || watch.length === 0) return [];
  const ids = new Set(readList(list.bytes).issuers.map(({ issuer_id }) => issuer_id));
  return watch
    .filter((id) => !ids.has(id))
    .map((id) => finding('watched-issuer-unknown', `${id} is not in the list`, { issuer_id: id }));
}
