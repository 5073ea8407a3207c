import { gzipSync } from 'node:zlib';
import { getRequestListener } from '@hono/node-server';
import { requirePassport as requireInExpress } from '@passport-registry/passports/express';
import { requirePassport as requireInFastify } from '@passport-registry/passports/fastify';
import { requirePassport as requireInFetch } from '@passport-registry/passports/fetch';
import { createGate } from '@passport-registry/passports/gate';
import { requirePassport as requireInHono } from '@passport-registry/passports/hono';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { afterEachFile } from '../../support/endings.js';
import { issuedPassport, PAYLOAD, proofOf } from '../../support/passport-world.js';
import { listen } from '../../support/serving.js';

const { passport, verifier, token } = await issuedPassport('email.send');
const options = { verifier, action: 'email.send' };

const ending: (() => Promise<unknown>)[] = [];
afterEachFile(async () => {
  for (const end of ending.splice(0)) await end();
});

const expressWith = (...before: express.RequestHandler[]) => {
  const app = express().use(...before, requireInExpress(options));
  app.post('/{*path}', (_request, response) => void response.json({}));
  return listen(app);
};

const keepBytes: express.RequestHandler = (request, _response, next) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => next(void Object.assign(request, { rawBody: Buffer.concat(chunks) })));
};

/** Platforms, with the status of their answer to a compressed body. A parser that decompresses leaves what was signed. */
const PLATFORMS: Readonly<Record<string, readonly [number, () => Promise<string>]>> = {
  'a fetch handler': [
    415,
    () => listen(getRequestListener(requireInFetch(options, () => Response.json({})))),
  ],
  Hono: [
    415,
    () => {
      const app = new Hono().post('*', requireInHono(options), (c) => c.json({}));
      return listen(getRequestListener(app.fetch));
    },
  ],
  Express: [415, () => expressWith((_request, _response, next) => next())],
  'Express where the platform has read the bytes': [415, () => expressWith(keepBytes)],
  'Express with a parser that decompresses': [200, () => expressWith(express.json())],
  'Fastify, whose own parser refuses it first': [
    400,
    async () => {
      const app = fastify();
      ending.push(() => app.close());
      app.post('/*', { preValidation: requireInFastify(options) }, async () => ({}));
      return app.listen({ host: '127.0.0.1', port: 0 });
    },
  ],
  'Fastify with a parser that hands on the bytes': [
    415,
    async () => {
      const app = fastify();
      ending.push(() => app.close());
      app.addContentTypeParser(
        'application/json',
        { parseAs: 'buffer' },
        async (_request: unknown, bytes: Buffer) => bytes,
      );
      app.post('/*', { preValidation: requireInFastify(options) }, async () => ({}));
      return app.listen({ host: '127.0.0.1', port: 0 });
    },
  ],
};

const headers = async (encoding?: string) => ({
  Authorization: `Bearer ${token}`,
  'Action-Proof': await proofOf(token, passport),
  'Content-Type': 'application/json',
  ...(encoding !== undefined && { 'Content-Encoding': encoding }),
});

describe.each(Object.entries(PLATFORMS))('a compressed body, for %s', (_name, [status, start]) => {
  it(`is answered with ${status}, and the same body without a coding with 200`, async () => {
    const address = await start();
    const post = async (body: string | Uint8Array, encoding?: string) =>
      fetch(`${address}/send`, { method: 'POST', headers: await headers(encoding), body: body as string });
    const response = await post(gzipSync(JSON.stringify(PAYLOAD)), 'gzip');
    expect(response.status).toBe(status);
    if (status === 415) {
      expect(response.headers.get('accept-encoding')).toBe('identity');
      expect(await response.json()).toMatchObject({
        error: 'body-encoded',
        message: expect.stringContaining('Content-Encoding'),
      });
    }
    expect((await post(JSON.stringify(PAYLOAD))).status).toBe(200);
    expect((await post(JSON.stringify(PAYLOAD), 'identity')).status).toBe(200);
  });
});

describe('a body that names a coding', () => {
  const handler = requireInFetch(options, () => Response.json({}));
  const statusOf = async (encoding: string, body: string) => {
    const init = { method: 'POST', headers: await headers(encoding), body };
    return (await handler(new Request('https://mail.example/send', init))).status;
  };

  it.each(['br', 'zstd', 'deflate', 'GZIP', 'identity, gzip', 'aes128gcm', 'unknown'])(
    'is refused although it is JSON: %s',
    async (encoding) => {
      expect(await statusOf(encoding, JSON.stringify(PAYLOAD))).toBe(415);
    },
  );

  it.each(['identity', ' Identity ', 'identity, identity', ''])(
    'is read if it has none: "%s"',
    async (encoding) => {
      expect(await statusOf(encoding, JSON.stringify(PAYLOAD))).toBe(200);
    },
  );

  it('is refused by the door, which can only forbid', async () => {
    const gate = createGate({ gateway: 'envoy', profiles: { mail: options } });
    const init = {
      method: 'POST',
      headers: { ...(await headers('gzip')), host: 'mail.example', 'x-envoy-auth-partial-body': 'false' },
      body: gzipSync(JSON.stringify(PAYLOAD)),
    };
    const target = '/verify/mail/send';
    const { status, headers: told } = await gate(new Request(`http://127.0.0.1${target}`, init), target);
    expect([status, told.get('passport-error')]).toEqual([403, 'body-encoded']);
  });
});
