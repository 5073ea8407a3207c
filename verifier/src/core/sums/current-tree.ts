import { hashHex } from '../bytes/sha256-sync.js';
import type { Steps } from '../bytes/steps.js';
import { placeOf, prefixOf, readSums, type Sums, sumsPath } from './sums-file.js';
import { type SummedRecord, type SumsTree, sumsTreeSteps } from './sums-tree.js';

/** A record of which only the text is known. */
export interface TextRecord {
  readonly id: string;
  /** Returns the record as it is published. */
  readonly text: () => string;
}

/** What turns a tree of sums into another one with the same number of levels. */
export interface TreeChange {
  /** SHA-256 of `sums/root` after the change. */
  readonly sha256: string;
  /** New content of sums files, by prefix. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The prefixes of branches that are removed. */
  readonly removed: readonly string[];
}

const NONE: Sums = new Map();

/** The tree of sums of the current list, which changes with it (rule sums-updates). */
export class CurrentTree {
  readonly levels: number;
  #sha256: string;
  readonly #files: Map<string, Uint8Array>;

  constructor({ levels, sha256, files }: SumsTree) {
    this.levels = levels;
    this.#sha256 = sha256;
    this.#files = new Map(files);
  }

  /** SHA-256 of `sums/root`. */
  get sha256(): string {
    return this.#sha256;
  }

  /** Returns the lines of a sums file. There are none if the tree does not have the file. */
  sums(prefix: string): Sums {
    const bytes = this.#files.get(sumsPath(prefix));
    return bytes === undefined ? NONE : readSums(bytes, { prefix, levels: this.levels });
  }

  /** Returns the size of a sums file in bytes; 0 if the tree does not have the file. */
  size(prefix: string): number {
    return this.#files.get(sumsPath(prefix))?.length ?? 0;
  }

  /** Returns the SHA-256 of all records below a sums file, by path. */
  *recordsBelow(prefix: string): Iterable<readonly [path: string, sha256: string]> {
    if (prefix.length === this.levels) yield* this.sums(prefix);
    else for (const child of this.sums(prefix).keys()) yield* this.recordsBelow(prefixOf(child));
  }

  /** Applies a change, whose files must have been verified. */
  apply({ sha256, files, removed }: TreeChange): void {
    for (const prefix of removed) this.#remove(prefix);
    for (const [prefix, bytes] of files) this.#files.set(sumsPath(prefix), bytes);
    this.#sha256 = sha256;
  }

  #remove(prefix: string): void {
    if (prefix.length < this.levels) {
      for (const child of this.sums(prefix).keys()) this.#remove(prefixOf(child));
    }
    this.#files.delete(sumsPath(prefix));
  }
}

/** Computes the tree of sums of some records, in small steps. @param records - sorted by id */
export function* currentTreeSteps(records: Iterable<TextRecord>, levels: number): Steps<CurrentTree> {
  return new CurrentTree(yield* sumsTreeSteps(summed(records), levels, hashHex));
}

function* summed(records: Iterable<TextRecord>): Iterable<SummedRecord> {
  for (const { id, text } of records) yield { id, place: placeOf(id), sha256: hashHex(text()) };
}
