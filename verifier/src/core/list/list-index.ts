import type { Issuer } from '../generated/schemas.js';

/** Records by id. Undefined stands for a record that is removed. */
export type RecordChanges = ReadonlyMap<string, Issuer | undefined>;

/** The records of a list, by id. A newer list is made of them by changes (rule sums-updates). */
export class ListIndex {
  #issuers: Issuer[];
  readonly #byId = new Map<string, Issuer>();

  /** @param issuers - sorted by id. The index changes this array */
  constructor(issuers: Issuer[]) {
    this.#issuers = issuers;
    for (const issuer of issuers) this.#byId.set(issuer.issuer_id, issuer);
  }

  /** All records, sorted by id. Later changes may modify the array. */
  get issuers(): readonly Issuer[] {
    return this.#issuers;
  }

  /** Returns the record of an issuer, or undefined if there is none. */
  get(issuerId: string): Issuer | undefined {
    return this.#byId.get(issuerId);
  }

  /** Returns the number of records after some changes. */
  countAfter(changes: RecordChanges): number {
    let count = this.#byId.size;
    for (const [id, issuer] of changes) count += Number(issuer !== undefined) - Number(this.#byId.has(id));
    return count;
  }

  /** Returns all records as they are after some changes, sorted by id. Does not change the index. */
  issuersAfter(changes: RecordChanges): Issuer[] {
    const before = this.#issuers;
    const parts: (readonly Issuer[])[] = [];
    let copied = 0;
    for (const id of [...changes.keys()].sort()) {
      const index = this.#indexOf(id);
      const issuer = changes.get(id);
      parts.push(before.slice(copied, index), issuer === undefined ? [] : [issuer]);
      copied = before[index]?.issuer_id === id ? index + 1 : index;
    }
    return ([] as Issuer[]).concat(...parts, before.slice(copied));
  }

  /** Changes some records. The cost depends on their number alone, unless records are added or removed. */
  apply(changes: RecordChanges): void {
    const replaces = ([id, issuer]: readonly [string, Issuer | undefined]) =>
      issuer !== undefined && this.#byId.has(id);
    if ([...changes].every(replaces)) {
      for (const [id, issuer] of changes) this.#issuers[this.#indexOf(id)] = issuer as Issuer;
    } else {
      this.#issuers = this.issuersAfter(changes);
    }
    for (const [id, issuer] of changes) {
      if (issuer === undefined) this.#byId.delete(id);
      else this.#byId.set(id, issuer);
    }
  }

  /** Returns the index of the first record whose id is not smaller. */
  #indexOf(id: string): number {
    let low = 0;
    let high = this.#issuers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#issuers[middle] as Issuer).issuer_id < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
