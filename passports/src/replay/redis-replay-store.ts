import { type ReplayStore, SAME_REQUEST_MS } from './replay-store.js';

/** The methods of a client of the `redis` package (version 5 or newer) that the store uses. */
export interface RedisClient {
  set(
    key: string,
    value: string,
    options: { condition: 'NX'; expiration: { type: 'PX'; value: number } },
  ): Promise<unknown>;
  /** For requests that ask again: without these two, the store returns true only once. */
  get?(key: string): Promise<unknown>;
  pTTL?(key: string): Promise<number>;
}

/** Options of {@link redisReplayStore}. */
export interface RedisReplayOptions {
  /** The prefix of all keys. Default: `passport-replay:`. */
  readonly prefix?: string;
}

/**
 * Creates a replay store in Redis, for a fleet of verifiers that share one audience. `SET NX` decides which verifier
 * was first. Use one primary, and turn off eviction: if a key is lost, its proof can be used again.
 *
 * @param client - a connected client of the `redis` package
 *
 * @example
 * ```ts
 * import { redisReplayStore } from '@passport-registry/passports/redis';
 *
 * const kept = new Set<string>();
 * const client = { set: async (key: string) => (kept.has(key) ? null : kept.add(key) && 'OK') }; // createClient() of redis
 * const store = redisReplayStore(client);
 * console.log(await store.claim('a', 60_000), await store.claim('a', 60_000)); // true false
 * ```
 */
export function redisReplayStore(
  client: RedisClient,
  { prefix = 'passport-replay:' }: RedisReplayOptions = {},
): ReplayStore {
  return {
    claim: async (name, lifetime, requestId) => {
      const key = prefix + name;
      const expiration = { type: 'PX', value: Math.ceil(lifetime) } as const;
      if ((await client.set(key, ownerValue(requestId), { condition: 'NX', expiration })) === 'OK')
        return true;
      if (requestId === undefined || (await client.get?.(key)) !== ownerValue(requestId)) return false;
      // Redis tells how long the key remains, so the clocks of the doors don't matter.
      const remaining = await client.pTTL?.(key);
      return remaining !== undefined && remaining > lifetime - SAME_REQUEST_MS;
    },
  };
}

function ownerValue(requestId: string | undefined): string {
  return requestId === undefined ? '1' : `of ${requestId}`;
}
