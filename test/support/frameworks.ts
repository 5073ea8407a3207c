import { getRequestListener } from '@hono/node-server';
import type { PassportVerifier } from '@passport-registry/passports';
import { requirePassport as requireInExpress } from '@passport-registry/passports/express';
import { requirePassport as requireInFastify } from '@passport-registry/passports/fastify';
import { type Admission, requirePassport as requireInFetch } from '@passport-registry/passports/fetch';
import { type PassportEnv, requirePassport as requireInHono } from '@passport-registry/passports/hono';
import express from 'express';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { Hono } from 'hono';
import { afterEachFile } from './endings.js';
import { listen } from './serving.js';

// The adapter declares this member, too. Inside this repository, the compiler applies that to a stub of Fastify.
declare module 'fastify' {
  interface FastifyRequest {
    passport: Admission;
  }
}

/** What a server asks of each request. */
interface Guard {
  readonly verifier: PassportVerifier;
  readonly action: string;
  readonly maxBodyBytes: number;
}

const applications: FastifyInstance[] = [];
afterEachFile(() => Promise.all(applications.splice(0).map((app) => app.close())));

/** Starts an application of Fastify. Returns its URL. */
export function listenInFastify(app: FastifyInstance): Promise<string> {
  applications.push(app);
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** The names of a query as Express and Fastify have them: a value, or a list. */
const single = (queries: Readonly<Record<string, string[]>>) =>
  Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );

const parsed = (text: string) => (text === '' ? undefined : JSON.parse(text));

/** Starts Express with `requirePassport` after some handlers. */
function inExpress(guard: Guard, ...before: express.RequestHandler[]): Promise<string> {
  const app = express();
  for (const handler of before) app.use(handler);
  app.use(requireInExpress(guard));
  // A parser that comes later finds the body read, and leaves it as it is.
  app.use(express.json());
  app.all('/{*path}', ({ body, query }, response) => {
    const { passport, payload } = response.locals['passport'];
    response.json({ agent: passport.sub, payload, body, query });
  });
  return listen(app);
}

/** Starts Fastify with `requirePassport`. */
function inFastify(guard: Guard, app: FastifyInstance): Promise<string> {
  app.addHook('preValidation', requireInFastify(guard));
  app.all('/*', async ({ body, query, passport: { passport, payload } }) => ({
    agent: passport.sub,
    payload,
    body,
    query,
  }));
  return listenInFastify(app);
}

/** Fastify with a parser of its own for JSON, which gets the bytes. */
function fastifyWithParser(
  { maxBodyBytes: bodyLimit }: Guard,
  parse: (request: FastifyRequest, bytes: Buffer) => unknown,
): FastifyInstance {
  const app = fastify({ bodyLimit });
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => parse(request, bytes),
  );
  return app;
}

/** What a serverless platform does with a request: it hands the body over, and no length. */
export const handedOver =
  (toBody: (bytes: Buffer) => unknown, member: 'body' | 'rawBody' = 'body'): express.RequestHandler =>
  (request, _response, next) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      if (bytes.length > 0) Object.assign(request, { [member]: toBody(bytes) });
      // A stream that nobody has read, as the platform makes one up.
      Object.defineProperty(request, 'readableDidRead', { value: undefined });
      delete request.headers['content-length'];
      delete request.headers['transfer-encoding'];
      next();
    });
  };

/** Starts a server of each kind. It answers with the agent, and with the payload, the body and the query that a handler gets. */
export const FRAMEWORKS: Readonly<Record<string, (guard: Guard) => Promise<string>>> = {
  'a fetch handler': (guard) => {
    const handler = requireInFetch(guard, async (request, { passport, payload }) => {
      const { searchParams } = new URL(request.url);
      const queries = [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]);
      return Response.json({
        agent: passport.sub,
        payload,
        body: parsed(await request.text()),
        query: single(Object.fromEntries(queries)),
      });
    });
    return listen(getRequestListener(handler));
  },
  Hono: (guard) => {
    const app = new Hono<PassportEnv>().use(requireInHono(guard)).all('*', async (c) => {
      const { passport, payload } = c.get('passport');
      const body = parsed(await c.req.text());
      return c.json({ agent: passport.sub, payload, body, query: single(c.req.queries()) });
    });
    return listen(getRequestListener((request) => app.fetch(request)));
  },
  Express: (guard) => inExpress(guard),
  'Express with a parser': (guard) => inExpress(guard, express.json({ limit: guard.maxBodyBytes })),
  'Express with a parser that keeps the bytes': (guard) => {
    const verify = (request: object, _response: unknown, bytes: Buffer) =>
      void Object.assign(request, { rawBody: bytes });
    return inExpress(guard, express.json({ limit: guard.maxBodyBytes, verify }));
  },
  'Express where the platform has read the bytes': (guard) =>
    inExpress(
      guard,
      handedOver((bytes) => bytes),
    ),
  'Express where the platform has read a text': (guard) =>
    inExpress(
      guard,
      handedOver((bytes) => bytes.toString(), 'rawBody'),
    ),
  Fastify: (guard) => inFastify(guard, fastify({ bodyLimit: guard.maxBodyBytes })),
  'Fastify with semicolons': (guard) =>
    inFastify(guard, fastify({ bodyLimit: guard.maxBodyBytes, useSemicolonDelimiter: true })),
  'Fastify with a parser that hands on the bytes': (guard) =>
    inFastify(
      guard,
      fastifyWithParser(guard, (_request, bytes) => bytes),
    ),
  'Fastify with a parser that keeps the bytes': (guard) =>
    inFastify(
      guard,
      fastifyWithParser(guard, (request, bytes) => {
        Object.assign(request, { rawBody: bytes });
        try {
          return bytes.length === 0 ? undefined : JSON.parse(bytes.toString());
        } catch {
          return undefined;
        }
      }),
    ),
};
