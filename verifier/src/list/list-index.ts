import type { Issuer } from '../generated/schemas.js';

/** Records by id. Undefined stands for a record that is removed. */
export type RecordChanges = ReadonlyMap<string, Issuer | undefined>;

/** The records of a list, by id. */
export class ListIndex {
  #issuers: readonly Issuer[];
  readonly #byId: Map<string, Issuer>;

  /** @param issuers - sorted by id */
  constructor(issuers: readonly Issuer[]) {
    this.#issuers = issuers;
    this.#byId = new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
  }

  /** All records, sorted by id. A change replaces this array and does not modify it. */
  get issuers(): readonly Issuer[] {
    return this.#issuers;
  }

  /** Returns the record of an issuer, or undefined if there is none. */
  get(issuerId: string): Issuer | undefined {
    return this.#byId.get(issuerId);
  }

  /** Returns all records as they are after some changes, sorted by id. Does not change the index. */
  issuersAfter(changes: RecordChanges): readonly Issuer[] {
    const before = this.#issuers;
    const parts: (readonly Issuer[])[] = [];
    let copied = 0;
    for (const id of [...changes.keys()].sort()) {
      const place = this.#placeOf(id);
      const issuer = changes.get(id);
      parts.push(before.slice(copied, place), issuer === undefined ? [] : [issuer]);
      copied = before[place]?.issuer_id === id ? place + 1 : place;
    }
    return ([] as Issuer[]).concat(...parts, before.slice(copied));
  }

  /** Changes some records. The cost does not depend on the number of other records, apart from one copied array. */
  apply(changes: RecordChanges): void {
    this.#issuers = this.issuersAfter(changes);
    for (const [id, issuer] of changes) {
      if (issuer === undefined) this.#byId.delete(id);
      else this.#byId.set(id, issuer);
    }
  }

  /** Returns the index of the first record whose id is not smaller. */
  #placeOf(id: string): number {
    let [low, high] = [0, this.#issuers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#issuers[middle] as Issuer).issuer_id < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
