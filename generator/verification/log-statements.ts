import {
  beginLog,
  type FirstRoots,
  type IndexedEntry,
  type LogState,
  readRotation,
  type WalkedEntry,
  walkLog,
} from '@passport-registry/verifier/core';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { failIfAny, Problems, type SeenFiles } from './seen-files.js';

/** What the statements of a log are checked against. */
interface StatementConditions {
  /** The root keys of the tree. */
  readonly roots: FirstRoots;
  /** Whether the statement of an entry is read. The others are passed. */
  readonly isRead: (index: number) => boolean;
  /** Whether a file of the log was verified before, and has not changed since. */
  readonly isVerified: (path: string) => boolean;
}

/** How many statements are in memory at a time. */
const BATCH = 256;

/**
 * Checks the order of the entries of a log, and that the statement of each is kept, and signed by the root key in force there.
 * Nothing is checked after a statement that is refused.
 *
 * @returns the state at the end of the log
 */
export async function checkStatements(
  files: SeenFiles,
  entries: readonly IndexedEntry[],
  { roots, isRead, isVerified }: StatementConditions,
): Promise<LogState> {
  const problems: string[] = [];
  let state = beginLog(roots);
  for (let at = 0; at < entries.length; at += BATCH) {
    const batch: WalkedEntry[] = [];
    for (const { index, entry } of entries.slice(at, at + BATCH)) {
      const path = PATHS.loggedStatement(index);
      const statement = isRead(index) ? await files.read(path) : undefined;
      if (statement === undefined && isRead(index)) problems.push(`${path} is missing`);
      batch.push({ entry, statement, isVerified: isVerified(path) });
    }
    const walked = await walkLog(state, batch);
    state = walked.state;
    for (const { kind, index, message } of walked.problems) {
      problems.push(`entry ${index} of the log: ${message}`);
      if (kind !== 'order') throw new Problems(problems);
    }
  }
  failIfAny(problems);
  return state;
}

/** A statement of a tree that its log must contain besides the publication statement: where it is, and its SHA-256. */
type StatementToLog = readonly [place: string, sha256: string];

/** Reads the statements that a log must contain. Call it before the head is read, which is then not older. */
export async function treeStatements(files: SeenFiles): Promise<readonly StatementToLog[]> {
  const [rotation, delegation] = [await files.get(PATHS.rotation), await files.get(PATHS.delegation)];
  const steps = rotation === undefined ? [] : readRotation(rotation);
  const stated = steps.map(
    ({ text }, at): StatementToLog => [`step ${at + 1} of ${PATHS.rotation}`, sha256(text)],
  );
  return delegation === undefined ? stated : [...stated, [PATHS.delegation, sha256(delegation)]];
}

/** Asserts that a log contains the rotation steps and the delegation of a tree. */
export function assertLogged(statements: readonly StatementToLog[], entries: readonly IndexedEntry[]): void {
  const logged = new Set(entries.map(({ entry }) => entry.sha256));
  const [missing] = statements.find(([, hash]) => !logged.has(hash)) ?? [];
  if (missing !== undefined) throw new Problems([`the log does not contain ${missing}`]);
}
