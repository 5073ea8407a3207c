import { importRootKey, type RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  entryBytes,
  type LogEntry,
  publicationEntry,
  readStatement,
  verifyDelegation,
  verifyPublicationStatement,
  verifyStatement,
} from '@passport-registry/verifier/internal';
import { TreeRejected } from '../errors.js';
import { formatUpdatedAt } from '../list/updated-at.js';
import { finding, type Report } from './finding.js';
import type { NewEntry } from './follow-head.js';
import { type KnownLog, type KnownPublication, knownPublication } from './known-log.js';

/** What the next statement of a log must continue. */
export interface Trail extends Pick<KnownLog, 'roots' | 'logKeys' | 'publication'> {
  /** SHA-256 of the newest publication statement, verified or not. */
  readonly previous: string | undefined;
  /** The `iat` of the newest delegation by the root key, in seconds since 1970. */
  readonly delegatedAt: number | undefined;
  /** The number of the newest rotation step. */
  readonly step: number | undefined;
}

/** Returns where a log ends. */
export function trailOf({ entries, roots, logKeys, publication }: KnownLog): Trail {
  const start: Trail = {
    ...{ roots, logKeys, publication },
    ...{ previous: undefined, delegatedAt: undefined, step: undefined },
  };
  return entries.reduce(passEntry, start);
}

/** Returns the trail after an entry whose statement is not verified. */
export function passEntry(trail: Trail, entry: LogEntry): Trail {
  if (entry.type === 'publication') return { ...trail, previous: entry.sha256 };
  if (entry.type === 'delegation') return { ...trail, delegatedAt: entry.iat };
  return { ...trail, step: entry.step, delegatedAt: undefined };
}

/** A new entry with its statement, whose hash has been verified. */
export interface StatedEntry extends NewEntry {
  readonly statement: string;
}

/**
 * Verifies the statement of an entry, and reports what it must not be.
 *
 * @returns the trail after the entry
 * @throws {@link RegistryError} | {@link TreeRejected} if the root key has not signed the statement, or if the entry says
 *   something else than the statement
 */
export async function verifyStated(stated: StatedEntry, trail: Trail, report: Report): Promise<Trail> {
  const { entry, index } = stated;
  const outOfOrder = (problem: string) =>
    report(finding('statement-out-of-order', `entry ${index}: ${problem}`, { entry: index }));
  switch (entry.type) {
    case 'publication': {
      const publication = await verifiedPublication(stated, trail);
      for (const problem of publicationProblems(publication, trail)) outOfOrder(problem);
      return { ...passEntry(trail, entry), publication, logKeys: withLogKey(publication, trail, report) };
    }
    case 'delegation': {
      const { keys, issuedAt, expiresAt } = await verifyDelegation(stated.statement, rootOf(trail), ANY_TIME);
      assertSays(entry, { ...entry, iat: Math.floor(issuedAt / 1000) });
      if (entry.iat < (trail.delegatedAt ?? 0)) outOfOrder('the delegation is older than the one before');
      const names = keys.map(({ thumbprint }) => thumbprint);
      const until = formatUpdatedAt(expiresAt);
      const what = `the root key has delegated to ${names.join(' and ')} until ${until}`;
      report(finding('delegation-logged', `entry ${index}: ${what}`, { entry: index, keys: names, until }));
      return passEntry(trail, entry);
    }
    case 'rotation': {
      const next = await verifiedRotation(stated, trail);
      if (trail.step !== undefined && entry.step !== trail.step + 1)
        outOfOrder(`rotation step ${entry.step} follows step ${trail.step}`);
      const from = rootOf(trail).thumbprint;
      const what = `rotation step ${entry.step} replaces the root key ${from} with ${next.thumbprint}`;
      report(
        finding('rotation-logged', `entry ${index}: ${what}`, { entry: index, from, to: next.thumbprint }),
      );
      return { ...passEntry(trail, entry), roots: [...trail.roots, next] };
    }
  }
}

const rootOf = ({ roots }: Pick<Trail, 'roots'>) => roots.at(-1) as RootKey;

async function verifiedPublication(
  { statement, entry, index }: StatedEntry,
  trail: Trail,
): Promise<KnownPublication> {
  const content = await verifyPublicationStatement(statement, rootOf(trail), ANY_TIME);
  assertSays(entry, publicationEntry({ ...content, text: statement }));
  return knownPublication(statement, index);
}

/** Verifies a rotation step. @returns the next root key */
async function verifiedRotation({ statement, entry }: StatedEntry, trail: Trail): Promise<RootKey> {
  const invalid = (message: string, cause?: unknown) =>
    new TreeRejected(`the rotation step ${message}`, { cause });
  const step = readStatement(statement, 'registry-root-rotation+jwt', invalid);
  await verifyStatement(step, rootOf(trail), { clock: undefined, invalid });
  const next = await importRootKey(step.claims['next_root']);
  assertSays(entry, { ...entry, next: next.thumbprint } as LogEntry);
  if (trail.roots.some(({ thumbprint }) => thumbprint === next.thumbprint))
    throw invalid(`returns to the root key ${next.thumbprint}`);
  return next;
}

function assertSays(entry: LogEntry, stated: LogEntry): void {
  if (Buffer.compare(entryBytes(entry), entryBytes(stated)) === 0) return;
  throw new TreeRejected('the entry does not say what its statement says');
}

/** Returns in which ways a publication may not follow the one before (SPEC C1, B5). */
function publicationProblems(next: KnownPublication, { publication: before, previous }: Trail): string[] {
  const { sequence } = next;
  const name = `publication ${sequence}`;
  const problems: string[] = [];
  if (next.log === undefined) problems.push(`${name} names no log`);
  // The statement before the first one in the log is not in the log.
  if (previous !== undefined && next.previous !== previous) {
    problems.push(
      `${name} does not follow the publication before it in the log, but ${next.previous ?? 'none'}`,
    );
  }
  if (before === undefined) return problems;
  const isSameRoot = next.kid === before.kid;
  if (isSameRoot && sequence <= before.sequence)
    problems.push(`${name} follows publication ${before.sequence}`);
  if (isSameRoot && before.checkpoint && !next.checkpoint)
    problems.push(`${name} no longer promises checkpoints`);
  if (before.log !== undefined && next.log !== undefined && before.log.origin !== next.log.origin) {
    problems.push(`${name} names the log ${next.log.origin}`);
  }
  if (next.updatedAt < before.updatedAt) {
    problems.push(
      `the list of ${name} is dated ${next.updatedAt}, but the one before is dated ${before.updatedAt}`,
    );
  }
  if (next.updatedAt === before.updatedAt && next.sha256 !== before.sha256) {
    problems.push(`the list of ${name} differs from the one before, but has the same date ${next.updatedAt}`);
  }
  return problems;
}

/** Adds the key of the log that a publication names to those that earlier ones have named. */
function withLogKey(
  { log, index, sequence }: KnownPublication,
  { logKeys }: Trail,
  report: Report,
): readonly string[] {
  if (log === undefined || logKeys.at(-1) === log.vkey) return logKeys;
  if (logKeys.length > 0) {
    const what = `publication ${sequence} names another key of the log, ${log.vkey}`;
    report(finding('log-key-changed', `entry ${index}: ${what}`, { entry: index, vkey: log.vkey }));
  }
  return [...logKeys, log.vkey];
}
