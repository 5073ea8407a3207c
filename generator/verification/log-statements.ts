import { type PublicationEntry, parseStrictJson } from '@passport-registry/verifier/internal';
import { readWithSigner } from '../freshness/read-publication.js';
import {
  brokenPromises,
  followsInLog,
  LOG_START,
  type LogOrder,
  orderProblems,
  type Promises,
  passEntry,
} from '../log/entry-order.js';
import type { PlacedEntry } from '../log/log-tail.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { type LogRoots, LogSigners } from './log-signers.js';
import { failIfAny, Problems, type SeenFiles } from './seen-files.js';

/** The entry of a publication. */
export type PlacedPublication = PlacedEntry & { readonly entry: PublicationEntry };

/** The entries of a log, and the one of the published statement. */
export interface PublishedEntries {
  readonly entries: readonly PlacedEntry[];
  readonly published: PlacedPublication | undefined;
}

/** What the statements of a log are checked against. */
export interface StatementConditions {
  readonly roots: LogRoots;
  /** Whether a file of the log was verified before, and has not changed since. */
  readonly isVerified?: ((path: string) => boolean) | undefined;
}

/**
 * Checks the order of the entries of a log, and that the statement of each is kept, and signed by the root key in force there.
 * A live host is asked only for those since the published one, because it is asked for one file at a time.
 *
 * @returns the root keys by the end of the log
 */
export async function checkStatements(
  files: SeenFiles,
  { entries, published }: PublishedEntries,
  { roots, isVerified }: StatementConditions,
): Promise<LogSigners> {
  const signers = new LogSigners(roots);
  const first = files.source.live ? (published?.index ?? 0) : 0;
  const problems: string[] = [];
  let order = LOG_START;
  let promised: Promises | undefined;
  for (const placed of entries) {
    const { index, entry } = placed;
    for (const problem of orderProblems(entry, order)) problems.push(`entry ${index} of the log: ${problem}`);
    if (placed === published) signers.beginWith(roots.keys.at(-1));
    const path = PATHS.loggedStatement(index);
    if (index >= first) {
      const bytes = await files.read(path);
      if (bytes === undefined) problems.push(`${path} is missing`);
      else if ((await files.hash(path)) !== entry.sha256) {
        problems.push(`${path} does not belong to its entry in the log`);
      } else {
        if (entry.type === 'rotation' || isVerified?.(path) !== true) {
          problems.push(...(await verified({ bytes, placed, order }, signers)));
        }
        if (entry.type === 'publication') {
          const promises = promisesIn(bytes);
          problems.push(...brokenPromises(promises, promised).map((problem) => `${path}: ${problem}`));
          promised = promises;
        }
      }
    }
    order = passEntry(order, entry);
  }
  failIfAny(problems);
  return signers;
}

function promisesIn(bytes: Uint8Array): Promises {
  const { statement, content } = readWithSigner(bytes);
  return { ...content, kid: statement.kid };
}

/** A statement of a log, its entry, and the entries before it. */
interface Step {
  readonly bytes: Uint8Array;
  readonly placed: PlacedEntry;
  readonly order: LogOrder;
}

async function verified({ bytes, placed, order }: Step, signers: LogSigners): Promise<string[]> {
  const { statement, entry } = await signers.verify(bytes, placed);
  if (entry.type !== 'publication' || followsInLog(statement.claims['previous'], order.publication))
    return [];
  const path = PATHS.loggedStatement(placed.index);
  return [`${path} does not name the publication before it in the log as the previous one`];
}

/** The statements of a tree that its log must contain besides the publication statement. */
export interface TreeStatements {
  readonly rotation: Uint8Array | undefined;
  readonly delegation: Uint8Array | undefined;
}

/** Reads the statements that a log must contain. Call it before the head is read, which is then not older. */
export async function treeStatements(files: SeenFiles): Promise<TreeStatements> {
  return { rotation: await files.get(PATHS.rotation), delegation: await files.get(PATHS.delegation) };
}

/** Asserts that a log contains the rotation steps and the delegation of a tree. */
export function assertLogged(
  { rotation, delegation }: TreeStatements,
  entries: readonly PlacedEntry[],
): void {
  const logged = new Set(entries.map(({ entry }) => entry.sha256));
  const steps = rotation === undefined ? [] : (parseStrictJson(rotation) as string[]);
  const missing = steps.findIndex((step) => !logged.has(sha256(step)));
  if (missing !== -1)
    throw new Problems([`the log does not contain step ${missing + 1} of ${PATHS.rotation}`]);
  if (delegation === undefined || logged.has(sha256(delegation))) return;
  throw new Problems([`the log does not contain ${PATHS.delegation}`]);
}
