import { assertOptions, FUNCTION } from '../encoding/options.js';

/** Stores the ids of used proofs, so that no proof is accepted twice. */
export interface ReplayStore {
  /**
   * Returns true for the first call with a key, and false for every later call until the key expires. Only one of several
   * concurrent calls gets true. If the store throws, the action is rejected.
   *
   * @param key - visible ASCII characters
   * @param lifetime - how long to keep the key, in milliseconds
   */
  claim(key: string, lifetime: number): Promise<boolean>;
}

/** Options of a store in memory. */
export interface MemoryReplayOptions {
  /** Maximum number of proofs. A full store rejects actions and never drops a proof early. Default: 1,000,000. */
  readonly maxEntries?: number;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

const COUNT = {
  check: (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0,
  expected: 'a whole number, 1 or more',
};

/** A sweep at every call would let an attacker cause unlimited work. */
const SWEEP_INTERVAL_MS = 10_000;

/**
 * A replay store in memory, for a verifier that is one process. A restart clears it; proofs are valid for at most
 * 60 seconds.
 *
 * @throws {@link OptionsInvalid}
 *
 * @example
 * ```ts
 * import { memoryReplayStore } from '@passport-registry/verifier';
 *
 * const store = memoryReplayStore();
 * console.log(await store.claim('a', 60_000), await store.claim('a', 60_000)); // true false
 * ```
 */
export function memoryReplayStore(options: MemoryReplayOptions = {}): ReplayStore {
  assertOptions<MemoryReplayOptions>(options, { maxEntries: COUNT, now: FUNCTION }, 'memoryReplayStore');
  const { maxEntries = 1_000_000, now = Date.now } = options;
  const expiries = new Map<string, number>();
  let nextSweep = 0;
  const forgetExpired = (time: number) => {
    if (time < nextSweep) return;
    nextSweep = time + SWEEP_INTERVAL_MS;
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
