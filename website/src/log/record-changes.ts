import { isObject, parseStrictJson } from '@passport-registry/verifier/core';

/** A record of any list. Lists of the past may have members that are unknown today. */
export type RecordMembers = Readonly<Record<string, unknown>>;

/** A changed member of a record. A value is undefined if the record did not have the member. */
export interface MemberChange {
  readonly member: string;
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * Finds the record of an issuer in a list whose hash was verified.
 *
 * @returns undefined if the list has no such issuer
 * @throws Error if the bytes are not a list
 */
export function recordIn(list: Uint8Array, id: string): RecordMembers | undefined {
  const { issuers } = parseStrictJson(list) as { issuers: readonly unknown[] };
  return issuers.filter(isObject).find(({ issuer_id }) => issuer_id === id);
}

/** Returns the members that differ between two records. */
export function changesOf(older: RecordMembers, newer: RecordMembers): MemberChange[] {
  const valueIn = (record: RecordMembers, member: string) =>
    Object.hasOwn(record, member) ? record[member] : undefined;
  return [...new Set([...Object.keys(newer), ...Object.keys(older)])]
    .map((member) => ({ member, from: valueIn(older, member), to: valueIn(newer, member) }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}
