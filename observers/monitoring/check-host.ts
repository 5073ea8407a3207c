import {
  COSIGNATURE_AGE_MS,
  hasCode,
  recentCosignatures,
  verifyPublicationProof,
} from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { readPublicationStatement } from '../../generator/freshness/statements.js';
import { clockAt, formatUpdatedAt } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type Finding, finding } from './finding.js';
import { followHost } from './follow-host.js';
import { type HostView, headsOf, PROOF, unreadable } from './host-view.js';
import { readLoggedStatement } from './monitored-host.js';
import { type Behind, newestIndex, type Round } from './round.js';
import { compareWithLog, publishedIndex } from './shown-publication.js';

/** What is wrong with a host. */
export interface CheckedHost {
  readonly findings: readonly Finding[];
  /** Undefined if the host publishes the newest publication. */
  readonly behind: Behind | undefined;
  /** The number of entries of the newest head that the host shows. Undefined if it shows none. */
  readonly size: number | undefined;
}

/**
 * Checks what a host shows against the log that is known: its heads are consistent with the log, everything that it
 * publishes is in the log, it is not behind the log, and the proof is what verifiers demand.
 */
export async function checkHost(view: HostView, round: Round): Promise<CheckedHost> {
  const { host, problem } = view;
  const findings: Finding[] = problem === undefined ? [] : [unreadable(host, problem)];
  findings.push(...(await followHost(view, round)));
  const size = headsOf(view).heads.find(({ place }) => place === PATHS.logHead)?.head.size;
  findings.push(...shrunk(view, size, round));
  if (round.log.publication === undefined) return { findings, behind: undefined, size };
  const shown = await compareWithLog(view, round.log);
  const behind = await behindOf(view, shown.index, round);
  findings.push(
    ...shown.findings,
    ...tooFarBehind(view, behind, round),
    ...(await proofFindings(view, round)),
  );
  return { findings, behind, size };
}

/** A mirror may be behind. The registry itself has shown more entries before, or has shown them to a mirror. */
function shrunk({ host: { url, isMirror } }: HostView, size: number | undefined, { log }: Round): Finding[] {
  if (isMirror || size === undefined || size >= log.tree.size) return [];
  const message = `the log has shrunk: its head has ${size} entries, but a signed head with ${log.tree.size} entries is known`;
  return [finding('log-shrunk', message, { host: url })];
}

/** Returns since when a host is behind the log. */
async function behindOf(
  { host: { url } }: HostView,
  index: number | undefined,
  round: Round,
): Promise<Behind | undefined> {
  const { log, before, now } = round;
  const earlier = before.behind[url];
  if (index === undefined) return earlier;
  if (index >= newestIndex(log.entries)) return undefined;
  if (earlier?.index === index) return earlier;
  // Without an earlier round, the statement that the host lacks tells when it was signed.
  return { index, since: before.head === undefined ? ((await signedAfter(index, round)) ?? now) : now };
}

/** Returns when the first publication after an entry was signed. Undefined if its statement cannot be read. */
async function signedAfter(index: number, { log: { entries }, hosts }: Round): Promise<number | undefined> {
  const next = entries.findIndex(({ type }, at) => at > index && type === 'publication');
  try {
    const statement = await readLoggedStatement(hosts, next, entries[next]?.sha256 ?? '');
    return statement && readPublicationStatement(statement).issuedAt;
  } catch (error) {
    if (error instanceof IoFailed || error instanceof TreeRejected) return undefined;
    throw error;
  }
}

function tooFarBehind(
  { host: { url } }: HostView,
  behind: Behind | undefined,
  { log, now, options }: Round,
): Finding[] {
  if (behind === undefined || now - behind.since <= options.maxBehindMs) return [];
  const sequenceOf = (index: number) => {
    const entry = log.entries[index];
    return entry?.type === 'publication' ? `publication ${entry.sequence}` : 'no publication';
  };
  const newest = sequenceOf(newestIndex(log.entries));
  const message = `${newest} is in the log, but the host serves ${sequenceOf(behind.index)} since ${formatUpdatedAt(behind.since)}`;
  return [finding('host-behind', message, { host: url })];
}

/** Verifies the proof that the publication of a host is logged, as a verifier does that has the same trust anchor. */
async function proofFindings(view: HostView, round: Round): Promise<Finding[]> {
  const { host, files, statements } = view;
  const { log, logTrust, now } = round;
  const isLogged = publishedIndex(view, log.entries) !== -1;
  if (statements === undefined || !isLogged || files.get(PATHS.logHead) === undefined) return [];
  const recent = recentCosignatures(clockAt(now), COSIGNATURE_AGE_MS);
  const trust = logTrust ?? { origin: log.head?.origin ?? '', witnesses: [], quorum: 0 };
  const verify = async (since: number) => {
    const publication = readPublicationStatement(statements.publication);
    return verifyPublicationProof(statements.logProof, publication, { ...trust, ...recent, since });
  };
  const tell = (code: 'proof-invalid' | 'too-few-cosignatures' | 'cosignatures-too-old', message: string) => [
    finding(code, `${PROOF}: ${message}`, { host: host.url }),
  ];
  try {
    await verify(recent.since);
    return [];
  } catch (error) {
    if (hasCode(error, 'ERR_NOT_LOGGED') || error instanceof TreeRejected)
      return tell('proof-invalid', error.message);
    if (!hasCode(error, 'ERR_TOO_FEW_COSIGNATURES')) throw error;
    const old = await verify(Number.NEGATIVE_INFINITY).catch(() => undefined);
    if (old === undefined) return tell('too-few-cosignatures', error.message);
    const time = formatUpdatedAt(old.witnessedAt ?? 0);
    return tell('cosignatures-too-old', `the quorum is of ${time}, and verifiers refuse the list`);
  }
}
