import { request as httpRequest } from 'node:http';
import { requirePassport as requireInExpress } from '@passport-registry/passports/express';
import { requirePassport as requireInFastify } from '@passport-registry/passports/fastify';
import express from 'express';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { handedOver, listenInFastify } from '../../support/frameworks.js';
import { issuedPassport } from '../../support/passport-world.js';
import { listen } from '../../support/serving.js';

const { verifier, credentials } = await issuedPassport();
const guard = { verifier, action: 'email.send' };

const JSON_TYPE = { 'Content-Type': 'application/json' };
const TEXT = { 'Content-Type': 'text/plain' };
const TOO_LATE = { status: 500, error: expect.stringContaining('requirePassport runs too late') };

/** Starts Express with `requirePassport` after some handlers. It answers with what the application throws, too. */
async function inExpress(...before: express.RequestHandler[]): Promise<string> {
  const app = express();
  for (const handler of before) app.use(handler);
  app.use(requireInExpress(guard));
  app.all('/{*path}', (request, response) => {
    response.json({ body: request.body, payload: response.locals['passport'].payload });
  });
  app.use((error: Error, _request: unknown, response: express.Response, _next: unknown) => {
    response.status(500).json({ error: error.message });
  });
  return listen(app);
}

/** Starts Fastify with `requirePassport`. It answers with what the application throws, too. */
async function inFastify(prepare: (app: FastifyInstance) => void = () => undefined): Promise<string> {
  const app = fastify();
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
    reply.code(error.statusCode ?? 500).send({ error: error.message }),
  );
  prepare(app);
  app.addHook('preValidation', requireInFastify(guard));
  app.all('/*', async ({ body, passport: { payload } }) => ({ body, payload }));
  return listenInFastify(app);
}

/** Makes a parser for every content type. It hands on what `parse` makes of the bytes. */
const withParser = (parse: (bytes: Buffer, request: FastifyRequest) => unknown) => (app: FastifyInstance) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) =>
    parse(bytes, request),
  );
};

async function answer(url: string, payload: object, init: RequestInit) {
  const headers = { ...(await credentials(payload)), ...init.headers };
  const response = await fetch(url, { method: 'POST', ...init, headers });
  return { status: response.status, ...(await response.json()) };
}

describe.each<[string, (make: () => unknown) => Promise<string>]>([
  ['Express', (make) => inExpress(handedOver(make))],
  ['Fastify', (make) => inFastify(withParser(make))],
])('a body before %s', (name, start) => {
  it.each<[string, unknown]>([
    ['an array', ['me@example.com']],
    ['an empty array', []],
    ['a number', 0],
    ['false', false],
    ['an object of a class', new Map([['to', 'me@example.com']])],
    ['an empty object of a class', new URLSearchParams()],
    ['a date', new Date(0)],
  ])('of which a parser has made %s is no payload, and not taken for none', async (_name, made) => {
    const url = await start(() => made);
    const sent = { body: 'x', headers: JSON_TYPE };
    expect(await answer(url, {}, sent)).toMatchObject({ status: 400, error: 'payload-malformed' });
    expect(await answer(`${url}/?a=1`, {}, sent)).toMatchObject({ status: 400, error: 'payload-ambiguous' });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['no bytes', Buffer.alloc(0)],
    ['an empty object', {}],
    ['an empty object without a prototype', Object.create(null)],
  ])('of which a parser has made %s is none, or a mistake where it was sent', async (_name, made) => {
    const url = await start(() => made);
    const found = await answer(`${url}/?a=1`, { a: '1' }, { body: 'x', headers: TEXT });
    // A platform before Express hands over no length: nothing says that there was a body.
    expect(found).toEqual(
      name === 'Fastify' ? TOO_LATE : expect.objectContaining({ status: 200, payload: { a: '1' } }),
    );
    expect(await answer(url, {}, { headers: TEXT })).toMatchObject({ status: 200, payload: {} });
  });
});

const kept = (request: object, rawBody: unknown, body: unknown) =>
  void Object.assign(request, { rawBody, body });
const other = { to: 'me@example.com' };

describe.each<[string, () => Promise<string>]>([
  [
    'Express',
    () =>
      inExpress(
        handedOver((bytes) => bytes, 'rawBody'),
        (request, _response, next) => {
          Object.assign(request, { body: other });
          next();
        },
      ),
  ],
  ...[(bytes: Buffer) => bytes, (bytes: Buffer) => bytes.toString()].map(
    (keep): [string, () => Promise<string>] => [
      'Fastify',
      () =>
        inFastify(
          withParser((bytes, request) => {
            kept(request, keep(bytes), undefined);
            return other;
          }),
        ),
    ],
  ),
])('a body of which %s has the bytes', (_name, start) => {
  it('is read by them, and not by what a parser has made of them', async () => {
    const url = await start();
    const payload = { to: 'you@example.com' };
    const good = await answer(url, payload, { body: JSON.stringify(payload), headers: JSON_TYPE });
    expect(good).toEqual({ status: 200, body: payload, payload });
    const twice = '{"to":"me@example.com","to":"you@example.com"}';
    const refused = await answer(url, payload, { body: twice, headers: JSON_TYPE });
    expect(refused).toMatchObject({ status: 400, error: 'body-not-json' });
  });
});

describe.each<[string, () => Promise<string>]>([
  ['Express', () => inExpress()],
  ['Express with a parser', () => inExpress(express.json())],
  ['Fastify', () => inFastify()],
])('a body that %s reads', (_name, start) => {
  it('may be said to be text, and must be JSON', async () => {
    const url = await start();
    const bad = await answer(url, {}, { body: 'a=1', headers: TEXT });
    expect(bad).toMatchObject({ status: 400, error: 'body-not-json' });
    const good = await answer(url, { a: 1 }, { body: '{"a":1}', headers: TEXT });
    expect(good).toEqual({ status: 200, body: { a: 1 }, payload: { a: 1 } });
  });

  it.each(['GET', 'POST'])('and that breaks off after %s is not answered for', async (method) => {
    const url = await start();
    const headers = { 'Content-Length': 100, ...(await credentials({})), ...JSON_TYPE };
    const request = httpRequest(url, { method, headers });
    request.on('error', () => undefined);
    request.write('{');
    setTimeout(() => request.destroy(), 50);
    await new Promise((resolve) => request.on('close', resolve));
    // The server goes on.
    expect(await answer(url, {}, {})).toMatchObject({ status: 200 });
  });
});

describe('a body that Express has not read', () => {
  it('but the platform has parsed is the payload, whatever the headers say', async () => {
    const url = await inExpress(handedOver((bytes) => JSON.parse(bytes.toString())));
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
    for (const before of [readAway, emptied]) {
      const url = await inExpress(before);
      expect(
        await answer(url, {}, { body: 'file', headers: { 'Content-Type': 'multipart/form-data' } }),
      ).toEqual(TOO_LATE);
      expect(await answer(url, {}, {})).toMatchObject({ status: 200, payload: {} });
    }
    expect(await answer(await inExpress(readAway), {}, { body: '{}', headers: JSON_TYPE })).toEqual(TOO_LATE);
  });

  it.each(['=&', '__proto__[a]=1'])('and that is a form without fields is refused: %s', async (body) => {
    const url = await inExpress(express.urlencoded({ extended: true }));
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(await answer(url, {}, { body, headers })).toMatchObject({ status: 400, error: 'body-not-json' });
  });
});
