import { canonicalBytes, ISSUER_FIELDS, type Issuer, type IssuerRegistry } from '@passport-registry/verifier';
import { byId } from '../records/check-records.js';

/** A field that has another value than before; undefined is a field that is not there. */
export interface FieldChange {
  readonly field: keyof Issuer;
  readonly from: unknown;
  readonly to: unknown;
}

/** What a list says otherwise about one issuer than the list before. */
export interface IssuerChange {
  readonly issuer_id: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** For a change: every field, in the order of the schema. */
  readonly fields: readonly FieldChange[];
}

/** The difference between two lists, by issuer. Without a list before, every issuer is added. */
export function listDifference(before: IssuerRegistry | undefined, after: IssuerRegistry): IssuerChange[] {
  return difference(byId(before?.issuers ?? []), byId(after.issuers));
}

/** The difference between two sets of issuers. */
export function difference(
  old: ReadonlyMap<string, Issuer>,
  current: ReadonlyMap<string, Issuer>,
): IssuerChange[] {
  const ids = [...new Set([...old.keys(), ...current.keys()])].sort();
  return ids.flatMap((issuer_id): IssuerChange[] => {
    const [from, to] = [old.get(issuer_id), current.get(issuer_id)];
    if (from === undefined) return [{ issuer_id, kind: 'added', fields: [] }];
    if (to === undefined) return [{ issuer_id, kind: 'removed', fields: [] }];
    const fields = fieldChanges(from, to);
    return fields.length === 0 ? [] : [{ issuer_id, kind: 'changed', fields }];
  });
}

function fieldChanges(from: Issuer, to: Issuer): FieldChange[] {
  const spelt = (value: unknown) =>
    value === undefined ? '' : Buffer.from(canonicalBytes(value)).toString();
  return ISSUER_FIELDS.filter((field) => spelt(from[field]) !== spelt(to[field])).map((field) => ({
    field,
    from: from[field],
    to: to[field],
  }));
}

/** A difference in words, a line for each thing that is to be looked at: status and tier first. */
export function describeDifference(
  changes: readonly IssuerChange[],
  records: ReadonlyMap<string, Issuer>,
): string[] {
  const value = (found: unknown) => (found === undefined ? '(none)' : JSON.stringify(found));
  return changes.flatMap(({ issuer_id, kind, fields }) => {
    const record = records.get(issuer_id);
    if (kind === 'added')
      return [`+ ${issuer_id}: new, ${record?.tier}, ${record?.status}, keys at ${record?.jwks_uri}`];
    if (kind === 'removed') return [`- ${issuer_id}: REMOVED`];
    return weightiestFirst(fields).map(
      ({ field, from, to }) => `~ ${issuer_id}: ${field} ${value(from)} -> ${value(to)}`,
    );
  });
}

/** Changes in the order in which a reviewer wants them: status and tier, then where the keys are, then the others. */
export function weightiestFirst(fields: readonly FieldChange[]): FieldChange[] {
  const weight = ({ field }: FieldChange) =>
    ['status', 'tier', 'jwks_uri', 'discovery_uri'].indexOf(field) >>> 0;
  return [...fields].sort((a, b) => weight(a) - weight(b));
}
