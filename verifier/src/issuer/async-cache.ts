import { LruMap } from './lru-map.js';

/** How long answers are kept. Times are in milliseconds. */
export interface AsyncCacheOptions {
  /** How long an answer is used. */
  readonly maxAge: number;
  /** How long an answer is used beyond `maxAge` while a newer one is unavailable. */
  readonly grace: number;
  /** How long no new request follows a failure; also the age at which `newer` may replace an answer. */
  readonly cooldown: number;
  readonly maxEntries: number;
  readonly now: () => number;
  /** Whether an error means that the answer is unavailable, not that it is wrong. Otherwise there is no grace period. */
  readonly isTransient: (error: unknown) => boolean;
}

interface Entry<Value> {
  answer?: { readonly value: Value; readonly at: number };
  failure?: { readonly error: unknown; readonly at: number };
  pending?: Promise<Value>;
}

/** A cache of asynchronous answers. Concurrent calls share one request. */
export class AsyncCache<Value> {
  readonly #options: AsyncCacheOptions;
  readonly #entries: LruMap<string, Entry<Value>>;

  constructor(options: AsyncCacheOptions) {
    this.#options = options;
    this.#entries = new LruMap(options.maxEntries);
  }

  /** The cached answer while it is fresh, otherwise the answer of `load`. */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    return this.#youngerThan(this.#options.maxAge, key, load);
  }

  /** A newer answer than the cached one; or the cached one while the cooldown lasts. */
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
    const present = this.#entries.get(key);
    if (present !== undefined) return present;
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
    const { maxAge, grace, isTransient } = this.#options;
    const usable = answer !== undefined && grace > 0 && this.#isWithin(answer.at, maxAge + grace);
    if (usable && isTransient(error)) return answer.value;
    throw error;
  }

  /** After the clock was set back, entries count as expired, not as fresh. */
  #isWithin(time: number, span: number): boolean {
    const age = this.#options.now() - time;
    return age >= 0 && age < span;
  }
}
