import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { signAction } from '@passport-registry/passports/agent';
import { requirePassport as requireInExpress } from '@passport-registry/passports/express';
import { requirePassport as requireInFastify } from '@passport-registry/passports/fastify';
import { PROOF_HEADER, requirePassport as requireInFetch } from '@passport-registry/passports/fetch';
import { type PassportEnv, requirePassport as requireInHono } from '@passport-registry/passports/hono';
import express from 'express';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { Hono } from 'hono';
import { cloneRawRequest, type HonoRequest } from 'hono/request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIENCE, issuedPassport, passportOf, seconds, tokenOf } from '../../support/passport-world.js';
import { listen } from '../../support/serving.js';
import { rounds } from '../../support/soak.js';

const { world, passport, verifier, token } = await issuedPassport('email.send', 'files.read');

const MAX = 2000;
const bySubject = (request: { url?: string }) =>
  request.url?.includes('files') ? 'files.read' : 'email.send';

/** Puts an Express application behind `requirePassport`, which answers with who asked, and with what it got. */
function behindExpress(app: express.Express): Promise<string> {
  app.use(
    requireInExpress({
      verifier,
      action: ({ originalUrl }) => bySubject({ url: originalUrl }),
      maxBodyBytes: MAX,
    }),
  );
  // What comes later finds the body read, and leaves it as it is.
  app.use(express.json());
  app.all('/{*path}', (request, response) => {
    const body = request.body === undefined ? '' : JSON.stringify(request.body);
    const { passport: claims, payload } = response.locals['passport'];
    response.json({ agent: claims.sub, body, payload });
  });
  return listen(app);
}

/** Puts a Fastify application behind `requirePassport`, in the same way. */
async function behindFastify(app: FastifyInstance): Promise<string> {
  const action = ({ originalUrl }: FastifyRequest) => bySubject({ url: originalUrl });
  app.addHook('preValidation', requireInFastify({ verifier, action, maxBodyBytes: MAX }));
  app.all('/*', async ({ body, passport: { passport: claims, payload } }) => ({
    agent: claims.sub,
    body: body === undefined ? '' : JSON.stringify(body),
    payload,
  }));
  applications.push(app);
  return app.listen({ host: '127.0.0.1', port: 0 });
}

const applications: FastifyInstance[] = [];
afterAll(() => Promise.all(applications.map((app) => app.close())));

/** A Fastify application with a parser of its own for JSON, which gets the bytes. */
function fastifyWithParser(parse: (request: FastifyRequest, bytes: Buffer) => unknown): FastifyInstance {
  const app = fastify({ bodyLimit: MAX });
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => parse(request, bytes),
  );
  return app;
}

/** What a serverless platform does with a request: it hands the body over, and no length. */
const handedOver =
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

/** A server on each platform that answers with who asked, and with the body and the payload that it got. */
const PLATFORMS: Record<string, () => Promise<string>> = {
  'a fetch handler': async () => {
    const handler = requireInFetch(
      { verifier, action: bySubject, maxBodyBytes: MAX },
      async (request, { passport: claims, payload }) =>
        Response.json({ agent: claims.sub, body: await request.text(), payload }),
    );
    return hosted(handler);
  },
  Hono: async () => {
    const app = new Hono<PassportEnv>();
    app.use(requireInHono({ verifier, action: bySubject, maxBodyBytes: MAX }));
    app.all('*', async (c) => {
      const { passport: claims, payload } = c.get('passport');
      return c.json({ agent: claims.sub, body: await c.req.text(), payload });
    });
    return hosted((request) => app.fetch(request));
  },
  Express: () => behindExpress(express()),
  'Express with a parser': () => behindExpress(express().use(express.json({ limit: MAX }))),
  'Express with a parser that keeps the bytes': () =>
    behindExpress(
      express().use(
        express.json({
          limit: MAX,
          verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }),
        }),
      ),
    ),
  'Express where the platform has read the bytes': () =>
    behindExpress(express().use(handedOver((bytes) => bytes))),
  'Express where the platform has read a text': () =>
    behindExpress(express().use(handedOver((bytes) => bytes.toString(), 'rawBody'))),
  Fastify: () => behindFastify(fastify({ bodyLimit: MAX })),
  'Fastify with a parser that hands on the bytes': () =>
    behindFastify(fastifyWithParser((_request, bytes) => bytes)),
  'Fastify with a parser that keeps the bytes': () =>
    behindFastify(
      fastifyWithParser((request, bytes) => {
        Object.assign(request, { rawBody: bytes });
        try {
          return bytes.length === 0 ? undefined : JSON.parse(bytes.toString());
        } catch {
          return undefined;
        }
      }),
    ),
};

/** Their parsers leave no trace of a repeated member: the handler then gets what was verified, and nothing else. */
const WITHOUT_BYTES = ['Express with a parser', 'Fastify'];

function hosted(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  return listen(getRequestListener(fetch));
}

const sign = (action: string, payload: Record<string, unknown>, more: object = {}) =>
  signAction({ token, keys: passport.keys, audience: AUDIENCE, action, payload, ...more });

describe.each(Object.keys(PLATFORMS))('%s', (name) => {
  let base: string;
  beforeAll(async () => {
    base = (await PLATFORMS[name]?.()) ?? '';
  });

  const headers = (proof: string) => ({ Authorization: `Bearer ${token}`, [PROOF_HEADER]: proof });
  const post = (path: string, body: string, more: Record<string, string>) =>
    fetch(`${base}${path}`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', ...more },
    });

  it('lets a body through that the agent has signed, and leaves it to the handler', async () => {
    const payload = { to: 'you@example.com' };
    const response = await post('/send', JSON.stringify(payload), headers(await sign('email.send', payload)));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ agent: passport.did, body: JSON.stringify(payload), payload });
  });

  it('hands the handler an object as its payload where the agent has signed nothing', async () => {
    for (const init of [{}, { body: '{}', headers: { 'Content-Type': 'application/json' } }]) {
      const response = await fetch(`${base}/send`, {
        method: 'POST',
        ...init,
        headers: { ...init.headers, ...headers(await sign('email.send', {})) },
      });
      expect([response.status, (await response.json()).payload]).toEqual([200, {}]);
    }
  });

  it.each([
    ['with a member that appears twice', '{"to":"me@example.com","to":"you@example.com"}', /twice/],
    ['with a member twice in two spellings', '{"t\\u006f":"me@example.com","to":"you@example.com"}', /twice/],
    ['with a member twice further down', '{"a":[{"b":1,"b":1}],"to":"you@example.com"}', /twice/],
  ])('refuses a body %s', async (_name, body, message) => {
    if (WITHOUT_BYTES.includes(name)) return;
    const response = await post('/send', body, headers(await sign('email.send', JSON.parse(body))));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: 'body-not-json',
      message: expect.stringMatching(message),
    });
  });

  it.each(['9007199254740992', '-9007199254740992', '9007199254740993', '1e400', '1e21'])(
    'refuses a body with the number %s, on which readers differ',
    async (number) => {
      const body = `{"a":[{"amount":${number}}]}`;
      const response = await post('/send', body, headers(await sign('email.send', {})));
      expect(response.status).toBe(400);
      expect((await response.json()).error).toMatch(/^(?:body-not-json|payload-malformed)$/);
    },
  );

  it('takes a body with the largest numbers that all readers agree on', async () => {
    const payload = { a: [9007199254740991, -9007199254740991, 0.1, 1e-7] };
    const response = await post('/send', JSON.stringify(payload), headers(await sign('email.send', payload)));
    expect([response.status, (await response.json()).payload]).toEqual([200, payload]);
  });

  it('takes a body of exactly as many bytes as there may be', async () => {
    const payload = { a: 'x'.repeat(MAX - 8) };
    const body = JSON.stringify(payload);
    const proof = headers(await sign('email.send', payload));
    expect(body.length).toBe(MAX);
    expect((await post('/send', `${body} `, proof)).status).toBe(413);
    expect((await post('/send', body, proof)).status).toBe(200);
  });

  it('reads a body that comes in chunks, without a length', async () => {
    const payload = { to: 'you@example.com' };
    const request = async (proof: string) =>
      fetch(`${base}/send`, {
        method: 'POST',
        body: new Blob([JSON.stringify(payload)]).stream(),
        duplex: 'half',
        headers: { 'Content-Type': 'application/json', ...headers(proof) },
      } as RequestInit);
    const refused = await request(await sign('email.send', {}));
    expect([refused.status, (await refused.json()).error]).toEqual([401, 'payload-mismatch']);
    const response = await request(await sign('email.send', payload));
    expect([response.status, (await response.json()).payload]).toEqual([200, payload]);
  });

  it('lets a query through that the agent has signed', async () => {
    const payload = { name: 'a b', tag: ['x', 'y'], ['__proto__']: 'z' };
    const proof = await sign('files.read', JSON.parse('{"name":"a b","tag":["x","y"],"__proto__":"z"}'));
    const response = await fetch(`${base}/files?name=a+b&tag=x&tag=y&__proto__=z`, {
      headers: headers(proof),
    });
    expect(response.status).toBe(200);
    expect(payload.name).toBe('a b');
  });

  it.each<[string, (proof: string) => Record<string, string>, string, string]>([
    [
      'without a passport',
      (proof) => ({ [PROOF_HEADER]: proof }),
      'passport-missing',
      'Bearer realm="agent passport"',
    ],
    [
      'with another scheme',
      (proof) => ({ Authorization: `Basic ${token}`, [PROOF_HEADER]: proof }),
      'passport-missing',
      'Bearer realm="agent passport"',
    ],
    [
      'without a proof',
      () => ({ Authorization: `Bearer ${token}` }),
      'proof-missing',
      'Bearer realm="agent passport", error="invalid_proof", error_description="proof-missing"',
    ],
    [
      'with a token that is none',
      (proof) => ({ Authorization: 'Bearer x', [PROOF_HEADER]: proof }),
      'token-malformed',
      'Bearer realm="agent passport", error="invalid_token", error_description="token-malformed"',
    ],
    [
      'with a proof that is none',
      () => ({ Authorization: `bearer ${token}`, [PROOF_HEADER]: 'x' }),
      'proof-malformed',
      'Bearer realm="agent passport", error="invalid_proof", error_description="proof-malformed"',
    ],
  ])('refuses a request %s with 401', async (_name, its, error, challenge) => {
    const payload = { to: 'you@example.com' };
    const response = await post('/send', JSON.stringify(payload), its(await sign('email.send', payload)));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(challenge);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({ error, message: expect.any(String) });
  });

  it('refuses an altered body, an altered query and a repetition with 401', async () => {
    const proof = await sign('email.send', { to: 'you@example.com' });
    const altered = await post('/send', '{"to":"me@example.com"}', headers(proof));
    expect([altered.status, (await altered.json()).error]).toEqual([401, 'payload-mismatch']);
    const query = await fetch(`${base}/files?name=b`, {
      headers: headers(await sign('files.read', { name: 'a' })),
    });
    expect([query.status, (await query.json()).error]).toEqual([401, 'payload-mismatch']);
    expect((await post('/send', '{"to":"you@example.com"}', headers(proof))).status).toBe(200);
    const again = await post('/send', '{"to":"you@example.com"}', headers(proof));
    expect([again.status, (await again.json()).error]).toEqual([401, 'action-replayed']);
  });

  it('refuses what the mandate does not cover with 403, and says what it would take', async () => {
    const { mandate: _left, ...claims } = passport.claims;
    const bare = await tokenOf(world, { claims });
    const proof = await sign('email.send', {}, { token: bare });
    const response = await post('/send', '{}', { Authorization: `Bearer ${bare}`, [PROOF_HEADER]: proof });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="agent passport", error="insufficient_scope", error_description="mandate-missing", scope="email.send"',
    );
  });

  it('answers with 503 where the issuer cannot be reached', async () => {
    const other = await passportOf(world, passport.keys);
    const its = await tokenOf(world, other);
    world.intercept = (request, response) => {
      if (!request.url?.includes(other.did)) return false;
      response.writeHead(500).end();
      return true;
    };
    const proof = await sign('email.send', {}, { token: its });
    const response = await post('/send', '{}', { Authorization: `Bearer ${its}`, [PROOF_HEADER]: proof });
    world.intercept = () => false;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await response.json()).error).toBe('status-unreachable');
  });

  it('refuses a body together with a query: one of them would go unsigned', async () => {
    const response = await post('/send?to=me', '{"a":1}', headers(await sign('email.send', { a: 1 })));
    expect([response.status, (await response.json()).error]).toEqual([400, 'payload-ambiguous']);
  });

  it('refuses a body that is no object', async () => {
    const response = await post('/send', '[1]', headers(await sign('email.send', { a: 1 })));
    expect([response.status, (await response.json()).error]).toEqual([400, 'payload-malformed']);
  });

  it('keeps many requests at the same time apart', async () => {
    const payloads = Array.from({ length: rounds({ usual: 25, soak: 100 }) }, (_one, number) => ({ number }));
    const seen = await Promise.all(
      payloads.map(async (payload) => {
        const signed = payload.number % 3 === 0 ? { number: -1 } : payload;
        const response = await post(
          '/send',
          JSON.stringify(payload),
          headers(await sign('email.send', signed)),
        );
        return [response.status, (await response.json()).payload];
      }),
    );
    expect(seen).toEqual(
      payloads.map((payload) => (payload.number % 3 === 0 ? [401, undefined] : [200, payload])),
    );
  });

  it('lets a proof through once of twenty at the same time', async () => {
    const proof = headers(await sign('email.send', { a: 1 }));
    const responses = await Promise.all(Array.from({ length: 20 }, () => post('/send', '{"a":1}', proof)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)]);
  });

  it('asks the same of HEAD as of GET', async () => {
    const head = async (its: Record<string, string>) =>
      fetch(`${base}/files?name=a`, { method: 'HEAD', headers: its });
    const refused = await head({});
    expect([refused.status, await refused.text()]).toEqual([401, '']);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="agent passport"');
    const altered = await head(headers(await sign('files.read', { name: 'b' })));
    expect(altered.status).toBe(401);
    const admitted = await head(headers(await sign('files.read', { name: 'a' })));
    expect([admitted.status, await admitted.text()]).toEqual([200, '']);
  });

  /** Sends headers as they are, also the ones that `fetch` would refuse. */
  const raw = (lines: readonly string[]) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(base);
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          ['GET /files?name=a HTTP/1.1', 'Host: mail.example', 'Connection: close', ...lines, '', ''].join(
            '\r\n',
          ),
        );
      });
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
    });

  it('trusts no repeated, padded or split header', async () => {
    const proof = async () => `${PROOF_HEADER}: ${await sign('files.read', { name: 'a' })}`;
    const bearer = `Authorization: Bearer ${token}`;
    expect(await raw([bearer, await proof()])).toBe(200);
    expect(await raw([bearer, await proof(), await proof()])).toBe(401);
    expect(await raw([bearer, await proof(), `${PROOF_HEADER}: x`])).toBe(401);
    expect(await raw(['Authorization: Bearer x', bearer, await proof()])).toBe(401);
    expect(await raw([`${bearer}, Bearer ${token}`, await proof()])).toBe(401);
    expect(await raw([`${bearer} x`, await proof()])).toBe(401);
    expect(await raw([bearer, `${await proof()}\u00e9`])).toBe(401);
    expect(await raw([bearer, `${PROOF_HEADER}:`])).toBe(401);
    expect(await raw([`Authorization: ${'Bearer '.repeat(500)}`, await proof()])).toBe(401);
  });

  it('refuses a body that is no JSON, and one that is too large', async () => {
    expect((await post('/send', '{', headers(await sign('email.send', {})))).status).toBe(400);
    const large = await post(
      '/send',
      JSON.stringify({ a: 'x'.repeat(MAX) }),
      headers(await sign('email.send', {})),
    );
    expect(large.status).toBe(413);
  });
});

describe('the payload of a request', () => {
  it('is what the application says', async () => {
    const payload = async (request: Request) => ({ name: decodeURIComponent(new URL(request.url).pathname) });
    const handler = requireInFetch(
      { verifier, action: async () => 'files.read', payload },
      () => new Response('ok'),
    );
    const proof = await sign('files.read', { name: '/a b' });
    const headers = { Authorization: `Bearer ${token}`, [PROOF_HEADER]: proof };
    expect((await handler(new Request('https://mail.example/a%20b', { headers }))).status).toBe(200);
  });

  it('does not let a header of a stranger into a header of ours', async () => {
    const handler = requireInFetch({ verifier, action: () => 'a"\r\nX: y' }, () => new Response('ok'));
    const headers = { Authorization: `Bearer ${token}`, [PROOF_HEADER]: await sign('email.send', {}) };
    const response = await handler(new Request('https://mail.example/', { headers }));
    expect(response.status).toBe(400);
    expect(response.headers.get('x')).toBeNull();
  });

  it('does not let an action that is none into the challenge', async () => {
    const { mandate: _left, ...claims } = passport.claims;
    const bare = await tokenOf(world, { claims });
    const handler = requireInFetch({ verifier, action: () => 'a"b' }, () => new Response('ok'));
    const proof = await sign('email.send', {}, { token: bare });
    const headers = { Authorization: `Bearer ${bare}`, [PROOF_HEADER]: proof };
    const response = await handler(new Request('https://mail.example/', { headers }));
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="agent passport", error="insufficient_scope", error_description="mandate-missing"',
    );
  });

  it('reads passports that end soon as ones that are good', async () => {
    const soon = await tokenOf(world, { claims: { ...passport.claims, exp: seconds(2) } });
    expect((await verifier.verifyPassport(soon)).accepted).toBe(true);
  });
});

describe('a body that Express has not read', () => {
  /** Answers with what the application throws. */
  async function serverOf(...before: express.RequestHandler[]): Promise<string> {
    const app = express();
    for (const handler of before) app.use(handler);
    app.use(requireInExpress({ verifier, action: 'email.send' }));
    app.all('/{*path}', (request, response) => {
      response.json({ body: request.body, payload: response.locals['passport'].payload });
    });
    app.use((error: Error, _request: unknown, response: express.Response, _next: unknown) => {
      response.status(500).json({ error: error.message });
    });
    return listen(app);
  }

  async function answer(url: string, payload: object, init: RequestInit) {
    const proof = await sign('email.send', payload as Record<string, unknown>);
    const headers = { Authorization: `Bearer ${token}`, [PROOF_HEADER]: proof, ...init.headers };
    const response = await fetch(url, { method: 'POST', ...init, headers });
    return { status: response.status, ...(await response.json()) };
  }

  const JSON_TYPE = { 'Content-Type': 'application/json' };

  it('but the platform has parsed is the payload, whatever the headers say', async () => {
    const url = await serverOf(handedOver((bytes) => JSON.parse(bytes.toString())));
    const body = JSON.stringify({ to: 'me@example.com' });
    expect(await answer(url, {}, { body })).toMatchObject({ status: 401, error: 'payload-mismatch' });
    expect(await answer(url, { to: 'me@example.com' }, { body })).toEqual({
      status: 200,
      body: { to: 'me@example.com' },
      payload: { to: 'me@example.com' },
    });
    expect(await answer(`${url}/?a=1`, { a: '1' }, { body })).toMatchObject({
      status: 400,
      error: 'payload-ambiguous',
    });
  });

  it.each<[string, unknown]>([
    ['an array', ['me@example.com']],
    ['an empty array', []],
    ['a number', 0],
    ['false', false],
    ['an object of a class', new Map([['to', 'me@example.com']])],
    ['an empty object of a class', new URLSearchParams()],
    ['a date', new Date(0)],
  ])('but the platform has made %s of is no payload, and not taken for none', async (_name, body) => {
    const url = await serverOf(handedOver(() => body));
    expect(await answer(url, {}, { body: 'x' })).toMatchObject({ status: 400, error: 'payload-malformed' });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['no bytes', Buffer.alloc(0)],
    ['an empty object', {}],
    ['an empty object without a prototype', Object.create(null)],
  ])('and of which the platform has made %s leaves the query to be the payload', async (_name, body) => {
    const url = await serverOf(handedOver(() => body));
    expect(await answer(`${url}/?a=1`, { a: '1' }, { body: 'x' })).toMatchObject({
      status: 200,
      payload: { a: '1' },
    });
  });

  it('is read by the bytes where there are some, and not by what another reader has made of them', async () => {
    const other: express.RequestHandler = (request, _response, next) => {
      Object.assign(request, { body: { to: 'me@example.com' } });
      next();
    };
    const url = await serverOf(
      handedOver((bytes) => bytes, 'rawBody'),
      other,
    );
    const payload = { to: 'you@example.com' };
    const good = await answer(url, payload, { body: JSON.stringify(payload) });
    expect(good).toEqual({ status: 200, body: payload, payload });
  });

  it('may be said to be anything, and must be JSON', async () => {
    for (const before of [[], [express.json()]]) {
      const url = await serverOf(...before);
      const headers = { 'Content-Type': 'text/plain' };
      const bad = await answer(url, {}, { body: 'a=1', headers });
      expect(bad).toMatchObject({ status: 400, error: 'body-not-json' });
      const good = await answer(url, { a: 1 }, { body: '{"a":1}', headers });
      expect(good).toEqual({ status: 200, body: { a: 1 }, payload: { a: 1 } });
    }
  });

  it('and of which something has kept what it read is a mistake of the application', async () => {
    const readAway: express.RequestHandler = (request, _response, next) => {
      request
        .resume()
        .on('data', () => undefined)
        .on('end', () => next());
    };
    const emptied: express.RequestHandler = (request, response, next) => {
      readAway(request, response, () => {
        request.body = {};
        next();
      });
    };
    const mistake = { status: 500, error: expect.stringContaining('requirePassport runs too late') };
    for (const before of [readAway, emptied]) {
      const url = await serverOf(before);
      expect(
        await answer(url, {}, { body: 'file', headers: { 'Content-Type': 'multipart/form-data' } }),
      ).toEqual(mistake);
      expect(await answer(url, {}, {})).toMatchObject({ status: 200, payload: {} });
    }
    expect(await answer(await serverOf(readAway), {}, { body: '{}', headers: JSON_TYPE })).toEqual(mistake);
  });

  it.each(['=&', '__proto__[a]=1'])('and that is a form without fields is refused: %s', async (body) => {
    const url = await serverOf(express.urlencoded({ extended: true }));
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(await answer(url, {}, { body, headers })).toMatchObject({ status: 400, error: 'body-not-json' });
  });

  it('and that breaks off is not answered for', async () => {
    const url = new URL(await serverOf());
    const request = httpRequest({
      port: url.port,
      method: 'POST',
      headers: {
        'Content-Length': 100,
        Authorization: `Bearer ${token}`,
        [PROOF_HEADER]: await sign('email.send', {}),
      },
    });
    request.on('error', () => undefined);
    request.write('{');
    setTimeout(() => request.destroy(), 50);
    await new Promise((resolve) => request.on('close', resolve));
    // The server goes on.
    expect(await answer(url.href, {}, {})).toMatchObject({ status: 200 });
  });
});

describe('the request of a handler', () => {
  const request = async (Kind = Request) => {
    const proof = await sign('email.send', { a: 1 });
    const headers = { Authorization: `Bearer ${token}`, [PROOF_HEADER]: proof, 'X-Own': 'kept' };
    const signal = AbortSignal.timeout(60_000);
    return new Kind('https://mail.example/send', { method: 'POST', headers, body: '{ "a": 1 }', signal });
  };

  it('is the request itself, with its body, for the handler and for whom it is passed on to', async () => {
    const sent = await request();
    const handler = requireInFetch({ verifier, action: 'email.send' }, async (given) => {
      expect(given).toBe(sent);
      const passedOn = new Request(given.clone(), { headers: { 'X-Other': 'set' } });
      expect([given.method, given.headers.get('x-own'), given.bodyUsed]).toEqual(['POST', 'kept', false]);
      expect(given.signal.aborted).toBe(false);
      return Response.json([await given.text(), await passedOn.text()]);
    });
    const response = await handler(sent);
    expect([response.status, await response.json()]).toEqual([200, ['{ "a": 1 }', '{ "a": 1 }']]);
  });

  it('is of the same class, with its own members', async () => {
    class FrameworkRequest extends Request {
      readonly nextUrl = new URL('https://mail.example/own');
    }
    const sent = await request(FrameworkRequest);
    const handler = requireInFetch({ verifier, action: 'email.send' }, async (given) => {
      expect(given).toBe(sent);
      return new Response(await given.text());
    });
    const response = await handler(sent);
    expect([response.status, await response.text()]).toEqual([200, '{ "a": 1 }']);
  });

  it('can be read by the function that names its action, and by others after a refusal', async () => {
    const sent = await request();
    const action = async (given: Request) => `email.${Object.keys(await given.clone().json()).join()}`;
    const handler = requireInFetch({ verifier, action }, () => new Response('ok'));
    expect((await handler(sent)).status).toBe(403);
    expect(await sent.text()).toBe('{ "a": 1 }');
  });

  it.each<[string, (given: Request) => Promise<string>]>([
    ['text', (given) => given.text()],
    ['JSON', async (given) => JSON.stringify(await given.json())],
    ['bytes', async (given) => Buffer.from(await given.arrayBuffer()).toString()],
    ['a blob', async (given) => (await given.blob()).text()],
    ['a stream', (given) => new Response(given.body).text()],
    ['another request', (given) => new Request('https://inner.example/', given).text()],
    ['another request with its headers', (given) => new Request(given, { headers: {} }).text()],
  ])('gives its body as %s, in fetch and in Hono', async (_door, read) => {
    const inFetch = requireInFetch({ verifier, action: 'email.send' }, async (given) => {
      return new Response(await read(given));
    });
    const app = new Hono<PassportEnv>();
    app.use(requireInHono({ verifier, action: 'email.send' }));
    app.post('/send', async (c) => c.text(await read(c.req.raw)));
    for (const response of [await inFetch(await request()), await app.fetch(await request())]) {
      expect([response.status, JSON.parse(await response.text())]).toEqual([200, { a: 1 }]);
    }
  });

  it.each<[string, (given: HonoRequest) => Promise<string>]>([
    ['text', (given) => given.text()],
    ['JSON', async (given) => JSON.stringify(await given.json())],
    ['bytes', async (given) => Buffer.from(await given.arrayBuffer()).toString()],
    ['a blob', async (given) => (await given.blob()).text()],
    ['a copy', async (given) => (await cloneRawRequest(given)).text()],
  ])("gives its body as %s by Hono's own ways, again and again", async (_door, read) => {
    const app = new Hono<PassportEnv>();
    app.use(requireInHono({ verifier, action: 'email.send' }));
    const sent = await request();
    app.post('/send', async (c) => {
      expect(c.req.raw).toBe(sent);
      return c.json([await c.req.raw.clone().text(), await read(c.req), await c.req.text()]);
    });
    const response = await app.fetch(sent);
    expect(response.status).toBe(200);
    const bodies = ((await response.json()) as string[]).map((body) => JSON.parse(body));
    expect(bodies).toEqual([{ a: 1 }, { a: 1 }, { a: 1 }]);
  });

  it('ends with its sender, after it was admitted', async () => {
    const sender = new AbortController();
    const sent = new Request(await request(), { signal: sender.signal });
    const handler = requireInFetch({ verifier, action: 'email.send' }, async (given) => {
      sender.abort();
      return Response.json(given.signal.aborted);
    });
    expect(await (await handler(sent)).json()).toBe(true);
  });

  it.each(['GET', 'POST'])('has no body after %s without one', async (method) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      [PROOF_HEADER]: await sign('email.send', { a: '1' }),
    };
    const handler = requireInFetch({ verifier, action: 'email.send' }, (given, { payload }) =>
      Response.json([given.body, payload]),
    );
    const response = await handler(new Request('https://mail.example/send?a=1', { method, headers }));
    expect([response.status, await response.json()]).toEqual([200, [null, { a: '1' }]]);
  });
});

describe('a body that a fetch handler has read before', () => {
  it('is a mistake of the application', async () => {
    const handler = requireInFetch({ verifier, action: 'email.send' }, () => new Response('ok'));
    const headers = { Authorization: `Bearer ${token}`, [PROOF_HEADER]: await sign('email.send', {}) };
    const request = new Request('https://mail.example/', { method: 'POST', body: '{}', headers });
    await request.text();
    await expect(handler(request)).rejects.toThrow('too late');
  });
});

describe('requirePassport of /fetch', () => {
  it('needs a handler', () => {
    expect(() => requireInFetch({ verifier, action: 'email.send' }, undefined as never)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTIONS_INVALID' }),
    );
  });
});
