import type { Issuer } from '../core/generated/schemas.js';
import { ListIndex } from '../core/list/list-index.js';
import { recordText } from '../core/list/list-text.js';
import {
  type CurrentRecords,
  type FollowedList,
  followList,
  type ListChange,
  type NewerList,
} from '../core/publication/follow-changes.js';
import type { RegistryFiles } from '../core/publication/registry-files.js';
import { type CurrentTree, currentTreeSteps, type TextRecord } from '../core/sums/current-tree.js';
import type { NamedSums } from '../core/sums/sums-file.js';
import { inTime } from '../http/bounded-fetch.js';
import { BackgroundWork } from './background-work.js';

/** How long an update waits for the tree of sums of the current list, in milliseconds. */
const MAX_WAIT_MS = 5000;

/**
 * The records that a client answers from, and their tree of sums. A change is applied in place and at once: readers see the
 * list before it or after it.
 */
export class CurrentList extends ListIndex implements CurrentRecords {
  readonly #named: NamedSums | undefined;
  #tree: CurrentTree | undefined;
  /** The trees that are being computed, by their number of levels. */
  readonly #works = new Map<number, BackgroundWork<CurrentTree>>();
  #isStopped = false;

  /**
   * @param issuers - sorted by id. Changes modify this array
   * @param named - the tree of sums that the publication statement names for these records
   */
  constructor(issuers: Issuer[], named: NamedSums | undefined) {
    super(issuers);
    this.#named = named;
  }

  /** Starts to compute the tree of sums in the background. The first update needs it. */
  startHashing(): void {
    if (this.#tree !== undefined || this.#named === undefined) return;
    // The code that waits for the result gets the error.
    this.#hash(this.#named.levels)
      .result()
      .catch(() => undefined);
  }

  /** Ends the work in the background. */
  stop(): void {
    this.#isStopped = true;
    this.#stopWorks();
  }

  /**
   * Returns the tree of sums of the current records, with a number of levels.
   *
   * @returns undefined if the tree takes too long, or if it is not the one that the publication statement named: the
   *   records and the sums of such a registry do not belong together
   */
  async tree(levels: number): Promise<CurrentTree | undefined> {
    const tree = this.#tree ?? (await this.#awaitNamed(levels));
    if (tree === undefined || tree.levels === levels) return tree;
    return this.#await(levels);
  }

  /** Reads what leads to a newer list. The list stays as it is. */
  follow(files: RegistryFiles, newer: NewerList): Promise<FollowedList | undefined> {
    return followList(files, this, { ...newer, work: (steps) => new BackgroundWork(steps).result() });
  }

  /** Applies a change that has been verified. */
  update({ records, tree, treeChange }: ListChange): void {
    this.#stopWorks();
    this.apply(records);
    tree.apply(treeChange);
    this.#tree = tree;
  }

  async #awaitNamed(levels: number): Promise<CurrentTree | undefined> {
    const named = this.#named;
    const tree = await this.#await(named?.levels ?? levels);
    if (named !== undefined && tree?.sha256 !== named.sumsSha256) return undefined;
    this.#tree ??= tree;
    return tree;
  }

  #await(levels: number): Promise<CurrentTree | undefined> {
    return this.#isStopped
      ? Promise.resolve(undefined)
      : inTime(this.#hash(levels).result(), MAX_WAIT_MS, () => undefined);
  }

  #hash(levels: number): BackgroundWork<CurrentTree> {
    const work = this.#works.get(levels) ?? new BackgroundWork(currentTreeSteps(this.#texts(), levels));
    this.#works.set(levels, work);
    return work;
  }

  #stopWorks(): void {
    for (const work of this.#works.values()) work.stop();
    this.#works.clear();
  }

  *#texts(): Iterable<TextRecord> {
    for (const issuer of this.issuers) yield { id: issuer.issuer_id, text: () => recordText(issuer) };
  }
}
