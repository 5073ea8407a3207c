import { existsSync } from 'node:fs';
import type { Diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { isError } from '../../generator/diagnostics/diagnostic.js';
import { GeneratorError } from '../../generator/errors.js';
import { countUncommitted, countUnpushed, hasOrigin } from '../../generator/files/git.js';
import { predecessorOf, publishedRecords } from '../../generator/publishing/predecessor.js';
import { findRecordFiles } from '../../generator/records/collect.js';
import {
  liftedSuspensions,
  publicationProblems,
  type RuleExceptions,
} from '../../generator/review/assert-publishable.js';
import { difference, type IssuerChange, NO_RECORDS } from '../../generator/review/difference.js';
import { recordsIn } from '../../generator/review/record-set.js';
import { type PublishedTree, withPending } from '../../generator/tree/published-tree.js';
import type { Condition } from './condition.js';
import type { LocalTree } from './local-tree.js';

/** What the next build would publish. */
export interface PendingChanges {
  /** The changes of issuers since the published list. */
  readonly changes: readonly IssuerChange[];
  /** The problems that would stop the build. */
  readonly problems: readonly Diagnostic[];
  /** The warnings about records that it would publish: some values can never change after that. */
  readonly warnings: readonly Diagnostic[];
  /** The issuers whose suspension it would lift. */
  readonly lifted: readonly string[];
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

const NO_CHANGES: PendingChanges = { changes: [], problems: [], warnings: [], lifted: [] };

/** The records, and what they are compared with. */
export interface ChangesOptions {
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
  const changes = difference(before ?? NO_RECORDS, after).filter(
    ({ issuer_id, kind }) => kind !== 'removed' || !after.files.has(issuer_id),
  );
  const found = publicationProblems({ before, after }, exceptions, development);
  const files = changes.map(({ issuer_id }) => after.files.get(issuer_id)?.file);
  const warnings = found.filter((one) => !isError(one) && files.includes(one.file));
  const lifted = liftedSuspensions({ before, after });
  return { changes, problems: found.filter(isError), warnings, lifted };
}

/** Describes what has changed since the last publication. */
export async function changesCondition(
  options: ChangesOptions,
  { published, refusal, folder }: LocalTree,
): Promise<ChangesCondition> {
  const { issuers } = options;
  try {
    const state = stateOfFolder(issuers);
    if (state !== undefined) return missingRecords(issuers, state, published);
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

function stateOfFolder(issuers: string): 'none' | 'empty' | undefined {
  if (!existsSync(issuers)) return 'none';
  return findRecordFiles([issuers]).length === 0 ? 'empty' : undefined;
}

function missingRecords(
  issuers: string,
  state: 'none' | 'empty',
  published: PublishedTree | undefined,
): ChangesCondition {
  const what = state === 'none' ? `there is no folder ${issuers}` : `${issuers} has no records`;
  const found = { state, ...NO_CHANGES };
  if (published === undefined) return { level: 'note', message: what, ...found };
  return { level: 'error', message: `${what}, but a list is published: a build would stop`, ...found };
}

function describe(pending: PendingChanges, { issuers, ownFiles, env }: ChangesOptions): ChangesCondition {
  const { changes, problems, warnings } = pending;
  const [first] = problems;
  if (first !== undefined) {
    const { file, message } = first;
    const more = problems.length === 1 ? '' : `, and ${problems.length - 1} more`;
    const what = `a build would stop: ${file}: ${message}${more}`;
    // The operator has allowed these names before: what is published is as it should be.
    const isPublished = changes.length === 0 && onlyExampleNames(problems);
    return isPublished
      ? { level: 'warning', message: `none, but ${what}`, state: 'unchanged', ...pending }
      : { level: 'error', message: what, state: 'refused', ...pending };
  }
  if (changes.length === 0) {
    const message = `none: ${issuers} and the list have the same records`;
    const uncommitted = countUncommitted(issuers, env) ?? 0;
    const isRecords = uncommitted > 0;
    const isUncommitted = (path: string) => (countUncommitted(path, env) ?? 0) > 0;
    const toCommit = [...(isRecords ? [issuers] : []), ...ownFiles.filter(isUncommitted)];
    if (toCommit.length > 0) {
      return {
        // Another clone would otherwise build the old records, which could lift a suspension.
        level: isRecords ? 'warning' : 'note',
        message: `${message}, but not committed to git: ${toCommit.join(', ')}`,
        state: 'unchanged',
        ...pending,
        ...(isRecords && { uncommitted }),
        toCommit,
        hasOrigin: hasOrigin(issuers, env),
      };
    }
    const unpushed = countUnpushed(issuers, ownFiles, env) ?? 0;
    if (unpushed === 0) return { level: 'ok', message, state: 'unchanged', ...pending };
    const commits = `${unpushed} ${unpushed === 1 ? 'commit' : 'commits'}`;
    return {
      level: 'note',
      message: `${message}, but not pushed: ${commits}`,
      state: 'unchanged',
      ...{ ...pending, unpushed },
    };
  }
  const ids = changes.slice(0, MAX_IDS).map(inWords);
  const rest = changes.length > MAX_IDS ? `, and ${changes.length - MAX_IDS} more` : '';
  const [warning] = warnings;
  const more = warnings.length > 1 ? `, and ${warnings.length - 1} more warnings` : '';
  const said = warning === undefined ? '' : `; ${warning.file}: ${warning.message}${more}`;
  const { lifted } = pending;
  const lifts =
    lifted.length === 0
      ? ''
      : `; a build would lift the suspension of ${lifted.join(', ')}, so these records may be old: git pull first`;
  const message = `${changes.length} not published yet: ${ids.join(', ')}${rest}${said}${lifts}`;
  const level = lifted.length === 0 ? 'note' : 'warning';
  return { level: changes.some(isStop) ? 'error' : level, message, state: 'changed', ...pending };
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
