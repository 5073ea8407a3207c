import { request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { requirePassport } from '@passport-registry/passports/fastify';
import fastify, { type FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { listenInFastify } from '../../support/frameworks.js';
import { issuedPassport } from '../../support/passport-world.js';

const { verifier, credentials } = await issuedPassport();

const action = 'email.send';
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Starts an application that answers with what the handler gets. */
function serverOf(): Promise<string> {
  const app = fastify();
  app.addHook('preValidation', requirePassport({ verifier, action }));
  app.all('/*', async ({ body, passport: { payload } }) => ({ body, payload }));
  return listenInFastify(app);
}

async function answer(url: string, payload: object, init: RequestInit) {
  const headers = { ...(await credentials(payload)), ...init.headers };
  const response = await fetch(url, { method: 'POST', ...init, headers });
  return { status: response.status, ...(await response.json()) };
}

describe('a semicolon in the path', () => {
  it.each([true, false])(
    'begins no query that the agent did not sign; useSemicolonDelimiter: %s',
    async (option) => {
      const app = fastify({ useSemicolonDelimiter: option });
      app.addHook('preValidation', requirePassport({ verifier, action }));
      app.all('/*', async ({ query, passport: { payload } }) => ({ query, payload }));
      const url = await listenInFastify(app);
      const body = { body: '{"to":"me"}', headers: JSON_TYPE };
      for (const path of ['/s;to=evil', '/s;to=evil?to=me', '/s;', '/;a/b?']) {
        for (const [payload, init] of [
          [{}, {}],
          [{ to: 'me' }, {}],
          [{ to: 'me' }, body],
        ] as const) {
          const refused = await answer(`${url}${path}`, payload, init);
          expect(refused).toMatchObject({ status: 400, error: 'payload-ambiguous' });
        }
      }
      const signed = { to: 'me;you', also: '?;' };
      const query = '?to=me;you&also=?;';
      for (const path of ['/s', '/s%3Bto=evil']) {
        expect(await answer(`${url}${path}${query}`, signed, {})).toEqual({
          status: 200,
          query: signed,
          payload: signed,
        });
      }
    },
  );
});

describe('a body that Fastify has not read', () => {
  it('as of GET, is the payload, too', async () => {
    const { port } = new URL(await serverOf());
    const get = async (payload: object, body: string) => {
      const headers = { ...(await credentials(payload)), ...JSON_TYPE, 'Content-Length': body.length };
      return new Promise((resolve, reject) => {
        const request = httpRequest({ port, headers }, (response) => {
          response.setEncoding('utf8').on('data', (text) => resolve([response.statusCode, JSON.parse(text)]));
        });
        request.on('error', reject).end(body);
      });
    };
    expect(await get({}, '{"a":1}')).toEqual([401, expect.objectContaining({ error: 'payload-mismatch' })]);
    expect(await get({ a: 1 }, '{"a":1}')).toEqual([200, { body: { a: 1 }, payload: { a: 1 } }]);
  });

  it('because a plugin streams it, is left to the handler by the option payload', async () => {
    const app = fastify();
    app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));
    const payload = ({ headers }: FastifyRequest) => ({ digest: headers['x-digest'] });
    for (const [path, options] of [
      ['/payload', { verifier, action, payload }],
      ['/body', { verifier, action }],
    ] as const) {
      app.post(path, { preValidation: requirePassport(options) }, async ({ raw }) => {
        let size = 0;
        for await (const chunk of raw) size += chunk.length;
        return { size };
      });
    }
    const url = await listenInFastify(app);
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'X-Digest': 'abc' };
    const init = { body: '--x--', headers };
    expect(await answer(`${url}/payload`, { digest: 'abc' }, init)).toEqual({ status: 200, size: 5 });
    expect((await answer(`${url}/payload`, { digest: 'abd' }, init)).status).toBe(401);
    expect(await answer(`${url}/body`, {}, init)).toMatchObject({ status: 400, error: 'body-not-json' });
  });
});

describe('requirePassport of /fastify', () => {
  const properties = { amount: { type: 'number' }, currency: { type: 'string', default: 'EUR' } };
  const body = { type: 'object', properties, additionalProperties: false };
  /** What the agent signs, and what Fastify makes of it. */
  const signed = { amount: '7', note: 'for me' };
  const init = { body: JSON.stringify(signed), headers: JSON_TYPE };

  it('verifies what was sent, before a schema changes the body', async () => {
    const app = fastify();
    const options = { schema: { body }, preValidation: requirePassport({ verifier, action }) };
    app.post('/', options, async (request) => ({ body: request.body, payload: request.passport.payload }));
    const url = await listenInFastify(app);
    expect(await answer(url, signed, init)).toEqual({
      status: 200,
      body: { amount: 7, currency: 'EUR' },
      payload: signed,
    });
  });

  it('as a preHandler hook, never takes the changed body for what was signed', async () => {
    const app = fastify();
    const options = { schema: { body }, preHandler: requirePassport({ verifier, action }) };
    app.post('/', options, async (request) => request.passport.payload);
    const url = await listenInFastify(app);
    expect(await answer(url, signed, init)).toMatchObject({ status: 401, error: 'payload-mismatch' });
    const changed = { amount: 7, currency: 'EUR' };
    expect(await answer(url, changed, { ...init, body: JSON.stringify(changed) })).toEqual({
      status: 200,
      ...changed,
    });
  });

  it('answers in its own form, whatever schema and serializer the route has', async () => {
    const app = fastify();
    let calls = 0;
    const response = {
      '4xx': { type: 'object', properties: { code: { type: 'number' } }, required: ['code'] },
    };
    const options = { schema: { response }, preValidation: requirePassport({ verifier, action }) };
    app.post('/', options, async () => {
      calls += 1;
      return {};
    });
    const url = await listenInFastify(app);
    const refused = await fetch(url, { method: 'POST' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await refused.json()).toMatchObject({ error: 'passport-missing', details: {} });
    expect(calls).toBe(0);
  });

  it('works as an onRequest hook with the option payload, and leaves the body to Fastify', async () => {
    const app = fastify();
    const payload = ({ headers }: FastifyRequest) => ({ digest: headers['x-digest'] });
    app.addHook('onRequest', requirePassport({ verifier, action, payload }));
    app.post('/', async (request) => ({ body: request.body, payload: request.passport.payload }));
    const url = await listenInFastify(app);
    const sent = { body: '{"a":1}', headers: { ...JSON_TYPE, 'X-Digest': 'abc' } };
    expect(await answer(url, { digest: 'abc' }, sent)).toEqual({
      status: 200,
      body: { a: 1 },
      payload: { digest: 'abc' },
    });
    expect((await answer(url, { digest: 'abd' }, sent)).status).toBe(401);
  });

  it('works with HTTP/2', async () => {
    const app = fastify({ http2: true });
    app.addHook('preValidation', requirePassport({ verifier, action }));
    app.post('/', async (request) => ({ payload: request.passport.payload }));
    const session = connectHttp2(await app.listen({ host: '127.0.0.1', port: 0 }));
    const send = async (payload: object, sent: string) => {
      const { Authorization, ...proof } = await credentials(payload);
      const names = { ':method': 'POST', authorization: Authorization, 'content-type': 'application/json' };
      const stream = session.request({ ...names, ...proof });
      stream.setEncoding('utf8').end(sent);
      let text = '';
      for await (const chunk of stream) text += chunk;
      return JSON.parse(text);
    };
    try {
      expect(await send({ a: 1 }, '{"a":1}')).toEqual({ payload: { a: 1 } });
      expect(await send({ a: 1 }, '{"a":2}')).toMatchObject({ error: 'payload-mismatch' });
    } finally {
      session.destroy();
      await app.close();
    }
  });

  it('gives an error in a function of the application to the error handler', async () => {
    const app = fastify();
    const fails = () => Promise.reject(new Error('a mistake'));
    app.get('/', { preValidation: requirePassport({ verifier, action: fails }) }, async () => 'let through');
    const response = await app.inject({ url: '/', headers: await credentials({}) });
    expect([response.statusCode, response.json().message]).toEqual([500, 'a mistake']);
  });
});
