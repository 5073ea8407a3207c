// A gateway in a process of its own, for middleware.mjs: a route behind `requirePassport`, or the same route with the checks of
// by-hand.mjs. Usage: node gateway.mjs hono|fetch|express|fastify middleware|by-hand

import { createServer } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { createPassportVerifier } from '@passport-registry/passports';
import { openRegistry } from '@passport-registry/verifier';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { checksByHand } from './by-hand.mjs';
import { signedList } from './corpus.mjs';
import { ACTION, AUDIENCE, POLICY, RECORD } from './passports.mjs';

const [framework, way] = process.argv.slice(2);
const MAX_BODY_BYTES = 1024 * 1024;
const answerTo = ({ passport, payload }) => ({ sentFor: passport.principal_id, to: payload.to });

const hono = (...handlers) => createAdaptorServer({ fetch: new Hono().post('/send', ...handlers).fetch });
const fetchServer = (fetch) => createAdaptorServer({ fetch });
const expressServer = (...handlers) => createServer(express().post('/send', ...handlers));
async function fastifyServer(options, handler) {
  const app = fastify({ bodyLimit: MAX_BODY_BYTES });
  app.post('/send', options, handler);
  await app.ready();
  return app.server;
}

/** The route behind our middleware. */
const WITH_MIDDLEWARE = {
  hono: (protect) => hono(protect, (c) => c.json(answerTo(c.get('passport')))),
  fetch: (protect) => fetchServer((request) => protect(request)),
  express: (protect) =>
    expressServer(protect, (_request, response) => response.json(answerTo(response.locals.passport))),
  fastify: (protect) => fastifyServer({ preValidation: protect }, async ({ passport }) => answerTo(passport)),
};

/** The route with the parser of the framework, and `jose`. `check` returns undefined for what is refused. */
const BY_HAND = {
  hono: (check) =>
    hono(bodyLimit({ maxSize: MAX_BODY_BYTES }), async (c) => {
      const checked = await check((name) => c.req.header(name), await c.req.json());
      return checked ? c.json(answerTo(checked)) : c.body(null, 403);
    }),
  fetch: (check) =>
    fetchServer(async (request) => {
      if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES)
        return new Response(null, { status: 413 });
      const checked = await check((name) => request.headers.get(name), await request.json());
      return checked ? Response.json(answerTo(checked)) : new Response(null, { status: 403 });
    }),
  express: (check) =>
    expressServer(express.json({ limit: MAX_BODY_BYTES }), async ({ headers, body }, response) => {
      const checked = await check((name) => headers[name], body);
      return checked ? response.json(answerTo(checked)) : response.sendStatus(403);
    }),
  fastify: (check) =>
    fastifyServer({}, async ({ headers, body }, reply) => {
      const checked = await check((name) => headers[name], body);
      return checked ? answerTo(checked) : reply.code(403).send();
    }),
};

async function withMiddleware(fetch) {
  const { requirePassport } = await import(`@passport-registry/passports/${framework}`);
  const { rootKey, files } = await signedList([RECORD]);
  const registry = await openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
  const ages = { statusMaxAge: 3600, metadataMaxAge: 3600 };
  const verifier = createPassportVerifier({ registry, policy: POLICY, audience: AUDIENCE, ...ages, fetch });
  const handler = (_request, passport) => Response.json(answerTo(passport));
  return WITH_MIDDLEWARE[framework](requirePassport({ verifier, action: ACTION }, handler));
}

process.on('disconnect', () => process.exit());
process.once('message', async (documents) => {
  const fetch = async (url) => Response.json(documents[url]);
  const server = await (way === 'by-hand' ? BY_HAND[framework](checksByHand(fetch)) : withMiddleware(fetch));
  server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}/send`));
});
