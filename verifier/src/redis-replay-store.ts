import type { ReplayStore } from './replay-store.js';

/** What is needed of a client of the `redis` package, version 5 or newer. */
export interface RedisClient {
  set(
    key: string,
    value: string,
    options: { condition: 'NX'; expiration: { type: 'PX'; value: number } },
  ): Promise<unknown>;
}

/** How a store in Redis works. */
export interface RedisReplayOptions {
  /** What the names of its keys begin with. Default: `passport-replay:`. */
  readonly prefix?: string;
}

/**
 * A replay store in Redis, for a fleet of verifiers that share one audience. `SET NX` decides which of them was first.
 * Give it a database of one primary that does not evict: a key that is lost is a proof that can be used again.
 *
 * @param client - connected, of the `redis` package
 *
 * @example
 * ```ts
 * import { redisReplayStore } from '@passport-registry/verifier/redis';
 *
 * const kept = new Set();
 * const client = { set: async (key) => (kept.has(key) ? null : kept.add(key) && 'OK') }; // createClient() of redis
 * const store = redisReplayStore(client);
 * console.log(await store.claim('a', 60_000), await store.claim('a', 60_000)); // true false
 * ```
 */
export function redisReplayStore(
  client: RedisClient,
  { prefix = 'passport-replay:' }: RedisReplayOptions = {},
): ReplayStore {
  return {
    claim: async (key, lifetime) => {
      const expiration = { type: 'PX', value: Math.ceil(lifetime) } as const;
      return (await client.set(prefix + key, '1', { condition: 'NX', expiration })) === 'OK';
    },
  };
}
