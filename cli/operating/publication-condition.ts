import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type Condition, summarize } from './condition.js';
import { unproven } from './freshness-condition.js';
import { type LocalTree, problemsOf } from './local-tree.js';

/** The condition of the publication statement. */
export interface PublicationCondition extends Condition {
  /** Every publication has a higher sequence than the one before. */
  readonly sequence: number | undefined;
  /** When the statement was signed, RFC 3339. */
  readonly since: string | undefined;
}

/** Describes the publication statement of the tree. */
export function publicationCondition(tree: LocalTree): PublicationCondition {
  const { report, published, publication } = tree;
  const none = { sequence: undefined, since: undefined };
  const problems = problemsOf(report, (name) => name === 'publication');
  if (problems !== undefined) return { level: 'error', message: summarize(problems), ...none };
  if (publication !== undefined) {
    const { sequence } = publication;
    const since = formatUpdatedAt(publication.issuedAt);
    return { level: 'ok', message: `number ${sequence}, since ${since}`, sequence, since };
  }
  const unknown = unproven(tree, PATHS.publication);
  // The file is there, so it is neither missing nor to be signed again.
  if (report === undefined || !unknown.isAbsent) return { level: 'note', ...unknown, ...none };
  const absent = { isAbsent: true, ...none } as const;
  if (published?.hasStatement) {
    return { level: 'error', message: `${published.folder}/${PATHS.publication} is missing`, ...absent };
  }
  if (report.updatedAt === undefined)
    return { level: 'note', message: 'not checked: there is no valid list', ...absent };
  const message = 'none: until the next build signs one, verifiers cannot look up single issuers';
  return { level: 'warning', message, ...absent };
}
