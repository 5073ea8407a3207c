import { byPlace, type Diagnostic, isError } from '../diagnostics/diagnostic.js';
import { RecordsRejected } from '../errors.js';
import { type RecordSet, recordDiagnostic } from '../records/check-records.js';
import { checkTransitions, type TransitionOverride } from './forbidden-changes.js';
import { reservedField } from './reserved-names.js';

/** The exceptions from the rules that an operator allows, one by one. */
export interface RuleExceptions {
  /** Rules of change (docs/protocol/publishers.md#record-changes) that do not apply to an issuer. */
  readonly overrides?: readonly TransitionOverride[] | undefined;
  /** Whether records may use names that are reserved for examples. For demonstrations. */
  readonly allowExampleNames?: boolean | undefined;
}

/** The records before and after a change. */
interface RecordsChange {
  /** The records of the published list; undefined for a first list. */
  readonly before: RecordSet | undefined;
  readonly after: RecordSet;
}

/**
 * Asserts that a list may be made, signed or published (rule publication-rules): the records are valid, the change from
 * the published list is permitted, and no production key signs an example record.
 *
 * @param development - whether a development key signs
 * @returns the warnings
 * @throws {@link RecordsRejected}
 */
export function assertPublishable(
  change: RecordsChange,
  exceptions: RuleExceptions,
  development: boolean,
): readonly Diagnostic[] {
  const diagnostics = publicationProblems(change, exceptions, development);
  if (diagnostics.some(isError)) {
    const isForbidden = transitionProblems(change, exceptions).some(isError);
    throw new RecordsRejected(diagnostics, isForbidden ? startAgain(development) : undefined);
  }
  return diagnostics;
}

/** Nobody relies on a tree that a development key signed, or that was never published. */
function startAgain(development: boolean): string {
  if (development) return 'nothing was built; to start again, remove the development tree';
  return 'nothing was built; get the newest records (`git pull`) if somebody else has published changes';
}

/**
 * Reports everything that {@link assertPublishable} would refuse, and the warnings, sorted by file and position.
 *
 * @param development - whether a development key signs
 */
export function publicationProblems(
  change: RecordsChange,
  exceptions: RuleExceptions,
  development: boolean,
): Diagnostic[] {
  const { after } = change;
  const examples = development ? [] : exampleNames(after, exceptions.allowExampleNames === true);
  return [...after.diagnostics, ...transitionProblems(change, exceptions), ...examples].sort(byPlace);
}

function transitionProblems(
  { before, after }: RecordsChange,
  { overrides = [] }: RuleExceptions,
): readonly Diagnostic[] {
  return before === undefined ? [] : checkTransitions(before, after, overrides);
}

/**
 * Reports the first field of each record that contains a reserved name. If such names are allowed, returns one warning.
 */
function exampleNames(records: RecordSet, allowed: boolean): Diagnostic[] {
  const found = [...records.issuers.values()].flatMap((issuer) => {
    const reserved = reservedField(issuer);
    if (reserved === undefined) return [];
    const { field, host } = reserved;
    const message = `${field} is under ${host}, a name that is reserved for examples`;
    return [recordDiagnostic(records, { id: issuer.issuer_id, field }, { rule: 'example-name', message })];
  });
  const [first] = found;
  if (!allowed || first === undefined) return found;
  const more = found.length === 1 ? '' : `; so are ${found.length - 1} more records`;
  return [{ ...first, severity: 'warning', message: `${first.message}${more}` }];
}
