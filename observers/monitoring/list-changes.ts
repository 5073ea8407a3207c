import type { IssuerRegistry } from '@passport-registry/verifier';
import { isError } from '../../generator/diagnostics/diagnostic.js';
import { recordsOfList } from '../../generator/records/check-records.js';
import {
  describeDifference,
  type IssuerChange,
  listDifference,
  weightiestFirst,
} from '../../generator/review/difference.js';
import { checkTransitions } from '../../generator/review/forbidden-changes.js';
import { finding, type Report } from './finding.js';
import type { KnownPublication } from './known-log.js';

/** Which changes a monitor tells. */
export interface Watch {
  /** The ids of the issuers whose changes are told. If there are none, the changes of all issuers are notes. */
  readonly issuers: readonly string[];
  /** The first entry of the log whose changes are told. */
  readonly from: number;
  /** The number of entries before the publication that the host publishes. -1 if that is not known. */
  readonly published: number;
}

/** A list and its publication. */
export interface PublishedRegistry {
  readonly registry: IssuerRegistry;
  readonly publication: KnownPublication;
}

/**
 * Reports what a publication changed against the list before, and changes that no registry may make
 * (rule record-changes).
 */
export function reportChanges(
  before: IssuerRegistry,
  { registry, publication }: PublishedRegistry,
  { watch, report }: { readonly watch: Watch; readonly report: Report },
): void {
  const { index, sequence } = publication;
  const [old, current] = [recordsOfList(before.issuers), recordsOfList(registry.issuers)];
  for (const { rule, file: issuer_id, message } of checkTransitions(old, current, []).filter(isError)) {
    const text = `publication ${sequence} breaks the rule ${rule} for ${issuer_id}: ${message}`;
    report(finding('forbidden-change', text, { entry: index, sequence, rule, issuer_id }));
  }
  if (index < watch.from) return;
  const changes = listDifference(before, registry);
  const issuers = changes.map(({ issuer_id }) => issuer_id);
  const changed = issuers.length === 1 ? '1 issuer' : `${issuers.length} issuers`;
  const message = `publication ${sequence} of ${registry.updated_at}, entry ${index}, changes ${changed}`;
  report(
    finding('publication-logged', message, { entry: index, sequence, since: registry.updated_at, issuers }),
  );
  for (const change of changes) {
    const isWatched = watch.issuers.includes(change.issuer_id);
    if (!isWatched && watch.issuers.length > 0) continue;
    const isPending = watch.published !== -1 && index > watch.published;
    report(changeOf(change, { registry, publication }, { isWatched, isPending }));
  }
}

function changeOf(
  change: IssuerChange,
  { registry, publication }: PublishedRegistry,
  { isWatched, isPending }: { readonly isWatched: boolean; readonly isPending: boolean },
) {
  const { issuer_id, kind } = change;
  const { index, sequence } = publication;
  const record = registry.issuers.find((issuer) => issuer.issuer_id === issuer_id);
  const records = record === undefined ? [] : [record];
  // The first two characters of each line are a mark, such as "~ ".
  const lines = describeDifference([change], recordsOfList(records)).map((line) => line.slice(2));
  const since = registry.updated_at;
  const fields = weightiestFirst(change.fields).map(({ field, from, to }) => ({
    field,
    from: from ?? null,
    to: to ?? null,
  }));
  return finding(
    isWatched ? 'watched-issuer-changed' : 'issuer-changed',
    `${lines.join('; ')}, since ${since}, by publication ${sequence}${isPending ? ', which is not published yet' : ''}`,
    { entry: index, sequence, since, issuer_id, kind, fields, ...(isPending && { pending: true }) },
  );
}
