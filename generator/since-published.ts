import type { ListBytes } from './list.js';
import type { PublishedList } from './published.js';

/** What a list says otherwise than the one that is published. */
export interface SincePublished {
  readonly before: PublishedList;
  /** The records that are new or other than before: their canonical bytes by id, sorted by id. */
  readonly changed: ReadonlyMap<string, Uint8Array>;
  /** The ids that are gone, sorted. */
  readonly removed: readonly string[];
}

/** Compares a list with the one that is published. */
export function sincePublished(before: PublishedList, list: ListBytes): SincePublished {
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
