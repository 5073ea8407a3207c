import type { ListBytes } from './list.js';

/** A list that is published, rightly signed. */
export interface PublishedList {
  /** The bytes of its issuers.json. */
  readonly bytes: Uint8Array;
  /** Their SHA-256, in hexadecimal. */
  readonly sha256: string;
  readonly updatedAt: string;
  /** The canonical bytes of its records, by id; found when they are first asked for. */
  records(): ReadonlyMap<string, Uint8Array>;
}

/** What a list says otherwise than the one that is published. */
export interface ListDiff {
  readonly before: PublishedList;
  /** The records that are new or other than before: their canonical bytes by id, sorted by id. */
  readonly changed: ReadonlyMap<string, Uint8Array>;
  /** The ids that are gone, sorted. */
  readonly removed: readonly string[];
}

/** Compares a list with the one that is published. */
export function diffLists(before: PublishedList, list: ListBytes): ListDiff {
  if (Buffer.compare(before.bytes, list.list) === 0) return { before, changed: new Map(), removed: [] };
  const old = before.records();
  const changed = new Map<string, Uint8Array>();
  for (const [id, bytes] of list.records) {
    const was = old.get(id);
    if (was !== bytes && (was === undefined || Buffer.compare(was, bytes) !== 0)) changed.set(id, bytes);
  }
  const removed: string[] = [];
  for (const id of old.keys()) if (!list.records.has(id)) removed.push(id);
  return { before, changed, removed };
}
