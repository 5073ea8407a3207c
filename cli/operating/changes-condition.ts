import { existsSync } from 'node:fs';
import type { Diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { isError } from '../../generator/diagnostics/diagnostic.js';
import { GeneratorError } from '../../generator/errors.js';
import { countUncommitted, countUnpushed, hasOrigin } from '../../generator/files/git.js';
import { predecessorOf, publishedRecords } from '../../generator/publishing/predecessor.js';
import { findRecordFiles } from '../../generator/records/collect.js';
import { publicationProblems, type RuleExceptions } from '../../generator/review/assert-publishable.js';
import { compareRecords, type IssuerChange, NO_RECORDS } from '../../generator/review/difference.js';
import { recordsIn } from '../../generator/review/record-set.js';
import { type PublishedTree, withPending } from '../../generator/tree/published-tree.js';
import type { Condition } from './condition.js';
import type { LocalTree } from './local-tree.js';

/** What the next build would publish. */
interface PendingChanges {
  /** The changes of issuers since the published list. */
  readonly changes: readonly IssuerChange[];
  /** The problems that would stop the build. */
  readonly problems: readonly Diagnostic[];
  /** The warnings about records that it would publish: some values can never change after that. */
  readonly warnings: readonly Diagnostic[];
}

/** The condition of the records. */
export interface ChangesCondition extends Condition, PendingChanges {
  /** The number of published files that are not committed to git. Absent if there are none. */
  readonly uncommitted?: number;
  /** The paths with such files: the folder of the records, and files of the registry. Absent if there are none. */
  readonly toCommit?: readonly string[];
  /** The number of commits of such files that are not pushed. Absent if there are none, or nothing to push to. */
  readonly unpushed?: number;
  /** Beside `toCommit`: whether the repository has an `origin`, to which the commit can be pushed. */
  readonly hasOrigin?: boolean;
  /** `none`: there is no folder. `empty`: there is no record. `unchanged`: the list has the same records. */
  readonly state: 'none' | 'empty' | 'unchanged' | 'changed' | 'refused';
}

const NO_CHANGES: PendingChanges = { changes: [], problems: [], warnings: [] };

/** The records, and what they are compared with. */
interface ChangesOptions {
  /** The folder of the records. */
  readonly issuers: string;
  /** The other files that a clone needs, such as registry.yaml. They need not exist. */
  readonly ownFiles: readonly string[];
  readonly exceptions: RuleExceptions;
  /** Whether a development key would sign. */
  readonly development: boolean;
  /** The environment for git. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Compares the records with the published list, by the rules of a build (rule record-changes).
 *
 * @throws {@link GeneratorError} if the records or the published list cannot be read
 */
export async function pendingChanges(
  { issuers, exceptions, development }: Omit<ChangesOptions, 'ownFiles'>,
  published: PublishedTree | undefined,
): Promise<PendingChanges> {
  const after = recordsIn([issuers]);
  // As for a build, a publication in the log counts, even if the published files are older.
  const predecessor = predecessorOf(published && withPending(published), { rootKey: undefined, development });
  const before = predecessor && publishedRecords(predecessor, predecessor.folder);
  const { changes } = compareRecords(before ?? NO_RECORDS, after);
  const found = publicationProblems({ before, after }, exceptions, development);
  const files = changes.map(({ issuer_id }) => after.files.get(issuer_id)?.file);
  const warnings = found.filter((one) => !isError(one) && files.includes(one.file));
  return { changes, problems: found.filter(isError), warnings };
}

/** Describes what has changed since the last publication. */
export async function changesCondition(
  options: ChangesOptions,
  { published, refusal, folder }: LocalTree,
): Promise<ChangesCondition> {
  const { issuers } = options;
  try {
    const missing = missingRecords(issuers, published);
    if (missing !== undefined) return missing;
    if (refusal !== undefined) {
      const message = `not compared, because a build would refuse ${folder}`;
      return { level: 'note', message, state: 'refused', ...NO_CHANGES };
    }
    return describe(await pendingChanges(options, published), options);
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    return { level: 'error', message: error.message, state: 'refused', ...NO_CHANGES };
  }
}

function missingRecords(issuers: string, published: PublishedTree | undefined): ChangesCondition | undefined {
  const isNone = !existsSync(issuers);
  if (!isNone && findRecordFiles([issuers]).length > 0) return undefined;
  const what = isNone ? `there is no folder ${issuers}` : `${issuers} has no records`;
  const found = { state: isNone ? 'none' : 'empty', ...NO_CHANGES } as const;
  if (published === undefined) return { level: 'note', message: what, ...found };
  return { level: 'error', message: `${what}, but a list is published: a build would stop`, ...found };
}

function describe(pending: PendingChanges, options: ChangesOptions): ChangesCondition {
  const { changes, problems } = pending;
  const [first, ...others] = problems;
  if (first !== undefined) {
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    const message = `a build would stop: ${first.file}: ${first.message}${more}`;
    // The operator has allowed these names before: what is published is as it should be.
    return changes.length === 0 && onlyExampleNames(problems)
      ? { level: 'warning', message: `none, but ${message}`, state: 'unchanged', ...pending }
      : { level: 'error', message, state: 'refused', ...pending };
  }
  return changes.length === 0 ? unchanged(pending, options) : changed(pending);
}

/** A build in another clone would have the old records of what is published, unless git has the new ones. */
function unchanged(pending: PendingChanges, { issuers, ownFiles, env }: ChangesOptions): ChangesCondition {
  const same = `none: ${issuers} and the list have the same records`;
  const found = { level: 'note', state: 'unchanged', ...pending } as const;
  const uncommitted = countUncommitted(issuers, env) ?? 0;
  const isUncommitted = (path: string) => (countUncommitted(path, env) ?? 0) > 0;
  const toCommit = [...(uncommitted > 0 ? [issuers] : []), ...ownFiles.filter(isUncommitted)];
  if (toCommit.length > 0) {
    const message = `${same}, but not committed to git: ${toCommit.join(', ')}`;
    const files = { message, toCommit, hasOrigin: hasOrigin(issuers, env) };
    return uncommitted > 0 ? { ...found, level: 'warning', ...files, uncommitted } : { ...found, ...files };
  }
  const unpushed = countUnpushed(issuers, ownFiles, env) ?? 0;
  if (unpushed === 0) return { ...found, level: 'ok', message: same };
  const commits = `${unpushed} ${unpushed === 1 ? 'commit' : 'commits'}`;
  return { ...found, message: `${same}, but not pushed: ${commits}`, unpushed };
}

function changed(pending: PendingChanges): ChangesCondition {
  const { changes, warnings } = pending;
  const ids = changes.slice(0, MAX_IDS).map(inWords);
  const rest = changes.length > MAX_IDS ? `, and ${changes.length - MAX_IDS} more` : '';
  const [warning] = warnings;
  const more = warnings.length > 1 ? `, and ${warnings.length - 1} more warnings` : '';
  const said = warning === undefined ? '' : `; ${warning.file}: ${warning.message}${more}`;
  return {
    level: changes.some(isStop) ? 'error' : 'note',
    message: `${changes.length} not published yet: ${ids.join(', ')}${rest}${said}`,
    state: 'changed',
    ...pending,
  };
}

/** Whether a change stops an issuer, which verifiers accept until the change is published. */
function isStop({ fields }: IssuerChange): boolean {
  return fields.some(({ field, from, to }) => field === 'status' && from === 'active' && to !== 'active');
}

/** Whether the only problems are names that are reserved for examples, which an operator may allow. */
export function onlyExampleNames(problems: readonly Diagnostic[]): boolean {
  return problems.every(({ rule }) => rule === 'example-name');
}

/** Names the change of an issuer, and the change of its status, which is the most important. */
function inWords({ issuer_id, kind, fields }: IssuerChange): string {
  const status = fields.find(({ field }) => field === 'status');
  return `${issuer_id} ${status === undefined ? kind : `${status.from} -> ${status.to}`}`;
}

/** How many issuers to name. */
const MAX_IDS = 5;
