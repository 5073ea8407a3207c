import type { Issuer } from '@passport-registry/verifier';
import {
  ABOUT_FIELDS,
  type AboutIssuer,
  canonicalBytes,
  ISSUER_FIELDS,
} from '@passport-registry/verifier/core';
import { isError } from '../diagnostics/diagnostic.js';
import { type RecordSet, recordsOfList } from '../records/check-records.js';

/** A field whose value has changed. The value undefined means that the field is absent. */
interface FieldChange {
  readonly field: keyof Issuer | keyof AboutIssuer;
  readonly from: unknown;
  readonly to: unknown;
}

/** The change of one issuer from one list to the next. */
export interface IssuerChange {
  readonly issuer_id: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** For the kind `changed`: the changed fields, in the order of the schema, then the name and the reason. */
  readonly fields: readonly FieldChange[];
}

/** What a change does to the issuers. */
export interface Comparison {
  readonly changes: readonly IssuerChange[];
  /** The files of the new version that were not compared, because they contain no valid record. */
  readonly notCompared: readonly string[];
}

/** Compares two sets of records. A record that exists but is invalid has not been removed. */
export function compareRecords(before: Compared, after: RecordSet): Comparison {
  const changes = difference(before, after).filter(
    ({ issuer_id, kind }) => kind !== 'removed' || !after.files.has(issuer_id),
  );
  const valid = [...after.files].filter(([id]) => after.issuers.has(id)).map(([, { file }]) => file);
  const faulty = after.diagnostics.filter((found) => isError(found) && found.rule !== 'no-records');
  return {
    changes,
    notCompared: [...new Set(faulty.map(({ file }) => file))].filter((file) => !valid.includes(file)),
  };
}

/** Keeps only the published records of the issuers whose records are compared. */
export function onlyIssuersOf(published: RecordSet, compared: RecordSet): RecordSet {
  const isCompared = ([id]: [string, unknown]) => compared.files.has(id) || compared.issuers.has(id);
  return {
    ...published,
    issuers: new Map([...published.issuers].filter(isCompared)),
    files: new Map([...published.files].filter(isCompared)),
  };
}

/** Issuers, and their names and reasons as far as they are known. */
export type Compared = Pick<RecordSet, 'issuers' | 'about'>;

/** No issuers, and so no names: what is before a first list. */
export const NO_RECORDS: Compared = recordsOfList([], new Map());

/** Compares two sets of issuers. Names and reasons are compared only if both sides are known. */
export function difference(old: Compared, current: Compared): IssuerChange[] {
  const ids = [...new Set([...old.issuers.keys(), ...current.issuers.keys()])].sort();
  const areNamesKnown = old.about !== undefined && current.about !== undefined;
  return ids.flatMap((issuer_id): IssuerChange[] => {
    const [from, to] = [old.issuers.get(issuer_id), current.issuers.get(issuer_id)];
    if (from === undefined) return [{ issuer_id, kind: 'added', fields: [] }];
    if (to === undefined) return [{ issuer_id, kind: 'removed', fields: [] }];
    const names = areNamesKnown ? aboutChanges(old.about.get(issuer_id), current.about.get(issuer_id)) : [];
    const fields = [...fieldChanges(ISSUER_FIELDS, from, to), ...names];
    return fields.length === 0 ? [] : [{ issuer_id, kind: 'changed', fields }];
  });
}

/** Compares what people are told of an issuer, besides its record. */
export function aboutChanges(from: AboutIssuer = {}, to: AboutIssuer = {}): FieldChange[] {
  return fieldChanges(ABOUT_FIELDS, from, to);
}

function fieldChanges<Field extends FieldChange['field']>(
  fields: readonly Field[],
  before: Readonly<Partial<Record<Field, unknown>>>,
  after: Readonly<Partial<Record<Field, unknown>>>,
): FieldChange[] {
  const encode = (value: unknown) =>
    value === undefined ? '' : Buffer.from(canonicalBytes(value)).toString();
  return fields
    .map((field) => ({ field, from: before[field], to: after[field] }))
    .filter(({ from, to }) => encode(from) !== encode(to));
}

/** Describes a difference for people, with one line per change. Within an issuer, status and tier come first. */
export function describeDifference(changes: readonly IssuerChange[], records: Compared): string[] {
  const value = (found: unknown) => (found === undefined ? '(none)' : JSON.stringify(found));
  return changes.flatMap(({ issuer_id, kind, fields }) => {
    if (kind === 'added') {
      const { tier, status, jwks_uri } = records.issuers.get(issuer_id) ?? {};
      const { name, status_reason } = records.about?.get(issuer_id) ?? {};
      const named = name === undefined ? '' : `, name ${value(name)}`;
      const reason = status_reason === undefined ? '' : `, status_reason ${value(status_reason)}`;
      return [`+ ${issuer_id}: new, ${tier}, ${status}, keys at ${jwks_uri}${named}${reason}`];
    }
    if (kind === 'removed') return [`- ${issuer_id}: REMOVED`];
    return weightiestFirst(fields).map(
      ({ field, from, to }) => `~ ${issuer_id}: ${field} ${value(from)} -> ${value(to)}`,
    );
  });
}

/**
 * Sorts changes by their weight for a reviewer: status and tier, then the URLs of keys and metadata, then the others.
 */
export function weightiestFirst(fields: readonly FieldChange[]): FieldChange[] {
  const weight = ({ field }: FieldChange) =>
    ['status', 'tier', 'jwks_uri', 'discovery_uri'].indexOf(field) >>> 0;
  return [...fields].sort((a, b) => weight(a) - weight(b));
}
