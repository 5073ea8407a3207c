// One gateway in a process of its own, for gateways.mjs: a route behind `requirePassport`, or the same route with the same
// checks by hand. Usage: node gateway-server.mjs hono|fetch|express|fastify middleware|by-hand

import { createServer } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { createPassportVerifier, openRegistry } from '@passport-registry/verifier';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { signedList } from './corpus.mjs';
import { checksByHand, Refused } from './gateway-by-hand.mjs';
import { ACTION, AUDIENCE, ISSUER_RECORD, POLICY } from './passports.mjs';

const [framework, way] = process.argv.slice(2);
const MAX_BODY_BYTES = 1024 * 1024;
const answer = (principal, payload) => ({ sentFor: principal, to: payload.to });

const fetchServer = (fetch) => createAdaptorServer({ fetch });
const expressServer = (app) => createServer(app);

/** The route as our middleware protects it. */
const WITH_MIDDLEWARE = {
  hono: async (options) => {
    const { requirePassport } = await import('@passport-registry/verifier/hono');
    const app = new Hono();
    app.post('/send', requirePassport(options), (c) => {
      const { passport, payload } = c.get('passport');
      return c.json(answer(passport.principal_id, payload));
    });
    return fetchServer(app.fetch);
  },
  fetch: async (options) => {
    const { requirePassport } = await import('@passport-registry/verifier/fetch');
    const handler = requirePassport(options, (_request, { passport, payload }) =>
      Response.json(answer(passport.principal_id, payload)),
    );
    return fetchServer((request) => handler(request));
  },
  express: async (options) => {
    const { requirePassport } = await import('@passport-registry/verifier/express');
    const app = express();
    app.post('/send', requirePassport(options), (_request, response) => {
      const { passport, payload } = response.locals.passport;
      response.json(answer(passport.principal_id, payload));
    });
    return expressServer(app);
  },
  fastify: async (options) => {
    const { requirePassport } = await import('@passport-registry/verifier/fastify');
    const app = fastify();
    app.post(
      '/send',
      { preValidation: requirePassport(options) },
      async ({ passport: { passport, payload } }) => answer(passport.principal_id, payload),
    );
    await app.ready();
    return app.server;
  },
};

/** The route as people would write it with the parser of the framework and `jose`. */
const BY_HAND = {
  hono: async (check) => {
    const app = new Hono();
    app.post('/send', bodyLimit({ maxSize: MAX_BODY_BYTES }), async (c) => {
      const payload = await c.req.json();
      const headers = { authorization: c.req.header('authorization'), proof: c.req.header('action-proof') };
      try {
        return c.json(answer(await check(headers, payload), payload));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return c.json({ error: error.message }, 403);
      }
    });
    return fetchServer(app.fetch);
  },
  fetch: async (check) =>
    fetchServer(async (request) => {
      const { headers } = request;
      if (Number(headers.get('content-length')) > MAX_BODY_BYTES) return new Response(null, { status: 413 });
      const payload = await request.json();
      const sent = { authorization: headers.get('authorization'), proof: headers.get('action-proof') };
      try {
        return Response.json(answer(await check(sent, payload), payload));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return Response.json({ error: error.message }, { status: 403 });
      }
    }),
  express: async (check) => {
    const app = express();
    app.post('/send', express.json({ limit: MAX_BODY_BYTES }), async ({ headers, body }, response) => {
      try {
        const sent = { authorization: headers.authorization, proof: headers['action-proof'] };
        response.json(answer(await check(sent, body), body));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        response.status(403).json({ error: error.message });
      }
    });
    return expressServer(app);
  },
  fastify: async (check) => {
    const app = fastify({ bodyLimit: MAX_BODY_BYTES });
    app.post('/send', async ({ headers, body }, reply) => {
      try {
        const sent = { authorization: headers.authorization, proof: headers['action-proof'] };
        return answer(await check(sent, body), body);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return reply.code(403).send({ error: error.message });
      }
    });
    await app.ready();
    return app.server;
  },
};

process.on('disconnect', () => process.exit());
process.once('message', async (documents) => {
  // The documents of the issuer without a network: both ways ask for each of them once.
  const fetch = async (url) => Response.json(documents[url]);
  const server = await (way === 'by-hand' ? byHand(fetch) : withMiddleware(fetch));
  process.on('message', () => process.send(process.cpuUsage()));
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});

async function withMiddleware(fetch) {
  const { rootKey, files } = await signedList([ISSUER_RECORD]);
  const registry = await openRegistry(files, { rootKey: rootKey.jwk, maxAge: 1e12 });
  const verifier = createPassportVerifier({
    registry,
    policy: POLICY,
    audience: AUDIENCE,
    statusMaxAge: 3600,
    metadataMaxAge: 3600,
    fetch,
  });
  return WITH_MIDDLEWARE[framework]({ verifier, action: ACTION });
}

async function byHand(fetch) {
  const issuers = new Map([[ISSUER_RECORD.issuer_id, ISSUER_RECORD]]);
  return BY_HAND[framework](checksByHand({ issuers, fetch }));
}
