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
  const isOld = (id: string, bytes: Uint8Array) => {
    const was = old.get(id);
    return was === bytes || (was !== undefined && Buffer.compare(was, bytes) === 0);
  };
  return {
    before,
    changed: new Map([...list.records].filter(([id, bytes]) => !isOld(id, bytes))),
    removed: [...old.keys()].filter((id) => !list.records.has(id)),
  };
}
