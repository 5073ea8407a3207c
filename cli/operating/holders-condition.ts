import { sharesInWords } from '../../generator/tree/held-by.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type Condition, summarize } from './condition.js';
import { unproven } from './freshness-condition.js';
import { type LocalTree, problemsOf } from './local-tree.js';

/** The condition of the record of the holders who share the root key. */
export interface HoldersCondition extends Condition {
  /** How many holders sign together; undefined if the tree has no valid record. */
  readonly threshold: number | undefined;
  /** The names of all holders, as the record says. */
  readonly names: readonly string[];
  /** Whether a dealer, who had the whole key, has split it. */
  readonly split: boolean;
}

/** Describes who shares the root key, as the published record says. */
export function holdersCondition(tree: LocalTree): HoldersCondition {
  const { report } = tree;
  const none = { threshold: undefined, names: [], split: false };
  const problems = problemsOf(report, (name) => name === 'holders');
  if (problems !== undefined) return { level: 'error', message: summarize(problems), ...none };
  if (report?.holders === undefined) {
    const unknown = unproven(tree, PATHS.holders);
    return { level: unknown.isAbsent ? 'ok' : 'note', ...unknown, ...none };
  }
  const { holders } = report;
  const before = holders.split ? '; a dealer had the whole key' : '';
  return {
    level: 'ok',
    message: `${sharesInWords(holders)}, as the published record says${before}`,
    ...holders,
  };
}
