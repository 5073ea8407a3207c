import { getRequestListener } from '@hono/node-server';
import type { PassportVerifier } from '@passport-registry/verifier';
import { signAction } from '@passport-registry/verifier';
import { requirePassport as requireInExpress } from '@passport-registry/verifier/express';
import { PROOF_HEADER, requirePassport as requireInFetch } from '@passport-registry/verifier/fetch';
import { requirePassport as requireInHono } from '@passport-registry/verifier/hono';
import express from 'express';
import { type Context, Hono } from 'hono';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  AUDIENCE,
  agentKeys,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  mandate,
  passportOf,
  seconds,
  type TestPassport,
  tokenOf,
  verifierOf,
} from '../../support/passport-world.js';
import { listen } from '../../support/serving.js';

let world: IssuerWorld;
let passport: TestPassport;
let verifier: PassportVerifier;
let token: string;

beforeAll(async () => {
  world = await issuerWorld('alpha', await issuerKey());
  passport = await passportOf(world, await agentKeys(), {
    mandate: mandate({ scope: ['email.send', 'files.read'] }),
  });
  verifier = await verifierOf([world]);
  token = await tokenOf(world, passport);
});

const MAX = 2000;
const bySubject = (request: { url?: string }) =>
  request.url?.includes('files') ? 'files.read' : 'email.send';

/** A server on each platform that answers with who asked, and with the body that it got. */
const PLATFORMS: Record<string, () => Promise<string>> = {
  'a fetch handler': async () => {
    const handler = requireInFetch(
      { verifier, action: bySubject, maxBodyBytes: MAX },
      async (request, { passport: claims }) =>
        Response.json({ agent: claims?.sub, body: await request.text() }),
    );
    return hosted(handler);
  },
  Hono: async () => {
    const app = new Hono<{
      Variables: { passport: Awaited<ReturnType<PassportVerifier['verifyAction']>> };
    }>();
    app.use(requireInHono({ verifier, action: bySubject, maxBodyBytes: MAX }));
    app.all('*', async (c: Context) =>
      c.json({ agent: c.get('passport').passport?.sub, body: await c.req.text() }),
    );
    return hosted((request) => app.fetch(request));
  },
  Express: async () => {
    const app = express();
    app.use(express.json({ limit: MAX }));
    app.use(requireInExpress({ verifier, action: ({ originalUrl }) => bySubject({ url: originalUrl }) }));
    app.all('/{*path}', (request, response) => {
      const body = request.body === undefined ? '' : JSON.stringify(request.body);
      response.json({ agent: response.locals['passport'].passport.sub, body });
    });
    return listen(app);
  },
};

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
    expect(await response.json()).toEqual({ agent: passport.did, body: JSON.stringify(payload) });
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

  it('must be said to be JSON where Express has a parser for that alone', async () => {
    const base = (await PLATFORMS['Express']?.()) ?? '';
    const headers = { Authorization: `Bearer ${token}`, [PROOF_HEADER]: await sign('email.send', {}) };
    const response = await fetch(`${base}/send`, { method: 'POST', body: 'a=1', headers });
    expect([response.status, (await response.json()).error]).toEqual([400, 'body-not-json']);
  });

  it('is a mistake of the application where Express has no parser', async () => {
    const app = express();
    app.use(requireInExpress({ verifier, action: 'email.send' }));
    app.use((error: Error, _request: unknown, response: express.Response, _next: unknown) => {
      response.status(500).send(error.message);
    });
    const headers = {
      Authorization: `Bearer ${token}`,
      [PROOF_HEADER]: await sign('email.send', {}),
      'Content-Type': 'application/json',
    };
    const url = await listen(app);
    const response = await fetch(url, { method: 'POST', body: '{}', headers });
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining('express.json()'),
    ]);
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
