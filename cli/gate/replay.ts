import type { ReplayStore } from '@passport-registry/passports';
import { memoryReplayStore } from '@passport-registry/passports';
import { redisReplayStore } from '@passport-registry/passports/redis';
import { createClient } from '@redis/client';
import { UsageError } from '../../generator/errors.js';
import type { Log } from '../terminal/io.js';

/** Where used proofs are kept. */
export interface Replays {
  readonly store: ReplayStore;
  /** Undefined for a store in memory. */
  readonly isConnected?: () => boolean;
  readonly close: () => void;
}

const MAX_PAUSE_MS = 2000;

/** Opens the store of used proofs: in Redis for a URL, otherwise in memory. */
export function openReplays(
  redis: string | undefined,
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): Replays {
  if (redis === undefined) return { store: memoryReplayStore(), close: () => undefined };
  const client = createClient({
    url: urlOf(redis, env),
    // Without Redis, an action is refused at once, and does not wait for a connection.
    disableOfflineQueue: true,
    socket: { reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, MAX_PAUSE_MS) },
  });
  let wasConnected: boolean | undefined;
  const tell = (isConnected: boolean, error?: Error) => {
    if (isConnected === wasConnected) return;
    wasConnected = isConnected;
    if (isConnected) log('info', 'redis-connected');
    else log('error', 'redis-lost', { message: error?.message, effect: 'actions are refused' });
  };
  client.on('ready', () => tell(true));
  client.on('error', (error: Error) => tell(false, error));
  // The client connects again by itself.
  client.connect().catch(() => undefined);
  return {
    store: redisReplayStore(client),
    isConnected: () => client.isReady,
    close: () => client.isOpen && client.destroy(),
  };
}

function urlOf(redis: string, env: NodeJS.ProcessEnv): string {
  const [, name] = /^env:(.+)$/.exec(redis) ?? [];
  const url = name === undefined ? redis : env[name];
  if (url !== undefined && URL.canParse(url) && /^rediss?:/.test(url)) return url;
  throw new UsageError(`redis: ${name ?? 'the value'} is not a URL such as redis://127.0.0.1:6379`);
}
