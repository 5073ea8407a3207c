import {
  forEachConcurrent,
  type IndexedEntry,
  type LogProblem,
  type LogState,
  type VerifiedEntry,
  walkLog,
} from '@passport-registry/verifier/core';
import { namesIn } from '../../generator/freshness/online-keys.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { CONCURRENCY } from '../../generator/verification/ask-host.js';
import { entryIsUnknown, haveClaims, unknownClaims } from '../../generator/verification/unknown-parts.js';
import { type Finding, finding } from './finding.js';
import { type MonitoredHost, readLoggedStatement } from './monitored-host.js';
import type { KnownLog, KnownPublication } from './round.js';

/** How many statements are in memory at a time. */
const BATCH = 256;

/** The new entries of a log, and how to read their statements. */
interface Growth {
  readonly entries: readonly IndexedEntry[];
  /** The hosts to ask for the statements, in order. */
  readonly hosts: readonly MonitoredHost[];
  /** Publications before this entry are not verified: they are history. */
  readonly from: number;
  /** Changes are told from this entry on. It can be after the end. */
  readonly told: number;
}

/** What the new entries of a log lead to. */
interface VerifiedGrowth {
  readonly state: LogState;
  /** The verified publications, oldest first. */
  readonly publications: readonly KnownPublication[];
  /** Whether every statement could be read. */
  readonly isComplete: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Verifies the statements of new entries in order: the root key of the time has signed each of them, the entry says what
 * the statement says, and the statement may follow the one before.
 *
 * @throws {@link IoFailed} if no host responds
 */
export async function verifyEntries(known: KnownLog, growth: Growth): Promise<VerifiedGrowth> {
  const { entries, from } = growth;
  const { start, findings } = firstVerifiable(known, growth);
  const isWanted = ({ index, entry }: IndexedEntry) =>
    index >= start && (index >= from || entry.type === 'rotation');
  const publications: KnownPublication[] = [];
  let { state } = known;
  let isComplete = true;
  for (let at = 0; at < entries.length; at += BATCH) {
    const batch = entries.slice(at, at + BATCH);
    const wanted = batch.filter(isWanted);
    const statements = await readStatements(wanted, growth.hosts);
    const missing = wanted.filter(({ index }) => !statements.has(index));
    isComplete &&= missing.length === 0;
    findings.push(...missing.map(missingFinding));
    const walk = await walkLog(
      state,
      batch.map(({ index, entry }) => ({ entry, statement: statements.get(index) })),
    );
    state = walk.state;
    for (const problem of walk.problems) {
      const indexed = batch.find(({ index }) => index === problem.index) as IndexedEntry;
      findings.push(problemFinding(problem, typeOf(indexed)));
    }
    for (const said of walk.verified) {
      findings.push(...saidFindings(said, state));
      if (said.type !== 'publication') continue;
      const publication = { ...said.publication, index: said.index };
      findings.push(...onlineFindings(publication, publications.at(-1) ?? known.publication));
      publications.push(publication);
    }
  }
  return { state, publications, isComplete, findings };
}

/**
 * Returns the first entry that the pinned root key can verify. A user may pin a root key to which a rotation has led. The
 * keys before it are unknown then. If that hides changes which the user has asked for, this is no success.
 */
function firstVerifiable(
  { state: { roots }, entries: before }: KnownLog,
  { entries, from, told }: Growth,
): { readonly start: number; readonly findings: Finding[] } {
  const pinned = roots[0]?.thumbprint;
  const step = entries.findIndex(({ entry }) => entry.type === 'rotation' && entry.next === pinned);
  if (before.length > 0 || step === -1) return { start: 0, findings: [] };
  const start = step + 1;
  const message = `${start} entries are older than the pinned root key, which cannot verify them`;
  const isNeeded = ({ index, entry }: IndexedEntry) => index >= from && entry.type === 'publication';
  const isHidden = told < entries.length && entries.slice(0, start).some(isNeeded);
  const found = isHidden
    ? finding(
        'changes-not-verified',
        `${message}: pass a trust anchor of that time with --trust-anchor to be told of their changes`,
        { entries: start },
      )
    : finding('entries-not-verified', message, { entries: start });
  return { start, findings: [found] };
}

/** Reads the statements of entries. Those that no host has are left out. */
async function readStatements(
  entries: readonly IndexedEntry[],
  hosts: readonly MonitoredHost[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const found = new Map<number, Uint8Array>();
  await forEachConcurrent(entries, CONCURRENCY, async ({ index, entry: { sha256 } }) => {
    const bytes = await readLoggedStatement(hosts, index, sha256);
    if (bytes !== undefined) found.set(index, bytes);
  });
  return found;
}

const typeOf = ({ entry }: IndexedEntry) => (entry.type === 'unknown' ? entry.named : entry.type);

function missingFinding(indexed: IndexedEntry): Finding {
  const path = PATHS.loggedStatement(indexed.index);
  const message = `no host that answers has ${path}, the statement of a ${typeOf(indexed)}`;
  return finding('statement-missing', message, { entry: indexed.index });
}

/** @param type - of the entry */
function problemFinding({ kind, index, message }: LogProblem, type: string): Finding {
  if (kind === 'order')
    return finding('statement-out-of-order', `entry ${index}: ${message}`, { entry: index });
  const what = `entry ${index}, a ${type}, is not signed by the root key: ${message}`;
  return finding('entry-not-signed', what, { entry: index });
}

/** Returns what a verified statement says. @param log - the state of the log after it, or later */
function saidFindings(said: VerifiedEntry, log: LogState): Finding[] {
  const { index, statement } = said;
  const claims = unknownClaims(statement);
  const what = `the statement of entry ${index} ${haveClaims(claims)}`;
  const newer = claims.length === 0 ? [] : [finding('claim-unknown', what, { entry: index, claims })];
  return [...newer, ...contentFindings(said, log)];
}

/** Reports which keys may sign checkpoints from a publication on, if the publication before named others. */
function onlineFindings(
  { index: entry, sequence, online }: KnownPublication,
  before: KnownPublication | undefined,
): Finding[] {
  const keys = online === undefined ? [] : namesIn(online);
  const known = before?.online === undefined ? [] : namesIn(before.online);
  const isSame = String(keys) === String(known) && online?.mayHold === before?.online?.mayHold;
  if (isSame) return [];
  const may = online?.mayHold === true ? 'sign checkpoints and hold issuers' : 'sign checkpoints';
  const until = online && formatUpdatedAt(online.expiresAt);
  const says =
    until === undefined
      ? 'names no online keys any more'
      : `lets ${keys.join(' and ')} ${may} until ${until}`;
  const message = `entry ${entry}: publication ${sequence} ${says}`;
  return [finding('online-keys-changed', message, { entry, keys, until })];
}

function contentFindings(said: VerifiedEntry, { keys }: LogState): Finding[] {
  const { index: entry, statement } = said;
  switch (said.type) {
    case 'publication': {
      const { vkey } = keys.slice(1).find(({ from }) => from === entry + 1) ?? {};
      if (vkey === undefined) return [];
      const what = `publication ${said.publication.sequence} names another key of the log, ${vkey}`;
      return [finding('log-key-changed', `entry ${entry}: ${what}`, { entry, vkey })];
    }
    case 'rotation': {
      const from = statement.kid;
      const to = said.next.thumbprint;
      const what = `a rotation step replaces the root key ${from} with ${to}`;
      return [finding('rotation-logged', `entry ${entry}: ${what}`, { entry, from, to })];
    }
    case 'unknown': {
      const what = `entry ${entry} ${entryIsUnknown(said.named)}`;
      return [finding('entry-unknown', what, { entry, type: said.named })];
    }
  }
}
