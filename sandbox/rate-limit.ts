/** How many requests an address may make. */
export interface RateLimit {
  /** At once. */
  readonly burst: number;
  /** From then on. */
  readonly perMinute: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Addresses that are remembered at one time. */
const MAX_ADDRESSES = 10_000;

/** Limits requests by address: a bucket that empties with each request and fills up again with time. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Takes a request into account; gives after how many seconds it may come again, or undefined when it may go ahead. */
  take(address: string): number | undefined {
    const { burst, perMinute } = this.#limit;
    const now = this.#now();
    const { tokens, at } = this.#buckets.get(address) ?? { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + (Math.max(0, now - at) * perMinute) / 60_000);
    const allowed = filled >= 1;
    this.#buckets.delete(address);
    this.#buckets.set(address, { tokens: allowed ? filled - 1 : filled, at: now });
    if (this.#buckets.size > MAX_ADDRESSES) this.#forgetOldest();
    return allowed ? undefined : Math.max(1, Math.ceil(((1 - filled) * 60) / perMinute));
  }

  #forgetOldest(): void {
    const [oldest] = this.#buckets.keys();
    this.#buckets.delete(oldest as string);
  }
}
