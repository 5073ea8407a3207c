import type { Issuer } from '@passport-registry/verifier';
import { byPlace, type Diagnostic, isError } from '../diagnostics/diagnostic.js';
import { RecordsRejected } from '../errors.js';
import type { RecordSet } from '../records/check-records.js';
import { recordDiagnostic } from '../records/record-diagnostic.js';
import { checkTransitions, type TransitionOverride } from './forbidden-changes.js';
import { isReservedName } from './reserved-names.js';

/** What an operator allows, one by one, that a publication may not do. */
export interface RuleExceptions {
  /** Rules of a change (SPEC B5) that do not apply to an issuer. */
  readonly overrides?: readonly TransitionOverride[] | undefined;
  /** Whether records may stand under names that are reserved for examples: for demonstrations. */
  readonly allowExampleNames?: boolean | undefined;
}

/** Two sets of records, one of which follows the other. */
export interface RecordsChange {
  /** The published list; undefined for a first one. */
  readonly before: RecordSet | undefined;
  readonly after: RecordSet;
}

/**
 * The rules that bind whatever makes, signs or publishes a list (SPEC B5, C8): the records are good, the change from the
 * published list is permitted, and no example is signed by a production key.
 *
 * @param development - whether a development key signs
 * @returns what is permitted and still deserves a look
 * @throws {@link RecordsRejected}
 */
export function assertPublishable(
  { before, after }: RecordsChange,
  { overrides = [], allowExampleNames = false }: RuleExceptions,
  development: boolean,
): readonly Diagnostic[] {
  const transitions = before === undefined ? [] : checkTransitions(before, after, overrides);
  const examples = development ? [] : exampleNames(after, allowExampleNames);
  const diagnostics = [...after.diagnostics, ...transitions, ...examples].sort(byPlace);
  if (diagnostics.some(isError)) {
    // Nobody relies on what a development key has signed.
    const startAgain = development && transitions.some(isError);
    throw new RecordsRejected(
      diagnostics,
      startAgain ? 'nothing was built; to start again, remove the development tree' : undefined,
    );
  }
  return diagnostics;
}

const FIELDS = ['jwks_uri', 'discovery_uri', 'policy_uri', 'contact'] as const;

/** The first field of each record that names a reserved host. Where such names are allowed, one reminder is enough. */
function exampleNames(records: RecordSet, allowed: boolean): Diagnostic[] {
  const found = [...records.issuers.values()].flatMap((issuer) => {
    const field = FIELDS.find((name) => isReservedName(hostOf(issuer, name)));
    if (field === undefined) return [];
    const message = `${field} is under ${hostOf(issuer, field)}, a name that is reserved for examples`;
    return [recordDiagnostic(records, { id: issuer.issuer_id, field }, { rule: 'example-name', message })];
  });
  const [first] = found;
  if (!allowed || first === undefined) return found;
  const more = found.length === 1 ? '' : `; so are ${found.length - 1} more records`;
  return [{ ...first, severity: 'warning', message: `${first.message}${more}` }];
}

/** The host of a mailbox or of an address. The schema allows no user before a host, and in a host only letters, digits, dots and hyphens. */
function hostOf(issuer: Issuer, field: (typeof FIELDS)[number]): string {
  const [, host = ''] = HOST.exec(issuer[field] ?? '') ?? [];
  return host;
}

const HOST = /^(?:https?:\/\/|.*@)([^/?#:]*)/;
