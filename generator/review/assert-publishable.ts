import { byPlace, type Diagnostic, isError } from '../diagnostics/diagnostic.js';
import { RecordsRejected, UsageError } from '../errors.js';
import { type RecordSet, recordDiagnostic } from '../records/check-records.js';
import { checkTransitions, type TransitionOverride } from './forbidden-changes.js';
import { reservedField } from './reserved-names.js';

/** The exceptions from the rules that an operator allows, one by one. */
export interface RuleExceptions {
  /** Rules of change (docs/protocol/publishers.md#record-changes) that do not apply to an issuer. */
  readonly overrides?: readonly TransitionOverride[] | undefined;
  /** Whether records may use names that are reserved for examples. For demonstrations. */
  readonly allowExampleNames?: boolean | undefined;
  /** The issuers that a command is about, which then lifts the suspension of no other issuer. Default: the records decide. */
  readonly about?: readonly string[] | undefined;
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
 * @throws {@link RecordsRejected} | {@link UsageError}
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
  const { about } = exceptions;
  const all = about === undefined ? [] : liftedSuspensions(change);
  const lifted = all.filter((id) => about?.includes(id) !== true);
  if (lifted.length > 0) {
    throw new UsageError(
      `the list suspends ${lifted.join(', ')}, and the records do not, so this would lift more than it says: ${getNewest(lifted, all)}, ` +
        'or `build` with the records as they are',
    );
  }
  return diagnostics;
}

/**
 * The way on with records that do not have the suspensions of the published list.
 *
 * @param ended - whose suspensions end if that is the purpose: those, and what the command ends
 */
export function getNewest(lifted: readonly string[], ended = lifted): string {
  const adopt = `run \`suspend ${lifted.join(' ')} --reason "<REASON>"\`, after which the records say so, too`;
  return (
    `get the newest records (\`git pull\`), and run this again. If there are none, because nobody has pushed them, ${adopt}, ` +
    'and then run this again. To stop another issuer at once, `hold` it: that needs no records. Only to end what is suspended, ' +
    `run \`suspend --end ${ended.join(' ')} --reason "<REASON>"\``
  );
}

/** The issuers that the published list suspends, and that are active in the records. */
export function liftedSuspensions({ before, after }: RecordsChange): readonly string[] {
  const suspended = [...(before?.issuers.values() ?? [])].filter(({ status }) => status === 'suspended');
  return suspended
    .map(({ issuer_id }) => issuer_id)
    .filter((id) => after.issuers.get(id)?.status === 'active');
}

/** Nobody relies on a tree that a development key signed, or that was never published. */
function startAgain(development: boolean): string {
  if (development) return 'nothing was built; to start again, remove the development tree';
  return 'nothing was built; if somebody else has published changes, get the newest records (`git pull`); only if this list was never published, on no host, no branch and in no log, move the tree away to start again';
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
