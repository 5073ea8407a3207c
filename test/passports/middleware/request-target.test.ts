import { once } from 'node:events';
import { connect } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { PassportVerifier } from '@passport-registry/passports';
import { signAction } from '@passport-registry/passports/agent';
import { requirePassport as requireInExpress } from '@passport-registry/passports/express';
import { requirePassport as requireInFastify } from '@passport-registry/passports/fastify';
import { PROOF_HEADER, requirePassport as requireInFetch } from '@passport-registry/passports/fetch';
import { requirePassport as requireInHono } from '@passport-registry/passports/hono';
import express from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AUDIENCE,
  agentKeys,
  issuerKey,
  issuerWorld,
  mandate,
  passportOf,
  type TestPassport,
  tokenOf,
  verifierOf,
} from '../../support/passport-world.js';
import { listen } from '../../support/serving.js';

let verifier: PassportVerifier;
let passport: TestPassport;
let token: string;
beforeAll(async () => {
  const world = await issuerWorld('alpha', await issuerKey());
  passport = await passportOf(world, await agentKeys(), { mandate: mandate({ scope: ['email.send'] }) });
  verifier = await verifierOf([world]);
  token = await tokenOf(world, passport);
});

const action = 'email.send';
const applications: FastifyInstance[] = [];
afterAll(() => Promise.all(applications.map((app) => app.close())));

/** A server of each framework. It answers with the payload that was verified, and with the query that a handler reads. */
const FRAMEWORKS: Readonly<Record<string, () => Promise<string>>> = {
  Fastify: () => inFastify(fastify()),
  'Fastify with semicolons': () => inFastify(fastify({ useSemicolonDelimiter: true })),
  Express: () => {
    const app = express().use(requireInExpress({ verifier, action }));
    app.use((request, response) => {
      response.json({ payload: response.locals['passport'].payload, query: request.query });
    });
    return listen(app);
  },
  Hono: () => {
    const app = new Hono().use(requireInHono({ verifier, action })).all('*', (c) => {
      const lists = Object.entries(c.req.queries()).map(([name, [first, ...more]]) => [
        name,
        more.length === 0 ? first : [first, ...more],
      ]);
      return c.json({ payload: c.get('passport').payload, query: Object.fromEntries(lists) });
    });
    return listen(getRequestListener((request) => app.fetch(request)));
  },
  'a fetch handler': () =>
    listen(
      getRequestListener(
        requireInFetch({ verifier, action }, ({ url }, { payload }) =>
          Response.json({ payload, query: Object.fromEntries(new URL(url).searchParams) }),
        ),
      ),
    ),
};

async function inFastify(app: FastifyInstance): Promise<string> {
  applications.push(app);
  app.addHook('preValidation', requireInFastify({ verifier, action }));
  app.all('/*', async (request) => ({ payload: request.passport.payload, query: request.query }));
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Sends a request with exactly this target. Clients of our own would change it. */
async function send(base: string, method: string, target: string, payload: object, body = '') {
  const proof = await signAction({
    token,
    keys: passport.keys,
    audience: AUDIENCE,
    action,
    payload: { ...payload },
  });
  const { hostname, port, host } = new URL(base);
  const socket = connect(Number(port), hostname);
  const head = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    `${PROOF_HEADER}: ${proof}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  await once(socket, 'close');
  const [, status = '', rest = ''] = /^HTTP\/1\.1 (\d+)[\s\S]*?\r\n\r\n([\s\S]*)$/.exec(text) ?? [];
  const [json = '{}'] = /\{.*\}/s.exec(rest) ?? [];
  return {
    status: Number(status),
    ...(JSON.parse(json) as { payload?: object; query?: object; error?: string }),
  };
}

/** Targets that mean different things to different readers, with what an attacker has the agent sign. */
const AMBIGUOUS: readonly [string, object][] = [
  ['/send#to=evil&?to=good', { to: 'good' }],
  ['/send?to=good#to=evil', { to: 'good' }],
  ['/send?to=good#?to=evil', { to: 'good' }],
  ['/send#to=evil', {}],
  ['/send#', {}],
  ['/#?to=good', { to: 'good' }],
  ['/send?to=%ff', { to: '\ufffd' }],
  ['/send?to=%', { to: '%' }],
  ['/send?to=%zz', { to: '%zz' }],
];

/** Targets that are not in origin form. Where the platform hands over a URL, it has read them already. */
const OTHER_FORMS: readonly [string, string][] = [
  ['GET', 'http://other.example/send?to=good'],
  ['GET', 'send?to=good'],
  ['OPTIONS', '*'],
  ['GET', '?to=good'],
  ['GET', '/send?to=\u00e9'],
];

/** Targets on which all readers agree. */
const PLAIN: readonly [string, object][] = [
  ['/send', {}],
  ['/send?', {}],
  ['/send?to=good', { to: 'good' }],
  ['/send?to=good%23to%3Devil', { to: 'good#to=evil' }],
  ['/send%23to=evil?to=good', { to: 'good' }],
  ['/send?to=a+b%20c', { to: 'a b c' }],
  ['/send?to=a?b', { to: 'a?b' }],
  ['/send??to=good', { '?to': 'good' }],
  ['/send?to=%C3%A9', { to: '\u00e9' }],
  ['//send?to=good', { to: 'good' }],
];

describe.each(Object.keys(FRAMEWORKS))('the query that a handler reads, in %s', (name) => {
  let base: string;
  beforeAll(async () => {
    base = (await FRAMEWORKS[name]?.()) ?? '';
  });

  it.each(AMBIGUOUS)('is refused where readers differ: %s', async (target, signed) => {
    for (const [method, body, payload] of [
      ['GET', '', signed],
      ['POST', '{"to":"good"}', { to: 'good' }],
    ] as const) {
      const { status, error } = await send(base, method, target, payload, body);
      expect([status, error]).toEqual([400, 'payload-ambiguous']);
    }
  });

  it.each(OTHER_FORMS)('is refused, or is what was verified: %s %s', async (method, target) => {
    const { status, payload, query } = await send(base, method, target, { to: 'good' });
    if (status === 200) expect(query).toEqual(payload);
    else expect(status).toBeGreaterThanOrEqual(400);
    // These get the target as it was sent.
    if (/Express|Fastify/.test(name)) expect(status).not.toBe(200);
  });

  it.each(PLAIN)('is what was verified: %s', async (target, signed) => {
    const { status, payload, query } = await send(base, 'GET', target, signed);
    expect({ status, payload, query }).toEqual({ status: 200, payload: signed, query: signed });
  });
});
