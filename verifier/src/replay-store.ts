/** Remembers which proofs have been seen, so that none is accepted twice. */
export interface ReplayStore {
  /**
   * Takes a key for the first time: true. Every later time, until it expires: false. Of calls at the same time only one
   * gets true. What it throws rejects the action.
   *
   * @param key - visible ASCII characters
   * @param lifetime - for how long to remember it, in milliseconds
   */
  claim(key: string, lifetime: number): Promise<boolean>;
}

/** How much a store in memory may hold. */
export interface MemoryReplayOptions {
  /** Proofs at one time. A full store rejects actions rather than forget. Default: 1,000,000. */
  readonly maxEntries?: number;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/** Milliseconds. Looking through everything at each call would be work that a stranger can order. */
const SWEEP_INTERVAL = 10_000;

/**
 * A replay store in memory, for a verifier that is one process. A restart forgets: proofs live for 60 seconds at most.
 *
 * @example
 * ```ts
 * import { memoryReplayStore } from '@passport-registry/verifier';
 *
 * const store = memoryReplayStore();
 * console.log(await store.claim('a', 60_000), await store.claim('a', 60_000)); // true false
 * ```
 */
export function memoryReplayStore({
  maxEntries = 1_000_000,
  now = Date.now,
}: MemoryReplayOptions = {}): ReplayStore {
  const expiries = new Map<string, number>();
  let nextSweep = 0;
  const forgetExpired = (time: number) => {
    if (time < nextSweep) return;
    nextSweep = time + SWEEP_INTERVAL;
    for (const [key, expiry] of expiries) if (expiry <= time) expiries.delete(key);
  };
  return {
    claim: async (key, lifetime) => {
      const time = now();
      if ((expiries.get(key) ?? 0) > time) return false;
      forgetExpired(time);
      if (expiries.size >= maxEntries) throw new Error('the replay store is full');
      expiries.set(key, time + lifetime);
      return true;
    },
  };
}
