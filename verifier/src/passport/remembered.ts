import { BoundedMap } from './bounded-map.js';

/** How long answers are kept. Times are in milliseconds. */
export interface RememberedOptions {
  /** How long an answer is used. */
  readonly maxAge: number;
  /** How long it is used beyond that, while a newer one cannot be had. */
  readonly grace: number;
  /** How long nobody asks again after a failure, nor for a newer answer than the one at hand. */
  readonly cooldown: number;
  readonly maxEntries: number;
  readonly now: () => number;
  /** Whether an error says that the answer could not be had, and not that it was wrong: only then is there a grace. */
  readonly isPassing: (error: unknown) => boolean;
}

interface Entry<Value> {
  answer?: { readonly value: Value; readonly at: number };
  failure?: { readonly error: unknown; readonly at: number };
  pending?: Promise<Value>;
}

/** Answers of others, kept for a while. Questions at the same time share one request. */
export class Remembered<Value> {
  readonly #options: RememberedOptions;
  readonly #entries: BoundedMap<string, Entry<Value>>;

  constructor(options: RememberedOptions) {
    this.#options = options;
    this.#entries = new BoundedMap(options.maxEntries);
  }

  /** The answer at hand, while it is fresh; else what `load` gives. */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    return this.#youngerThan(this.#options.maxAge, key, load);
  }

  /** An answer newer than the one at hand; or that one, where it is too young for another request. */
  newer(key: string, load: () => Promise<Value>): Promise<Value> {
    return this.#youngerThan(this.#options.cooldown, key, load);
  }

  #youngerThan(span: number, key: string, load: () => Promise<Value>): Promise<Value> {
    const entry = this.#entry(key);
    const { answer } = entry;
    if (answer !== undefined && this.#isWithin(answer.at, span)) return Promise.resolve(answer.value);
    return this.#load(entry, load);
  }

  #entry(key: string): Entry<Value> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry<Value> = {};
    this.#entries.set(key, entry);
    return entry;
  }

  #load(entry: Entry<Value>, load: () => Promise<Value>): Promise<Value> {
    const { failure } = entry;
    if (failure !== undefined && this.#isWithin(failure.at, this.#options.cooldown)) {
      return this.#inGrace(entry, failure.error);
    }
    entry.pending ??= this.#ask(entry, load).finally(() => {
      delete entry.pending;
    });
    return entry.pending;
  }

  async #ask(entry: Entry<Value>, load: () => Promise<Value>): Promise<Value> {
    try {
      const value = await load();
      entry.answer = { value, at: this.#options.now() };
      delete entry.failure;
      return value;
    } catch (error) {
      entry.failure = { error, at: this.#options.now() };
      return this.#inGrace(entry, error);
    }
  }

  async #inGrace({ answer }: Entry<Value>, error: unknown): Promise<Value> {
    const { maxAge, grace, isPassing } = this.#options;
    const usable = answer !== undefined && grace > 0 && this.#isWithin(answer.at, maxAge + grace);
    if (usable && isPassing(error)) return answer.value;
    throw error;
  }

  /** A clock that has gone back makes everything old, not young. */
  #isWithin(time: number, span: number): boolean {
    const age = this.#options.now() - time;
    return age >= 0 && age < span;
  }
}
