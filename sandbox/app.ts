import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseStrictJson } from '@passport-registry/verifier/core';
import { LimitExceeded, readLimited } from '@passport-registry/verifier/http';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { SandboxIssuer } from './issuer.js';
import { Refusal } from './refusal.js';
import { parseMintRequest, parseNonceRequest, parseStatusChange } from './requests.js';

/** The options of the HTTP interface. */
export interface AppOptions {
  /** The operator's bearer token. */
  readonly operatorToken: string;
}

/** The OpenAPI 3.1 description of the HTTP interface. The request validators are generated from the same file. */
const DESCRIPTION: { readonly openapi: string } = JSON.parse(
  readFileSync(new URL('../../schemas/issuer.openapi.json', import.meta.url), 'utf8'),
);
const MAX_BODY_BYTES = 64 * 1024;
const NO_STORE = { 'Cache-Control': 'no-store' };
/** For metadata and keys. Earlier tokens still verify after a key rotation: the previous key stays published. */
const CACHED = { 'Cache-Control': 'public, max-age=60' };

/** Answers requests. Its type does not mention Hono, because Hono is not installed with this package. */
export interface App {
  readonly fetch: (request: Request, bindings?: object) => Response | Promise<Response>;
}

/** Creates the HTTP interface of an issuer (rule issuer-metadata). */
export function sandboxApp(issuer: SandboxIssuer, options: AppOptions): App {
  const app = new Hono();

  app.onError((error, c) => refuse(c, error));
  app.notFound((c) => refuse(c, new Refusal('not_found', 'this issuer has no such endpoint')));
  // Verifiers and agents also run in browsers.
  app.use(cors({ origin: '*', allowMethods: ['GET', 'POST', 'PATCH'] }));

  // For verifiers.
  app.get('/.well-known/openid-configuration', (c) => c.json(issuer.metadata(), 200, CACHED));
  app.get('/.well-known/jwks.json', (c) => c.json(issuer.keys(), 200, CACHED));
  app.get('/v1/passports/:did', (c) => c.json(issuer.passport(c.req.param('did')), 200, NO_STORE));

  // For agents.
  app.post('/v1/issuance/nonce', async (c) =>
    c.json(issuer.requestNonce(parseNonceRequest(await readJson(c))), 200, NO_STORE),
  );
  app.post('/v1/passports', async (c) =>
    c.json(await issuer.mint(parseMintRequest(await readJson(c))), 201, NO_STORE),
  );

  // For the operator.
  const operator = operatorOnly(options.operatorToken);
  app.patch('/v1/passports/:did/status', operator, async (c) => {
    const { status } = parseStatusChange(await readJson(c));
    return c.json(issuer.setStatus(c.req.param('did'), status), 200, NO_STORE);
  });
  app.post('/v1/passports/:did/revoke', operator, (c) =>
    c.json(issuer.revoke(c.req.param('did')), 200, NO_STORE),
  );
  app.post('/v1/keys/rotate', operator, async (c) => c.json(await issuer.rotateKeys(), 200, NO_STORE));

  app.get('/openapi.json', (c) => c.json(DESCRIPTION, 200, CACHED));
  return app;
}

/** Reads the body. Requires a JSON content type, because an HTML form on another site cannot send one. */
async function readJson(c: Context): Promise<unknown> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
    throw new Refusal('bad_request', 'the body must be JSON, with Content-Type: application/json');
  }
  const bytes = await readLimited(c.req.raw.body, MAX_BODY_BYTES).catch((error: unknown) => {
    if (!(error instanceof LimitExceeded)) throw error;
    throw new Refusal('too_large', `the body is larger than ${MAX_BODY_BYTES} bytes`);
  });
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    throw new Refusal('bad_request', `the body is not valid JSON: ${(error as Error).message}`);
  }
}

/** Admits only the operator. Compares hashes in constant time, so that timing reveals nothing about the token. */
function operatorOnly(token: string): MiddlewareHandler {
  const hash = (value: string) => createHash('sha256').update(value).digest();
  const expected = hash(token);
  return async (c, next) => {
    const [, presented = ''] = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '') ?? [];
    if (!timingSafeEqual(hash(presented), expected)) {
      throw new Refusal('unauthorized', "the operator's token is missing or wrong");
    }
    await next();
  };
}

/**
 * Turns an error into a response in the format of the protocol (rule issuer-errors). Describes an unexpected error on
 * stderr only.
 */
function refuse(c: Context, error: Error): Response {
  if (!(error instanceof Refusal)) {
    process.stderr.write(`sandbox issuer: ${error.stack ?? error.message}\n`);
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
