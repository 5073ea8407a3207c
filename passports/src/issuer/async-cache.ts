import { type Clock, LruMap } from '@passport-registry/verifier/core';
import { isUnreachable } from './issuer-host.js';

/** How long values are cached. Times are in milliseconds. */
interface AsyncCacheOptions {
  /** How long a value is used. */
  readonly maxAge: number;
  /** How long a value is used beyond `maxAge` while the issuer is unreachable. */
  readonly grace: number;
  /** How long to wait after a failure before the next request. `getNewer` sends at most two requests in two cooldowns. */
  readonly cooldown: number;
  /** How long a request can take. */
  readonly timeout: number;
  readonly maxEntries: number;
  readonly clock: Clock;
}

interface Entry<Value> {
  success?: { readonly value: Value; readonly at: number };
  failure?: { readonly error: unknown; readonly at: number };
  pending?: Promise<Value>;
  /** When the last two requests began. */
  requests: readonly number[];
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
    const entry = this.#entry(key);
    const { success } = entry;
    if (success !== undefined && this.#isWithin(success.at, this.#options.maxAge)) {
      return Promise.resolve(success.value);
    }
    return this.#load(entry, load);
  }

  /** Returns the cached value, however old it is. Undefined if there is none. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.success?.value;
  }

  /**
   * Returns a newer value than the cached one: at once, but not more often than twice in two cooldowns. Otherwise returns the
   * cached value.
   */
  getNewer(key: string, load: () => Promise<Value>): Promise<Value> {
    const entry = this.#entry(key);
    const [lastButOne] = entry.requests.length === 2 ? entry.requests : [];
    const isLimited = lastButOne !== undefined && this.#isWithin(lastButOne, 2 * this.#options.cooldown);
    if (!isLimited) return this.#load(entry, load);
    const { success, failure } = entry;
    // After a failure, nobody knows whether there is a newer value.
    if (failure !== undefined) return this.#useInGrace(entry, failure.error);
    return success === undefined ? this.#load(entry, load) : Promise.resolve(success.value);
  }

  #entry(key: string): Entry<Value> {
    const present = this.#entries.get(key);
    if (present !== undefined) return present;
    const entry: Entry<Value> = { requests: [] };
    this.#entries.set(key, entry);
    return entry;
  }

  /** Requests the value, unless a request is under way or has failed within the cooldown. */
  #load(entry: Entry<Value>, load: () => Promise<Value>): Promise<Value> {
    const { failure } = entry;
    if (failure !== undefined && this.#isWithin(failure.at, this.#options.cooldown)) {
      return this.#useInGrace(entry, failure.error);
    }
    const [begun = 0] = entry.requests.slice(-1);
    // Some platforms drop the request when the one that has begun it ends. Nobody joins what must have ended.
    if (!this.#isWithin(begun, this.#options.timeout)) delete entry.pending;
    entry.pending ??= this.#request(entry, load).finally(() => {
      delete entry.pending;
    });
    return entry.pending;
  }

  async #request(entry: Entry<Value>, load: () => Promise<Value>): Promise<Value> {
    entry.requests = [...entry.requests.slice(-1), this.#options.clock.now];
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
