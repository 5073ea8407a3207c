import { ISSUER_FIELDS, type Issuer } from '@passport-registry/verifier';

/** The list and its records as canonical bytes (SPEC B1). */
export interface ListBytes {
  readonly updatedAt: string;
  /** The bytes of issuers.json. */
  readonly list: Uint8Array;
  /** The bytes of every issuers/<issuer_id>, by id. */
  readonly records: ReadonlyMap<string, Uint8Array>;
}

/** In the order in which RFC 8785 wants them: sorted as UTF-16. */
const SORTED_FIELDS = [...ISSUER_FIELDS].sort();

/**
 * The canonical bytes of a record. A record that conforms is made of texts and lists of texts, and with its fields in order
 * `JSON.stringify` writes it as RFC 8785 asks, at a tenth of the cost of canonicalising any value. The verification that comes
 * before anything is written holds it to the canonical form.
 */
function recordBytes(record: Issuer): Uint8Array {
  return Buffer.from(JSON.stringify(record, SORTED_FIELDS));
}

/** The canonical bytes of some records by id, sorted by id. */
export function recordsBytes(records: Iterable<Issuer>): Map<string, Uint8Array> {
  const sorted = [...records].sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  return new Map(sorted.map((record) => [record.issuer_id, recordBytes(record)]));
}

/**
 * The canonical bytes of the list. Canonical JSON of a whole is made of the canonical JSON of its parts, and
 * `issuers` sorts before `updated_at`, so each record is canonicalised once and used twice.
 *
 * @param records - by id, sorted by id
 * @param updatedAt - UTC to the second, ending in Z
 */
export function listBytes(records: ReadonlyMap<string, Uint8Array>, updatedAt: string): ListBytes {
  const list = Buffer.concat([Buffer.from('{"issuers":['), ...separated(records.values()), end(updatedAt)]);
  return { updatedAt, list, records };
}

/** A list under another time. */
export function withUpdatedAt({ list, records, updatedAt: before }: ListBytes, updatedAt: string): ListBytes {
  const issuers = list.subarray(0, list.length - end(before).length);
  return { updatedAt, list: Buffer.concat([issuers, end(updatedAt)]), records };
}

function end(updatedAt: string): Buffer {
  return Buffer.from(`],"updated_at":${JSON.stringify(updatedAt)}}`);
}

const COMMA = Buffer.from(',');

/** Records with commas between them. */
function separated(records: Iterable<Uint8Array>): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (const record of records) {
    if (parts.length > 0) parts.push(COMMA);
    parts.push(record);
  }
  return parts;
}
