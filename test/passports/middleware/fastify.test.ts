import { request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { signAction } from '@passport-registry/passports/agent';
import { type Admission, PROOF_HEADER, requirePassport } from '@passport-registry/passports/fastify';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { AUDIENCE, issuedPassport } from '../../support/passport-world.js';

// For all tests. The adapter declares this member, too. Inside this repository, the compiler applies that to a stub of
// Fastify.
declare module 'fastify' {
  interface FastifyRequest {
    passport: Admission;
  }
}

const { passport, verifier, token } = await issuedPassport('email.send');

const applications: FastifyInstance[] = [];
afterAll(() => Promise.all(applications.map((app) => app.close())));

const action = 'email.send';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const TEXT = { 'Content-Type': 'text/plain' };

/** Starts an application that answers with what the handler gets, and with what the application throws. */
async function serverOf(prepare: (app: FastifyInstance) => void = () => undefined): Promise<string> {
  const app = fastify();
  applications.push(app);
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: error.message }),
  );
  prepare(app);
  app.addHook('preValidation', requirePassport({ verifier, action }));
  app.all('/*', async ({ body, passport: { payload } }) => ({ body, payload }));
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Makes a parser for every content type. It hands on what `parse` makes of the bytes. */
const withParser = (parse: (bytes: Buffer, request: FastifyRequest) => unknown) => (app: FastifyInstance) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) =>
    parse(bytes, request),
  );
};

async function credentials(payload: unknown): Promise<Record<string, string>> {
  const proof = await signAction({
    ...{ token, keys: passport.keys, audience: AUDIENCE, action },
    payload: payload as Record<string, unknown>,
  });
  return { Authorization: `Bearer ${token}`, [PROOF_HEADER]: proof };
}

async function answer(url: string, payload: unknown, init: RequestInit) {
  const headers = { ...(await credentials(payload)), ...init.headers };
  const response = await fetch(url, { method: 'POST', ...init, headers });
  return { status: response.status, ...(await response.json()) };
}

describe('a semicolon in the path', () => {
  it.each([true, false])(
    'begins no query that the agent did not sign; useSemicolonDelimiter: %s',
    async (option) => {
      const app = fastify({ useSemicolonDelimiter: option });
      applications.push(app);
      app.addHook('preValidation', requirePassport({ verifier, action }));
      app.all('/*', async ({ query, passport: { payload } }) => ({ query, payload }));
      const url = await app.listen({ host: '127.0.0.1', port: 0 });
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

describe('a body that a parser of Fastify has read', () => {
  it.each<[string, unknown]>([
    ['an array', ['me@example.com']],
    ['an empty array', []],
    ['a number', 0],
    ['false', false],
    ['an object of a class', new Map([['to', 'me@example.com']])],
    ['an empty object of a class', new URLSearchParams()],
    ['a date', new Date(0)],
  ])('and made %s of is no payload, and not taken for none', async (_name, body) => {
    const url = await serverOf(withParser(() => body));
    for (const its of [url, `${url}/?a=1`]) {
      const refused = await answer(its, {}, { body: 'x', headers: JSON_TYPE });
      expect(refused).toMatchObject({
        status: 400,
        error: /\?/.test(its) ? 'payload-ambiguous' : 'payload-malformed',
      });
    }
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['no bytes', Buffer.alloc(0)],
    ['an empty object', {}],
  ])('and made %s of is a mistake of the application', async (_name, body) => {
    const url = await serverOf(withParser(() => body));
    const mistake = { status: 500, error: expect.stringContaining('requirePassport runs too late') };
    expect(await answer(url, {}, { body: 'x', headers: TEXT })).toEqual(mistake);
    expect(await answer(url, {}, { headers: TEXT })).toMatchObject({ status: 200, payload: {} });
  });

  it('is read by the bytes where there are some, and not by what a parser has made of them', async () => {
    for (const kept of [(bytes: Buffer) => bytes, (bytes: Buffer) => bytes.toString()]) {
      const url = await serverOf(
        withParser((bytes, request) => {
          Object.assign(request, { rawBody: kept(bytes) });
          return { to: 'me@example.com' };
        }),
      );
      const payload = { to: 'you@example.com' };
      const good = await answer(url, payload, { body: JSON.stringify(payload), headers: JSON_TYPE });
      expect(good).toEqual({ status: 200, body: payload, payload });
      const twice = '{"to":"me@example.com","to":"you@example.com"}';
      const refused = await answer(url, payload, { body: twice, headers: JSON_TYPE });
      expect(refused).toMatchObject({ status: 400, error: 'body-not-json' });
    }
  });

  it('may be said to be text, and must be JSON', async () => {
    const url = await serverOf();
    expect(await answer(url, {}, { body: 'a=1', headers: TEXT })).toMatchObject({
      status: 400,
      error: 'body-not-json',
    });
    expect(await answer(url, { a: 1 }, { body: '{"a":1}', headers: TEXT })).toEqual({
      status: 200,
      body: { a: 1 },
      payload: { a: 1 },
    });
  });

  it('is refused by Fastify itself where Fastify does not like it', async () => {
    const url = await serverOf();
    const proto = await answer(url, {}, { body: '{"__proto__":{"a":1}}', headers: JSON_TYPE });
    expect(proto.status).toBe(400);
    expect((await answer(url, {}, { body: '<a/>', headers: { 'Content-Type': 'text/xml' } })).status).toBe(
      415,
    );
  });
});

describe('a body that Fastify has not read', () => {
  it('as of GET, is the payload, too', async () => {
    const { port } = new URL(await serverOf());
    const get = async (payload: unknown, body: string) => {
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
    applications.push(app);
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
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'X-Digest': 'abc' };
    const init = { body: '--x--', headers };
    expect(await answer(`${url}/payload`, { digest: 'abc' }, init)).toEqual({ status: 200, size: 5 });
    expect((await answer(`${url}/payload`, { digest: 'abd' }, init)).status).toBe(401);
    expect(await answer(`${url}/body`, {}, init)).toMatchObject({ status: 400, error: 'body-not-json' });
  });

  it('and that breaks off is not answered for', async () => {
    const url = await serverOf();
    const headers = { 'Content-Length': 100, ...(await credentials({})) };
    for (const method of ['GET', 'POST']) {
      const request = httpRequest({ port: new URL(url).port, method, headers: { ...headers, ...JSON_TYPE } });
      request.on('error', () => undefined);
      request.write('{');
      setTimeout(() => request.destroy(), 50);
      await new Promise((resolve) => request.on('close', resolve));
    }
    // The server goes on.
    expect(await answer(url, {}, {})).toMatchObject({ status: 200 });
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
    applications.push(app);
    const options = { schema: { body }, preValidation: requirePassport({ verifier, action }) };
    app.post('/', options, async (request) => ({ body: request.body, payload: request.passport.payload }));
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    expect(await answer(url, signed, init)).toEqual({
      status: 200,
      body: { amount: 7, currency: 'EUR' },
      payload: signed,
    });
  });

  it('as a preHandler hook, never takes the changed body for what was signed', async () => {
    const app = fastify();
    applications.push(app);
    const options = { schema: { body }, preHandler: requirePassport({ verifier, action }) };
    app.post('/', options, async (request) => request.passport.payload);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    expect(await answer(url, signed, init)).toMatchObject({ status: 401, error: 'payload-mismatch' });
    const changed = { amount: 7, currency: 'EUR' };
    expect(await answer(url, changed, { ...init, body: JSON.stringify(changed) })).toEqual({
      status: 200,
      ...changed,
    });
  });

  it('answers in its own form, whatever schema and serializer the route has', async () => {
    const app = fastify();
    applications.push(app);
    let calls = 0;
    const response = {
      '4xx': { type: 'object', properties: { code: { type: 'number' } }, required: ['code'] },
    };
    const options = { schema: { response }, preValidation: requirePassport({ verifier, action }) };
    app.post('/', options, async () => {
      calls += 1;
      return {};
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const refused = await fetch(url, { method: 'POST' });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await refused.json()).toMatchObject({ error: 'passport-missing', details: {} });
    expect(calls).toBe(0);
  });

  it('guards the routes of one plugin, and no others', async () => {
    const app = fastify();
    app.get('/open', async (request) => ({ passport: request.passport ?? 'none' }));
    app.register(async (guarded) => {
      guarded.addHook('preValidation', requirePassport({ verifier, action }));
      guarded.get('/guarded', async (request) => ({ payload: request.passport.payload }));
    });
    expect((await app.inject('/open')).json()).toEqual({ passport: 'none' });
    expect((await app.inject('/guarded')).statusCode).toBe(401);
    const headers = await credentials({ a: '1' });
    expect((await app.inject({ url: '/guarded?a=1', headers })).json()).toEqual({ payload: { a: '1' } });
    expect((await app.inject({ url: '/guarded?a=1', headers })).json()).toMatchObject({
      error: 'action-replayed',
    });
  });

  it('works as an onRequest hook with the option payload, and leaves the body to Fastify', async () => {
    const app = fastify();
    applications.push(app);
    const payload = ({ headers }: FastifyRequest) => ({ digest: headers['x-digest'] });
    app.addHook('onRequest', requirePassport({ verifier, action, payload }));
    app.post('/', async (request) => ({ body: request.body, payload: request.passport.payload }));
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const sent = { body: '{"a":1}', headers: { ...JSON_TYPE, 'X-Digest': 'abc' } };
    expect(await answer(url, { digest: 'abc' }, sent)).toEqual({
      ...{ status: 200, body: { a: 1 }, payload: { digest: 'abc' } },
    });
    expect((await answer(url, { digest: 'abd' }, sent)).status).toBe(401);
  });

  it('works with HTTP/2', async () => {
    const app = fastify({ http2: true });
    app.addHook('preValidation', requirePassport({ verifier, action }));
    app.post('/', async (request) => ({ payload: request.passport.payload }));
    const session = connectHttp2(await app.listen({ host: '127.0.0.1', port: 0 }));
    const send = async (payload: unknown, sent: string) => {
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
