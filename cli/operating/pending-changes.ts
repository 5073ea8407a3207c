import { type Diagnostic, isError } from '../../generator/diagnostics/diagnostic.js';
import { recordsOfList } from '../../generator/records/check-records.js';
import { publicationProblems, type RuleExceptions } from '../../generator/review/assert-publishable.js';
import { compareRecords, type IssuerChange, NO_RECORDS } from '../../generator/review/difference.js';
import { recordsIn } from '../../generator/review/record-set.js';
import type { PublishedTree } from '../../generator/tree/published-tree.js';

/** What the next build would publish. */
export interface PendingChanges {
  /** The changes of issuers since the published list. */
  readonly changes: readonly IssuerChange[];
  /** The problems that would stop the build. */
  readonly problems: readonly Diagnostic[];
  /** The warnings about records that it would publish: some values can never change after that. */
  readonly warnings: readonly Diagnostic[];
}

/** The records, and the rules for them. */
interface RecordsChoice {
  /** The folder of the records. */
  readonly issuers: string;
  readonly exceptions: RuleExceptions;
  /** Whether a development key would sign. */
  readonly development: boolean;
}

/**
 * Compares the records with the published list, by the rules of a build (rule record-changes).
 *
 * @throws {@link GeneratorError} if the records or the published list cannot be read
 */
export async function pendingChanges(
  { issuers, exceptions, development }: RecordsChoice,
  published: PublishedTree | undefined,
): Promise<PendingChanges> {
  const after = recordsIn([issuers]);
  // A tree that a development key signed counts for no production key.
  const counts = published !== undefined && (development || !published.development);
  const before = counts ? recordsOfList(published.issuers, published.about) : undefined;
  const { changes } = compareRecords(before ?? NO_RECORDS, after);
  const found = publicationProblems({ before, after }, exceptions, development);
  const files = changes.map(({ issuer_id }) => after.files.get(issuer_id)?.file);
  const warnings = found.filter((one) => !isError(one) && files.includes(one.file));
  return { changes, problems: found.filter(isError), warnings };
}
