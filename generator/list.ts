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
export function recordBytes(record: Issuer): Uint8Array {
  return Buffer.from(JSON.stringify(record, SORTED_FIELDS));
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
export function atTime({ list, records, updatedAt: before }: ListBytes, updatedAt: string): ListBytes {
  const issuers = list.subarray(0, list.length - end(before).length);
  return { updatedAt, list: Buffer.concat([issuers, end(updatedAt)]), records };
}

function end(updatedAt: string): Buffer {
  return Buffer.from(`],"updated_at":${JSON.stringify(updatedAt)}}`);
}

const COMMA = Buffer.from(',');

/** Records with commas between them. Those that follow each other in the list that they come from are taken over at once. */
function separated(records: Iterable<Uint8Array>): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let memory: Uint8Array = new Uint8Array();
  let start = 0;
  let end = 0;
  for (const record of records) {
    const { buffer, byteOffset, length } = record;
    const follows = buffer === memory.buffer && byteOffset === end + 1 && memory[end] === COMMA[0];
    if (!follows) {
      if (end > start) parts.push(memory.subarray(start, end), COMMA);
      if (buffer !== memory.buffer) memory = new Uint8Array(buffer);
      start = byteOffset;
    }
    end = byteOffset + length;
  }
  return [...parts, memory.subarray(start, end)];
}
