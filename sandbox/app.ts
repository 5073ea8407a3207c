import { createHash, timingSafeEqual } from 'node:crypto';
import { getConnInfo } from '@hono/node-server/conninfo';
import { parseStrictJson } from '@passport-registry/verifier/internal';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { DESCRIPTION } from './description.js';
import type { SandboxIssuer } from './issuer.js';
import { JournalError } from './journal.js';
import { type RateLimit, RateLimiter } from './rate-limit.js';
import { Refused } from './refused.js';
import { asMintRequest, asNonceRequest, asStatusChange } from './requests.js';

/** How the interface is guarded. */
export interface AppOptions {
  /** The operator's bearer token. */
  readonly operatorToken: string;
  /** Default: 120 at once, 600 a minute from then on. */
  readonly rateLimit?: RateLimit;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/** Bytes. */
const MAX_BODY = 64 * 1024;
/** Seconds. Verifiers keep metadata and keys anyway; a rotation leaves both keys there for longer. */
const PUBLIC_FOR = 60;

/** Answers requests. Without the types of a framework, which is not installed with this package. */
export interface App {
  readonly fetch: (request: Request, bindings?: object) => Response | Promise<Response>;
}

/** The interface of an issuer (SPEC B8, B9) over HTTP. */
export function sandboxApp(issuer: SandboxIssuer, options: AppOptions): App {
  const app = new Hono();
  const { rateLimit = { burst: 120, perMinute: 600 }, now = Date.now } = options;

  app.onError((error, c) => refuse(c, error));
  app.notFound((c) => refuse(c, new Refused('not_found', 'there is nothing here')));
  app.use(limited(new RateLimiter(rateLimit, now)));
  app.use(bodyLimit({ maxSize: MAX_BODY, onError: () => tooLarge() }));
  // Browsers verify, too.
  app.use(cors({ origin: '*', allowMethods: ['GET', 'POST', 'PATCH'] }));

  // For verifiers.
  app.get('/.well-known/openid-configuration', (c) => c.json(issuer.metadata(), 200, cached()));
  app.get('/.well-known/jwks.json', (c) => c.json(issuer.keys(), 200, cached()));
  app.get('/v1/passports/:did', (c) => c.json(issuer.passport(c.req.param('did')), 200, NO_STORE));

  // For agents.
  app.post('/v1/issuance/nonce', async (c) =>
    c.json(issuer.requestNonce(asNonceRequest(await jsonBody(c))), 200, NO_STORE),
  );
  app.post('/v1/passports', async (c) =>
    c.json(await issuer.mint(asMintRequest(await jsonBody(c))), 201, NO_STORE),
  );

  // For the operator.
  const operator = operatorOnly(options.operatorToken);
  app.patch('/v1/passports/:did/status', operator, async (c) => {
    const { status } = asStatusChange(await jsonBody(c));
    return c.json(issuer.setStatus(c.req.param('did'), status), 200, NO_STORE);
  });
  app.post('/v1/passports/:did/revoke', operator, (c) =>
    c.json(issuer.revoke(c.req.param('did')), 200, NO_STORE),
  );
  app.post('/v1/keys/rotate', operator, (c) => c.json(issuer.rotateKeys(), 200, NO_STORE));
  app.get('/v1/audit', operator, (c) => c.json({ entries: issuer.audit(after(c)) }, 200, NO_STORE));

  app.get('/openapi.json', (c) => c.json(DESCRIPTION, 200, cached()));
  return app;
}

const NO_STORE = { 'Cache-Control': 'no-store' };
const cached = () => ({ 'Cache-Control': `public, max-age=${PUBLIC_FOR}` });

function tooLarge(): never {
  throw new Refused('too_large', `the body is larger than ${MAX_BODY} bytes`);
}

/** The body, which must be JSON and say so: what a form of another site can send is not served. */
async function jsonBody(c: Context): Promise<unknown> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
    throw new Refused('bad_request', 'the body must be JSON, with Content-Type: application/json');
  }
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    throw new Refused('bad_request', `the body is not JSON: ${(error as Error).message}`);
  }
}

function after(c: Context): number {
  const text = c.req.query('after') ?? '0';
  if (!/^\d{1,15}$/.test(text)) throw new Refused('bad_request', 'after is not a number of an entry');
  return Number(text);
}

function limited(limiter: RateLimiter): MiddlewareHandler {
  return async (c, next) => {
    const retryAfter = limiter.take(getConnInfo(c).remote.address ?? 'unknown');
    if (retryAfter !== undefined) {
      throw new Refused('too_many_requests', 'too many requests from this address', { retryAfter });
    }
    await next();
  };
}

/** Compares hashes, which have one length: how long it takes tells nothing about the token. */
function operatorOnly(token: string): MiddlewareHandler {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const expected = hash(token);
  return async (c, next) => {
    const [, presented = ''] = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '') ?? [];
    if (!timingSafeEqual(hash(presented), expected)) {
      throw new Refused('unauthorized', "the operator's token is missing or wrong");
    }
    await next();
  };
}

/** An error in the form of SPEC B9. What nobody expected is said on stderr, and not to the stranger. */
function refuse(c: Context, error: Error): Response {
  if (!(error instanceof Refused)) {
    const known = error instanceof JournalError;
    process.stderr.write(`sandbox issuer: ${known ? error.message : (error.stack ?? error.message)}\n`);
    return c.json({ error: 'internal', message: 'the issuer failed', details: {} }, 500, NO_STORE);
  }
  const { code, message, details, status, retryAfter } = error;
  const headers = {
    ...NO_STORE,
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer realm="operator"' }),
  };
  return c.json({ error: code, message, details }, status, headers);
}
