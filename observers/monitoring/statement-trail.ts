import type { RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  type AnyEntry,
  entryBytes,
  publicationEntry,
  readStatement,
  successorIn,
  verifyDelegation,
  verifyPublicationStatement,
  verifyStatement,
} from '@passport-registry/verifier/internal';
import { TreeRejected } from '../../generator/errors.js';
import { unknownClaims } from '../../generator/freshness/unknown-claims.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import {
  brokenPromises,
  followsInLog,
  LOG_START,
  type LogOrder,
  orderProblems,
  passEntry,
} from '../../generator/log/entry-order.js';
import { readUnknown } from '../../generator/log/logged-entry.js';
import { entryIsUnknown, haveClaims } from '../../generator/verification/unknown-parts.js';
import { finding, type Report } from './finding.js';
import type { NewEntry } from './follow-head.js';
import { type KnownLog, type KnownPublication, knownPublication } from './known-log.js';

/** What the next statement of a log must continue. */
export interface Trail extends Pick<KnownLog, 'roots' | 'logKeys' | 'publication'> {
  /** What the next entry must continue, whether the statements before it were verified or not. */
  readonly order: LogOrder;
}

/** Returns where a log ends. */
export function trailOf({ entries, roots, logKeys, publication }: KnownLog): Trail {
  return { roots, logKeys, publication, order: entries.reduce(passEntry, LOG_START) };
}

/** Returns the trail after an entry whose statement is not verified. */
export function passUnverified(trail: Trail, entry: AnyEntry): Trail {
  return { ...trail, order: passEntry(trail.order, entry) };
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
  const next = passUnverified(trail, entry);
  const tellClaims = () => {
    const claims = unknownClaims(stated.statement);
    if (claims.length === 0) return;
    const what = `the statement of entry ${index} ${haveClaims(claims)}`;
    report(finding('claim-unknown', what, { entry: index, claims }));
  };
  switch (entry.type) {
    case 'publication': {
      const publication = await verifiedPublication(stated, trail);
      const problems = [...statementProblems(publication, trail), ...orderProblems(entry, trail.order)];
      for (const problem of problems) outOfOrder(problem);
      tellClaims();
      return { ...next, publication, logKeys: withLogKey(publication, trail, report) };
    }
    case 'delegation': {
      const { keys, issuedAt, expiresAt } = await verifyDelegation(stated.statement, rootOf(trail), ANY_TIME);
      assertSays(entry, { ...entry, iat: Math.floor(issuedAt / 1000) });
      for (const problem of orderProblems(entry, trail.order)) outOfOrder(problem);
      tellClaims();
      const names = keys.map(({ thumbprint }) => thumbprint);
      const until = formatUpdatedAt(expiresAt);
      const what = `the root key has delegated to ${names.join(' and ')} until ${until}`;
      report(finding('delegation-logged', `entry ${index}: ${what}`, { entry: index, keys: names, until }));
      return next;
    }
    case 'rotation': {
      const root = await verifiedRotation(stated, trail);
      for (const problem of orderProblems(entry, trail.order)) outOfOrder(problem);
      tellClaims();
      const [from, to] = [rootOf(trail).thumbprint, root.thumbprint];
      const what = `rotation step ${entry.step} replaces the root key ${from} with ${to}`;
      report(finding('rotation-logged', `entry ${index}: ${what}`, { entry: index, from, to }));
      return { ...next, roots: [...trail.roots, root] };
    }
    case 'unknown': {
      await verifyUnknown(stated, trail);
      const what = `entry ${index} ${entryIsUnknown(entry.named)}`;
      report(finding('entry-unknown', what, { entry: index, type: entry.named }));
      return next;
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
  const next = await successorIn(step, trail.roots);
  assertSays(entry, { ...entry, next: next.thumbprint } as AnyEntry);
  return next;
}

/** Verifies who has signed a statement of an unknown type. Nothing else of it is known. */
async function verifyUnknown({ statement }: StatedEntry, trail: Trail): Promise<void> {
  const invalid = (message: string, cause?: unknown) =>
    new TreeRejected(`the statement ${message}`, { cause });
  const unknown = readUnknown(statement, invalid);
  if (unknown === undefined) throw invalid('is not of an unknown type, but its entry is');
  await verifyStatement(unknown, rootOf(trail), { clock: undefined, invalid });
}

function assertSays(entry: AnyEntry, stated: AnyEntry): void {
  if (Buffer.compare(entryBytes(entry), entryBytes(stated)) === 0) return;
  throw new TreeRejected('the entry does not say what its statement says');
}

/** Returns in which ways a publication statement may not follow the one before (rule log-order). */
function statementProblems(
  next: KnownPublication,
  { publication: before, order: { publication: previous } }: Trail,
): string[] {
  const problems = brokenPromises(next, before);
  if (!followsInLog(next.previous, previous)) {
    problems.push(
      `publication ${next.sequence} does not follow the publication before it in the log, but ${next.previous ?? 'none'}`,
    );
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
