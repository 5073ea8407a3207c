import { assertOptions, BYTES, FUNCTION } from '@passport-registry/verifier/core';

/** Stores the ids of used proofs, so that no proof is accepted twice (docs/protocol/passports.md#proof-replay). */
export interface ReplayStore {
  /**
   * Returns true for the first call with a key, and false for every later call until the key expires. Of several
   * concurrent calls, exactly one gets true. If the store throws, the verifier rejects the action.
   *
   * @param key - a string of visible ASCII characters
   * @param lifetime - how long to keep the key, in milliseconds
   * @param requestId - the request that uses the proof. A store may return true again to the request that was first, for
   *   {@link SAME_REQUEST_MS}
   */
  claim(key: string, lifetime: number, requestId?: string): Promise<boolean>;
}

/** How long a request may ask again with the same proof, in milliseconds. */
export const SAME_REQUEST_MS = 10_000;

/** Options of {@link memoryReplayStore}. */
export interface MemoryReplayOptions {
  /** The maximum number of proofs. A full store rejects actions: it never drops a proof early. Default: 1,000,000. */
  readonly maxEntries?: number;
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** The first use of a proof. Times are in milliseconds since 1970. */
interface Claim {
  readonly at: number;
  readonly expiry: number;
  /** The request that used the proof. */
  readonly by: string | undefined;
}

const COUNT = { ...BYTES, expected: 'a whole number, 1 or more' };

/** The minimum time between two sweeps. With a sweep at every call, an attacker could cause unlimited work. */
const SWEEP_INTERVAL_MS = 10_000;

/**
 * Creates a replay store in memory, for a verifier with a single process. A restart clears the store. Proofs are valid
 * for at most 60 seconds.
 *
 * @throws {@link OptionsInvalid}
 *
 * @example
 * ```ts
 * import { memoryReplayStore } from '@passport-registry/passports';
 *
 * const store = memoryReplayStore();
 * console.log(await store.claim('a', 60_000), await store.claim('a', 60_000)); // true false
 * ```
 */
export function memoryReplayStore(options: MemoryReplayOptions = {}): ReplayStore {
  assertOptions<MemoryReplayOptions>(options, { maxEntries: COUNT, now: FUNCTION }, 'memoryReplayStore');
  const { maxEntries = 1_000_000, now = Date.now } = options;
  const claims = new Map<string, Claim>();
  let nextSweep = 0;
  const sweepExpired = (time: number) => {
    if (time < nextSweep) return;
    nextSweep = time + SWEEP_INTERVAL_MS;
    for (const [key, { expiry }] of claims) if (expiry <= time) claims.delete(key);
  };
  return {
    claim: async (key, lifetime, requestId) => {
      const time = now();
      const claimed = claims.get(key);
      if (claimed !== undefined && claimed.expiry > time) {
        return requestId !== undefined && claimed.by === requestId && time - claimed.at < SAME_REQUEST_MS;
      }
      sweepExpired(time);
      if (claims.size >= maxEntries) throw new Error('the replay store is full');
      claims.set(key, { at: time, expiry: time + lifetime, by: requestId });
      return true;
    },
  };
}
