import type { Issuer, RootKey } from '@passport-registry/verifier';
import { ISSUER_FIELDS, type PublicationStatement, type SumsTree } from '@passport-registry/verifier/core';

/** A list and its records as canonical bytes (rule list-form). */
export interface ListBytes {
  readonly updatedAt: string;
  /** The bytes of issuers.json. */
  readonly list: Uint8Array;
  /** The bytes of each issuers/<issuer_id>, by id. */
  readonly records: ReadonlyMap<string, Uint8Array>;
}

/** The fields in the order that RFC 8785 requires: sorted by UTF-16 code units. */
const SORTED_FIELDS = [...ISSUER_FIELDS].sort();

/**
 * The canonical bytes of a record. A valid record contains only strings and lists of strings, apart from null. For such
 * a record with sorted fields, `JSON.stringify` produces the form of RFC 8785, at a tenth of the cost of a general
 * canonicalizer. The verification before the tree is written checks the canonical form.
 */
function recordBytes(record: Issuer): Uint8Array {
  return Buffer.from(JSON.stringify(record, SORTED_FIELDS));
}

/** The canonical bytes of records by id, sorted by id. */
export function recordsBytes(records: Iterable<Issuer>): Map<string, Uint8Array> {
  const sorted = [...records].sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  return new Map(sorted.map((record) => [record.issuer_id, recordBytes(record)]));
}

/**
 * The canonical bytes of the list. The canonical JSON of an object consists of the canonical JSON of its members, and
 * `issuers` sorts before `updated_at`. Each record is therefore serialized once and used twice.
 *
 * @param records - the bytes of the records by id, sorted by id
 * @param updatedAt - UTC to the second, ending in Z
 */
export function listBytes(records: ReadonlyMap<string, Uint8Array>, updatedAt: string): ListBytes {
  const list = Buffer.concat([
    Buffer.from('{"issuers":['),
    ...[...records.values()].flatMap((record, at) => (at === 0 ? [record] : [COMMA, record])),
    endOfList(updatedAt),
  ]);
  return { updatedAt, list, records };
}

/** The same list with another `updated_at`. */
export function withUpdatedAt({ list, records, updatedAt: before }: ListBytes, updatedAt: string): ListBytes {
  const issuers = list.subarray(0, list.length - endOfList(before).length);
  return { updatedAt, list: Buffer.concat([issuers, endOfList(updatedAt)]), records };
}

function endOfList(updatedAt: string): Buffer {
  return Buffer.from(`],"updated_at":${JSON.stringify(updatedAt)}}`);
}

const COMMA = Buffer.from(',');

/** A list with everything that its root key has signed of it, and that root key. */
export interface SignedPublication {
  readonly list: ListBytes;
  /** The payload hash: SHA-256 of the list, in hexadecimal. */
  readonly sha256: string;
  /** The content of issuers.sig. */
  readonly signature: string;
  readonly statement: PublicationStatement;
  readonly sums: SumsTree;
  /** The bytes of about.json; undefined if no issuer has a name or a reason. */
  readonly about: Uint8Array | undefined;
  readonly rootKey: RootKey;
  /** Whether a development key signed the list. */
  readonly development: boolean;
  /** Whether the list and its signature are the published ones, unchanged. */
  readonly kept: boolean;
}
