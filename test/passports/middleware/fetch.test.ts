import { gzipSync } from 'node:zlib';
import { requirePassport as requireInFetch } from '@passport-registry/passports/fetch';
import { createGate } from '@passport-registry/passports/gate';
import { describe, expect, it } from 'vitest';
import { issuedPassport, tokenOf } from '../../support/passport-world.js';

const { world, passport, verifier, credentials } = await issuedPassport();
const guard = { verifier, action: 'email.send' };

describe('the payload of a request', () => {
  it('is what the application says', async () => {
    const payload = async (request: Request) => ({ name: decodeURIComponent(new URL(request.url).pathname) });
    const handler = requireInFetch(
      { verifier, action: async () => 'email.send', payload },
      () => new Response('ok'),
    );
    const headers = await credentials({ name: '/a b' });
    expect((await handler(new Request('https://mail.example/a%20b', { headers }))).status).toBe(200);
  });

  it('does not let a header of a stranger into a header of ours', async () => {
    const handler = requireInFetch({ verifier, action: () => 'a"\r\nX: y' }, () => new Response('ok'));
    const headers = await credentials({});
    const response = await handler(new Request('https://mail.example/', { headers }));
    expect(response.status).toBe(400);
    expect(response.headers.get('x')).toBeNull();
  });

  it('does not let an action that is none into the challenge', async () => {
    const { mandate: _left, ...claims } = passport.claims;
    const bare = await tokenOf(world, { claims });
    const handler = requireInFetch({ verifier, action: () => 'a"b' }, () => new Response('ok'));
    const headers = await credentials({}, bare);
    const response = await handler(new Request('https://mail.example/', { headers }));
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="agent passport", error="insufficient_scope", error_description="mandate-missing"',
    );
  });
});

describe('the request of a handler', () => {
  const request = async () => {
    const headers = { ...(await credentials({ a: 1 })), 'X-Own': 'kept' };
    const signal = AbortSignal.timeout(60_000);
    return new Request('https://mail.example/send', { method: 'POST', headers, body: '{ "a": 1 }', signal });
  };

  it('is the request itself, with its body, for the handler and for whom it is passed on to', async () => {
    const sent = await request();
    const handler = requireInFetch(guard, async (given) => {
      expect(given).toBe(sent);
      const passedOn = new Request(given.clone(), { headers: { 'X-Other': 'set' } });
      expect([given.method, given.headers.get('x-own'), given.bodyUsed]).toEqual(['POST', 'kept', false]);
      expect(given.signal.aborted).toBe(false);
      return Response.json([await given.text(), await passedOn.text()]);
    });
    const response = await handler(sent);
    expect([response.status, await response.json()]).toEqual([200, ['{ "a": 1 }', '{ "a": 1 }']]);
  });

  it('can be read by the function that names its action, and by others after a refusal', async () => {
    const sent = await request();
    const action = async (given: Request) => `email.${Object.keys(await given.clone().json()).join()}`;
    const handler = requireInFetch({ verifier, action }, () => new Response('ok'));
    expect((await handler(sent)).status).toBe(403);
    expect(await sent.text()).toBe('{ "a": 1 }');
  });

  it.each(['GET', 'POST'])('has no body after %s without one', async (method) => {
    const headers = await credentials({ a: '1' });
    const handler = requireInFetch(guard, (given, { payload }) => Response.json([given.body, payload]));
    const response = await handler(new Request('https://mail.example/send?a=1', { method, headers }));
    expect([response.status, await response.json()]).toEqual([200, [null, { a: '1' }]]);
  });
});

describe('a body that a fetch handler has read before', () => {
  it('is a mistake of the application', async () => {
    const handler = requireInFetch(guard, () => new Response('ok'));
    const headers = await credentials({});
    const request = new Request('https://mail.example/', { method: 'POST', body: '{}', headers });
    await request.text();
    await expect(handler(request)).rejects.toThrow('too late');
  });
});

describe('requirePassport of /fetch', () => {
  it('needs a handler', () => {
    expect(() => requireInFetch(guard, undefined as never)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTIONS_INVALID' }),
    );
  });
});

describe('a body that names a coding', () => {
  const payload = { to: 'you@example.com' };
  const handler = requireInFetch(guard, () => Response.json({}));
  const headers = async (encoding: string) => ({
    ...(await credentials(payload)),
    'Content-Encoding': encoding,
  });
  const statusOf = async (encoding: string, body: string) => {
    const init = { method: 'POST', headers: await headers(encoding), body };
    return (await handler(new Request('https://mail.example/send', init))).status;
  };

  it.each(['br', 'zstd', 'deflate', 'GZIP', 'identity, gzip', 'aes128gcm', 'unknown'])(
    'is refused although it is JSON: %s',
    async (encoding) => {
      expect(await statusOf(encoding, JSON.stringify(payload))).toBe(415);
    },
  );

  it.each(['identity', ' Identity ', 'identity, identity', ''])(
    'is read if it has none: "%s"',
    async (encoding) => {
      expect(await statusOf(encoding, JSON.stringify(payload))).toBe(200);
    },
  );

  it('is refused by the door, which can only forbid', async () => {
    const gate = createGate({ gateway: 'envoy', profiles: { mail: guard } });
    const init = {
      method: 'POST',
      headers: { ...(await headers('gzip')), host: 'mail.example', 'x-envoy-auth-partial-body': 'false' },
      body: gzipSync(JSON.stringify(payload)),
    };
    const target = '/verify/mail/send';
    const { status, headers: told } = await gate(new Request(`http://127.0.0.1${target}`, init), target);
    expect([status, told.get('passport-error')]).toEqual([403, 'body-encoded']);
  });
});
