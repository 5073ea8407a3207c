import type { Issuer } from '@passport-registry/verifier';
import { type AboutIssuer, instantOf } from '@passport-registry/verifier/core';
import { type Diagnostic, diagnostic, type Finding, shown, WHOLE_FILE } from '../diagnostics/diagnostic.js';
import type { RuleName } from '../diagnostics/rules.js';
import { type RecordSet, recordDiagnostic } from '../records/check-records.js';

/** The rules that an operator may override. */
export const OVERRIDABLE: readonly RuleName[] = [
  'record-removed',
  'revoked-is-final',
  'suspension-not-lifted',
  'certified-since-changed',
];

/** An exception for one issuer from a rule of change (rule record-changes). */
export interface TransitionOverride {
  readonly issuer_id: string;
  readonly rule: string;
}

/**
 * Checks a change of records against the rules for changes (rule record-changes). If a rule is overridden for an
 * issuer, its error becomes a warning that says so.
 */
export function checkTransitions(
  before: RecordSet,
  after: RecordSet,
  overrides: readonly TransitionOverride[],
): Diagnostic[] {
  return [...new Set([...before.files.keys(), ...before.issuers.keys()])].sort().flatMap((id) =>
    findViolations(id, before, after).map((found) =>
      applyOverride(
        found,
        overrides.find((one) => one.issuer_id === id && one.rule === found.rule),
      ),
    ),
  );
}

function applyOverride(found: Diagnostic, override: TransitionOverride | undefined): Diagnostic {
  if (override === undefined) return found;
  return { ...found, severity: 'warning', message: `${found.message}; overridden` };
}

function findViolations(id: string, before: RecordSet, after: RecordSet): Diagnostic[] {
  const report = (field: keyof Issuer | 'reinstated', finding: Finding) =>
    recordDiagnostic(after, { id, field }, finding);
  if (!after.files.has(id) && !after.issuers.has(id)) {
    const file = before.files.get(id)?.file ?? id;
    const message = `the record of ${id} was removed${describeRename(id, before, after)}`;
    return [diagnostic(file, WHOLE_FILE, { rule: 'record-removed', message })];
  }
  const [from, to] = [before.issuers.get(id), after.issuers.get(id)];
  // An invalid file has its own diagnostics, and no values to compare.
  if (from === undefined || to === undefined) return [];
  const found = [];
  if (from.status === 'revoked' && to.status !== 'revoked') {
    found.push(
      report('status', { rule: 'revoked-is-final', message: `status was revoked, and is now ${to.status}` }),
    );
  }
  // Without what is said beside it, a list is of the past, and nobody publishes it.
  if (from.status === 'suspended' && to.status === 'active' && after.about !== undefined) {
    const { reinstated } = after.about.get(id) ?? {};
    const problem = suspensionProblem(reinstated, before.about?.get(id), before.files.has(id));
    const field = reinstated === undefined ? 'status' : 'reinstated';
    if (problem !== undefined) found.push(report(field, { rule: 'suspension-not-lifted', ...problem }));
  }
  if (from.certified_since !== to.certified_since) {
    const message = `certified_since was ${from.certified_since}, and is now ${to.certified_since}`;
    found.push(report('certified_since', { rule: 'certified-since-changed', message }));
  }
  for (const field of ['jwks_uri', 'discovery_uri'] as const) {
    const [host, moved] = [hostOf(from[field]), hostOf(to[field])];
    if (host === moved) continue;
    const message = `${field} was on ${shown(host)}, and is now on ${shown(moved)}`;
    found.push(report(field, { rule: 'keys-moved', message }));
  }
  return found;
}

/**
 * Returns why a record does not show that its suspension has ended (rule reinstated). A record from before the suspension, such
 * as one in a clone that nobody has updated, has no `reinstated`, or an earlier one.
 *
 * @param suspended - what is said of the suspended issuer
 * @param isFile - whether the suspended record is a file, which says nothing of what was published
 */
function suspensionProblem(
  reinstated: string | undefined,
  suspended: AboutIssuer | undefined,
  isFile: boolean,
): Pick<Finding, 'message' | 'remedy'> | undefined {
  const since = suspended?.status_since;
  if (since === undefined && !isFile) return SINCE_UNKNOWN;
  if (reinstated === undefined) return { message: 'status was suspended, and there is no reinstated' };
  if (since !== undefined && instantOf(reinstated) <= instantOf(since))
    return { message: `reinstated is ${reinstated}, and the issuer is suspended since ${since}` };
  const earlier = suspended?.reinstated;
  if (earlier !== undefined && instantOf(reinstated) <= instantOf(earlier))
    return { message: `reinstated is ${reinstated}, and was ${earlier} when the issuer was suspended` };
  return undefined;
}

/** A time that is not known must not pass for an early one. */
const SINCE_UNKNOWN = {
  message:
    'status was suspended, and about.json of the published tree, which says since when, is missing or damaged',
  remedy:
    'restore about.json from the host, a mirror or a backup; if nobody has it, restore status: suspended, build, and then run `suspend --end`',
};

/**
 * Returns the host of a URL. An older list may contain a URL that does not parse; such a URL is compared as a whole.
 */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** A new record with the keys URL of the removed record is most likely the same issuer. */
function describeRename(id: string, before: RecordSet, after: RecordSet): string {
  const keys = before.issuers.get(id)?.jwks_uri;
  const successor = [...after.issuers.values()].find(
    ({ issuer_id, jwks_uri }) => jwks_uri === keys && !before.issuers.has(issuer_id),
  );
  if (successor === undefined) return '';
  return `, and ${successor.issuer_id} has its keys: a record cannot be renamed`;
}
