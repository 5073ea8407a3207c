import { RegistryError } from '@passport-registry/verifier';
import { type AnyEntry, forEachConcurrent } from '@passport-registry/verifier/internal';
import { TreeRejected } from '../../generator/errors.js';
import { PATHS } from '../../generator/tree/paths.js';
import { CONCURRENCY } from '../../generator/verification/ask-host.js';
import { finding, type Report } from './finding.js';
import type { NewEntry } from './follow-head.js';
import type { KnownLog, KnownPublication } from './known-log.js';
import { type MonitoredHost, readFromAny } from './monitored-host.js';
import { passUnverified, type StatedEntry, type Trail, trailOf, verifyStated } from './statement-trail.js';

/** How many statements are in memory at a time. */
const BATCH = 256;

/** The new entries of a log, and how to read their statements. */
export interface Growth {
  readonly entries: readonly NewEntry[];
  /** The hosts to ask for the statements, in order. */
  readonly hosts: readonly MonitoredHost[];
  /** Publications and delegations before this entry are not verified: they are history. */
  readonly from: number;
  /** Changes are told from this entry on. It can be after the end. */
  readonly told: number;
  readonly report: Report;
}

/** What the new entries of a log lead to. */
export interface VerifiedGrowth {
  readonly trail: Trail;
  /** The verified publications, oldest first. */
  readonly publications: readonly KnownPublication[];
  /** Whether every statement could be read. */
  readonly isComplete: boolean;
}

/**
 * Verifies the statements of new entries in order: the root key of the time has signed each of them, the entry says what
 * the statement says, and the statement may follow the one before.
 *
 * @throws {@link IoFailed} if no host responds
 */
export async function verifyEntries(known: KnownLog, growth: Growth): Promise<VerifiedGrowth> {
  const { entries, from } = growth;
  const start = firstVerifiable(known, growth);
  const isWanted = ({ index, entry }: NewEntry) =>
    index >= start && (index >= from || entry.type === 'rotation');
  const publications: KnownPublication[] = [];
  let trail = trailOf(known);
  let isComplete = true;
  for (let at = 0; at < entries.length; at += BATCH) {
    const batch = entries.slice(at, at + BATCH);
    const statements = await readStatements(batch.filter(isWanted), growth.hosts);
    for (const one of batch) {
      const statement = statements.get(one.index);
      if (isWanted(one) && statement === undefined) isComplete = false;
      trail = await nextTrail({ ...one, statement }, { trail, growth, isWanted: isWanted(one) });
      const { publication } = trail;
      if (publication?.index === one.index) publications.push(publication);
    }
  }
  return { trail, publications, isComplete };
}

/**
 * Returns the first entry that the pinned root key can verify. A user may pin a root key to which a rotation has led. The
 * keys before it are unknown then. If that hides changes which the user has asked for, this is no success.
 */
function firstVerifiable(
  { roots, entries: before }: KnownLog,
  { entries, from, told, report }: Growth,
): number {
  const pinned = roots[0]?.thumbprint;
  if (before.length > 0) return 0;
  const step = entries.findIndex(({ entry }) => entry.type === 'rotation' && entry.next === pinned);
  if (step === -1) return 0;
  const start = step + 1;
  const message = `${start} entries are older than the pinned root key, which cannot verify them`;
  const isNeeded = ({ index, entry }: NewEntry) => index >= from && entry.type === 'publication';
  const isHidden = told < entries.length && entries.slice(0, start).some(isNeeded);
  if (isHidden) {
    const what = `${message}. Changes that should be told are among them: pass a trust anchor of that time with --root-key`;
    report(finding('changes-not-verified', what, { entries: start }));
  } else {
    report(finding('entries-not-verified', message, { entries: start }));
  }
  return start;
}

/** Reads the statements of entries. Those that no host has are left out. */
async function readStatements(
  entries: readonly NewEntry[],
  hosts: readonly MonitoredHost[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const found = new Map<number, Uint8Array>();
  await forEachConcurrent(entries, CONCURRENCY, async ({ index, entry: { sha256 } }) => {
    const bytes = await readFromAny(hosts, { paths: [PATHS.loggedStatement(index)], sha256 });
    if (bytes !== undefined) found.set(index, bytes);
  });
  return found;
}

/** An entry that is to be verified, if its statement could be read. */
interface Step {
  readonly trail: Trail;
  readonly growth: Growth;
  readonly isWanted: boolean;
}

const typeOf = (entry: AnyEntry) => (entry.type === 'unknown' ? entry.named : entry.type);

async function nextTrail(
  { statement, ...one }: NewEntry & { readonly statement: Uint8Array | undefined },
  { trail, growth: { report }, isWanted }: Step,
): Promise<Trail> {
  const { index, entry } = one;
  if (!isWanted) return passUnverified(trail, entry);
  if (statement === undefined) {
    const message = `no host that answers has ${PATHS.loggedStatement(index)}, the statement of a ${typeOf(entry)}`;
    report(finding('statement-missing', message, { entry: index }));
    return passUnverified(trail, entry);
  }
  try {
    // A JWT is ASCII. Bytes that are not ASCII become a statement that differs from its entry.
    const stated: StatedEntry = { ...one, statement: Buffer.from(statement).toString('latin1') };
    return await verifyStated(stated, trail, report);
  } catch (error) {
    if (!(error instanceof RegistryError || error instanceof TreeRejected)) throw error;
    const message = `entry ${index}, a ${typeOf(entry)}, is not signed by the root key: ${error.message}`;
    report(finding('entry-not-signed', message, { entry: index }));
    return passUnverified(trail, entry);
  }
}
