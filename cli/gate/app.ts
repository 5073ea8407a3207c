import type { IncomingMessage } from 'node:http';
import type { Gate } from '@passport-registry/passports/gate';
import type { RegistryClient } from '@passport-registry/verifier';
import { Hono } from 'hono';
import type { Log } from '../terminal/io.js';
import type { createMetrics } from './metrics.js';
import type { PolicyFiles } from './policies.js';
import type { Replays } from './replay.js';

/** What a door is made of, and what its operator watches. */
export interface Parts {
  readonly registry: RegistryClient;
  readonly policies: PolicyFiles;
  readonly replays: Replays;
}

/** The server of Node.js shows the request as sent. */
interface Bindings {
  readonly incoming: IncomingMessage;
}

interface AppParts extends Parts {
  readonly gate: Gate;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly log: Log;
}

/** Creates the HTTP interface: the door, and what its operator watches. */
export function appOf({ gate, registry, policies, replays, metrics, log }: AppParts) {
  // Routes follow the target as sent. That of a Request is normalized, so a client of Envoy could choose its route.
  const app = new Hono<{ Bindings: Bindings }>({
    getPath: (_request, options) => options?.env?.incoming.url?.replace(/\?.*$/s, '') ?? '',
  });
  app.get('/healthz', (c) => c.text('ok\n'));
  app.get('/readyz', (c) => {
    const state = stateOf({ registry, policies, replays });
    return c.json(state, state.ready ? 200 : 503);
  });
  app.get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.type }));
  app.all('/verify/*', async (c) => {
    const stop = metrics.startTimer();
    const response = await gate(c.req.raw, c.env.incoming.url ?? '');
    stop();
    return response;
  });
  app.onError((error, c) => {
    log('error', 'failed', { message: error.stack });
    return c.text('', 500, { 'Passport-Error': 'internal-error', 'Cache-Control': 'no-store' });
  });
  return app;
}

/** Returns whether the door can admit requests, and what its operator should know. */
function stateOf({ registry, policies, replays }: Parts) {
  const { updatedAt, freshUntil, errors } = registry.status();
  const problems = policies.problems();
  return {
    ready: isUsable(registry),
    list: {
      updated_at: updatedAt,
      fresh_until: freshUntil,
      errors: Object.values(errors).map(({ message }) => message),
    },
    policy: problems.length === 0 ? 'ok' : problems,
    replay: replayState(replays),
  };
}

function replayState({ isConnected }: Replays): 'memory' | 'connected' | 'unreachable' {
  if (isConnected === undefined) return 'memory';
  return isConnected() ? 'connected' : 'unreachable';
}

function isUsable(registry: RegistryClient): boolean {
  try {
    return registry.updatedAt !== '';
  } catch {
    return false;
  }
}
