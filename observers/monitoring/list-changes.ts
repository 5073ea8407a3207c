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
import { type Finding, finding, issuerChanged } from './finding.js';
import type { KnownPublication } from './known-log.js';

/** Which changes of lists are told. */
export interface Watch {
  /** The ids of the issuers whose changes are told. If there are none, the changes of all issuers are notes. */
  readonly issuers: readonly string[];
  /** The first entry of the log whose changes are told. */
  readonly from: number;
  /** The number of entries before the publication that the host publishes. -1 if that is not known. */
  readonly published: number;
}

/** A list and its publication. */
interface PublishedRegistry {
  readonly registry: IssuerRegistry;
  readonly publication: KnownPublication;
}

/**
 * Returns what a publication changed against the list before, and changes that no registry may make
 * (rule record-changes).
 */
export function changeFindings(
  before: IssuerRegistry,
  { registry, publication }: PublishedRegistry,
  watch: Watch,
): Finding[] {
  const { index, sequence } = publication;
  const [old, current] = [recordsOfList(before.issuers), recordsOfList(registry.issuers)];
  const forbidden = checkTransitions(old, current, [])
    .filter(isError)
    .map(({ rule, file: issuer_id, message }) => {
      const text = `publication ${sequence} breaks the rule ${rule} for ${issuer_id}: ${message}`;
      return finding('forbidden-change', text, { entry: index, sequence, rule, issuer_id });
    });
  if (index < watch.from) return forbidden;
  const changes = listDifference(before, registry);
  const issuers = changes.map(({ issuer_id }) => issuer_id);
  const changed = issuers.length === 1 ? '1 issuer' : `${issuers.length} issuers`;
  const message = `publication ${sequence} of ${registry.updated_at}, entry ${index}, changes ${changed}`;
  return [
    ...forbidden,
    finding('publication-logged', message, { entry: index, sequence, since: registry.updated_at, issuers }),
    ...changes.flatMap((change) => changeOf(change, { registry, publication }, watch)),
  ];
}

function changeOf(
  change: IssuerChange,
  { registry, publication }: PublishedRegistry,
  watch: Watch,
): Finding[] {
  const { issuer_id, kind } = change;
  const { index, sequence } = publication;
  const record = registry.issuers.find((issuer) => issuer.issuer_id === issuer_id);
  const records = record === undefined ? [] : [record];
  // The first two characters of each line are a mark, such as "~ ".
  const lines = describeDifference([change], recordsOfList(records)).map((line) => line.slice(2));
  const since = registry.updated_at;
  const isPending = watch.published !== -1 && index > watch.published;
  const fields = weightiestFirst(change.fields).map(({ field, from, to }) => ({
    field,
    from: from ?? null,
    to: to ?? null,
  }));
  return issuerChanged(
    watch.issuers,
    `${lines.join('; ')}, since ${since}, by publication ${sequence}${isPending ? ', which is not published yet' : ''}`,
    { entry: index, sequence, since, issuer_id, kind, fields, ...(isPending && { pending: true }) },
  );
}
