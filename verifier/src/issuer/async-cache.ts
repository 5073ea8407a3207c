import type { Clock } from '../core/bytes/clock.js';
import { LruMap } from '../lru-map.js';
import { isUnreachable } from './issuer-host.js';

/** How long values are cached. Times are in milliseconds. */
interface AsyncCacheOptions {
  /** How long a value is used. */
  readonly maxAge: number;
  /** How long a value is used beyond `maxAge` while the issuer is unreachable. */
  readonly grace: number;
  /** How long to wait after a failure before the next request. `getNewer` replaces only values older than this. */
  readonly cooldown: number;
  readonly maxEntries: number;
  readonly clock: Clock;
}

interface Entry<Value> {
  success?: { readonly value: Value; readonly at: number };
  failure?: { readonly error: unknown; readonly at: number };
  pending?: Promise<Value>;
}

/** A cache of asynchronous values. Concurrent calls share one request. */
export class AsyncCache<Value> {
  readonly #options: AsyncCacheOptions;
  readonly #entries: LruMap<string, Entry<Value>>;

  constructor(options: AsyncCacheOptions) {
    this.#options = options;
    this.#entries = new LruMap(options.maxEntries);
  }

  /** Returns the cached value while it is fresh, and otherwise the result of `load`. */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    return this.#getYoungerThan(this.#options.maxAge, key, load);
  }

  /** Returns a newer value than the cached one. During the cooldown, returns the cached value. */
  getNewer(key: string, load: () => Promise<Value>): Promise<Value> {
    return this.#getYoungerThan(this.#options.cooldown, key, load);
  }

  #getYoungerThan(span: number, key: string, load: () => Promise<Value>): Promise<Value> {
    const present = this.#entries.get(key);
    const entry = present ?? {};
    if (present === undefined) this.#entries.set(key, entry);
    const { success, failure } = entry;
    if (success !== undefined && this.#isWithin(success.at, span)) return Promise.resolve(success.value);
    if (failure !== undefined && this.#isWithin(failure.at, this.#options.cooldown)) {
      return this.#useInGrace(entry, failure.error);
    }
    entry.pending ??= this.#request(entry, load).finally(() => {
      delete entry.pending;
    });
    return entry.pending;
  }

  async #request(entry: Entry<Value>, load: () => Promise<Value>): Promise<Value> {
    try {
      const value = await load();
      entry.success = { value, at: this.#options.clock.now };
      delete entry.failure;
      return value;
    } catch (error) {
      entry.failure = { error, at: this.#options.clock.now };
      return this.#useInGrace(entry, error);
    }
  }

  async #useInGrace({ success }: Entry<Value>, error: unknown): Promise<Value> {
    const { maxAge, grace } = this.#options;
    const isUsable = success !== undefined && grace > 0 && this.#isWithin(success.at, maxAge + grace);
    if (isUsable && isUnreachable(error)) return success.value;
    throw error;
  }

  /** Returns whether a time is within a span before now. If the clock was set back, entries count as expired. */
  #isWithin(time: number, span: number): boolean {
    const age = this.#options.clock.now - time;
    return age >= 0 && age < span;
  }
}
