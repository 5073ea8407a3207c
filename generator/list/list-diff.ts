import type { ListBytes } from './list.js';

/** A published list with a valid signature. */
export interface PublishedList {
  /** The bytes of its issuers.json. */
  readonly bytes: Uint8Array;
  readonly updatedAt: string;
  /** The canonical bytes of its records, by id. Computed on the first call. */
  records(): ReadonlyMap<string, Uint8Array>;
}

/** The differences between a list and the published list. */
export interface ListDiff {
  readonly before: PublishedList;
  /** The canonical bytes of new and changed records, by id, sorted by id. */
  readonly changed: ReadonlyMap<string, Uint8Array>;
  /** The removed ids, sorted. */
  readonly removed: readonly string[];
}

/** Compares a list with the published list. */
export function diffLists(before: PublishedList, list: ListBytes): ListDiff {
  if (Buffer.compare(before.bytes, list.list) === 0) return { before, changed: new Map(), removed: [] };
  const old = before.records();
  const changed = new Map<string, Uint8Array>();
  for (const [id, bytes] of list.records) {
    const previous = old.get(id);
    if (previous !== bytes && (previous === undefined || Buffer.compare(previous, bytes) !== 0))
      changed.set(id, bytes);
  }
  const removed = [...old.keys()].filter((id) => !list.records.has(id));
  return { before, changed, removed };
}
