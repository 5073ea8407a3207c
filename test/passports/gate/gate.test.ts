import { memoryReplayStore, type PassportVerifierOptions } from '@passport-registry/passports';
import { type AnsweredCheck, createGate, type GateOptions } from '@passport-registry/passports/gate';
import { OptionsInvalid } from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  AUDIENCE,
  agentKeys,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  jws,
  mandate,
  PAYLOAD,
  passportOf,
  proofOf,
  type TestPassport,
  tokenOf,
  verifierOf,
} from '../../support/passport-world.js';
import { seconds } from '../../support/times.js';

const ID = '0123456789abcdef0123456789abcdef';
const QUERY = '?to=you%40example.com&subject=Hello';
const NAMES = ['Issuer', 'Tier', 'Principal', 'Agent', 'Scope', 'Proven'];

let world: IssuerWorld;
let passport: TestPassport;
let token: string;

beforeAll(async () => {
  const key = await issuerKey();
  world = await issuerWorld('alpha', key, {
    discovery_uri: 'https://alpha.example/.well-known/openid-configuration',
  });
  world.documents.set('/.well-known/openid-configuration', world.documents.get('/metadata'));
  passport = await passportOf(world, await agentKeys());
  token = await tokenOf(world, passport);
});

/** A door with a profile of each kind, and what it has said of its answers. */
async function doorOf(options: Partial<GateOptions> = {}, more: Partial<PassportVerifierOptions> = {}) {
  const verifier = await verifierOf([world], {
    tokenProfiles: { access: { type: 'at+jwt', requiredClaims: ['sub'] } },
    ...more,
  });
  const answers: AnsweredCheck[] = [];
  const gate = createGate({
    gateway: 'nginx',
    profiles: {
      site: { verifier },
      mail: { verifier, action: 'email.send' },
      api: { verifier, token: 'access' },
    },
    onAnswer: (answer) => answers.push(answer),
    ...options,
  });
  const ask = async (target: string, headers: Record<string, string> = {}, init: RequestInit = {}) => {
    const response = await gate(new Request(`http://door.example${target}`, { headers, ...init }), target);
    const told = Object.fromEntries(NAMES.map((name) => [name, response.headers.get(`Passport-${name}`)]));
    return { status: response.status, error: response.headers.get('Passport-Error'), told, response };
  };
  return { gate, ask, answers };
}

const bearer = (value = token) => ({ Authorization: `Bearer ${value}` });

/** What nginx says of a request, as docs/gateways.md configures it. */
const fromNginx = (uri = `/send${QUERY}`, more: Record<string, string> = {}) => ({
  'X-Original-Method': 'GET',
  'X-Original-Uri': uri,
  'X-Original-Host': 'mail.example',
  'X-Original-Request-Id': ID,
  ...more,
});

const proven = async (more: Record<string, unknown> = {}) => ({
  ...bearer(),
  'Action-Proof': await proofOf(token, passport, more),
});

/** An access token (RFC 9068) of the issuer. */
const accessToken = (claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
  jws(
    { iss: world.url, aud: AUDIENCE, sub: 'user', iat: seconds(), exp: seconds(60), ...claims },
    { alg: 'EdDSA', typ: 'at+jwt', kid: world.key.kid, ...header },
    world.key.privateKey,
  );

describe('an admitted request', () => {
  it('with a passport has the whole set of headers, and no body', async () => {
    const { ask } = await doorOf();
    const { status, told, response } = await ask('/verify/site', bearer());
    expect([status, await response.text(), response.headers.get('cache-control')]).toEqual([
      200,
      '',
      'no-store',
    ]);
    // Without it, nginx connects to the door for each request, whatever its `keepalive` says.
    expect(response.headers.get('content-length')).toBe('0');
    expect(told).toEqual({
      Issuer: 'alpha',
      Tier: 'certified',
      Principal: 'principal',
      Agent: passport.did,
      Scope: 'email.send calendar.*',
      Proven: 'passport',
    });
  });

  it('with the proof of an action has proven this action, and not the whole mandate', async () => {
    const { ask } = await doorOf();
    const { status, told } = await ask('/verify/mail', { ...fromNginx(), ...(await proven()) });
    expect([status, told['Scope'], told['Proven']]).toEqual([200, 'email.send', 'action']);
  });

  it('with a token has proven neither an agent nor a principal', async () => {
    const { ask } = await doorOf();
    const { status, told } = await ask('/verify/api', bearer(await accessToken()));
    expect(status).toBe(200);
    expect(told).toEqual({
      Issuer: 'alpha',
      Tier: 'certified',
      Principal: 'none',
      Agent: 'none',
      Scope: 'none',
      Proven: 'token',
    });
  });

  it.each([
    ['none', '%6Eone'],
    ['a b', 'a b'],
    [' a', '%20a'],
    ['50 %\r\nX: y', '50 %25%0D%0AX: y'],
    ['Zoë 中 🚀', 'Zo%C3%AB %E4%B8%AD %F0%9F%9A%80'],
  ])('of the principal %j names %s', async (principal_id, expected) => {
    const other = await passportOf(world, passport.keys, { principal_id });
    const { ask } = await doorOf();
    const { told } = await ask('/verify/site', bearer(await tokenOf(world, other)));
    expect(told['Principal']).toBe(expected);
  });

  it.each([
    ['no mandate', undefined],
    ['a mandate with conditions, which only an action can meet', mandate({ policy: { max_amount: 5 } })],
    ['an empty scope', mandate({ scope: [] })],
  ])('with %s has no scope', async (_what, given) => {
    const other = await passportOf(world, passport.keys, { mandate: given });
    const { ask } = await doorOf();
    const { status, told } = await ask('/verify/site', bearer(await tokenOf(world, other)));
    expect([status, told['Scope']]).toEqual([200, 'none']);
  });

  it.each([
    ['a principal of 256 characters', { principal_id: '中'.repeat(256) }],
    [
      'a long scope',
      { mandate: mandate({ scope: Array.from({ length: 200 }, (_one, at) => `scope.${at}`) }) },
    ],
  ])('is refused if its headers would exceed 2 KiB, because of %s', async (_what, claims) => {
    const other = await passportOf(world, passport.keys, claims);
    const { ask } = await doorOf();
    const { status, error } = await ask('/verify/site', bearer(await tokenOf(world, other)));
    expect([status, error]).toEqual([403, 'identity-too-long']);
  });
});

describe('a refused request', () => {
  it('has the cause, and none of the headers', async () => {
    const { ask, answers } = await doorOf();
    const { status, error, told, response } = await ask('/verify/site');
    expect([status, error, response.headers.get('cache-control')]).toEqual([
      401,
      'passport-missing',
      'no-store',
    ]);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="agent passport"');
    expect(Object.values(told).every((value) => value === null)).toBe(true);
    expect(answers).toEqual([
      expect.objectContaining({ profile: 'site', status: 401, error: 'passport-missing', proven: undefined }),
    ]);
  });

  it.each([
    ['caddy', 503],
    ['nginx', 403],
  ] as const)(
    'because the issuer is unreachable gets from %s the status %d, and a time to wait',
    async (gateway, expected) => {
      const { ask, answers } = await doorOf({ gateway }, { fetch: () => Promise.reject(new Error('down')) });
      const { status, error, response } = await ask('/verify/site', bearer());
      expect([status, error]).toEqual([expected, 'discovery-unreachable']);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(answers[0]?.status).toBe(503);
    },
  );

  it('because of its mandate gets 403, with the scope that it needs', async () => {
    const verifier = await verifierOf([world]);
    const { ask } = await doorOf({ profiles: { wipe: { verifier, action: 'files.wipe' } } });
    const { status, error, response } = await ask('/verify/wipe', {
      ...fromNginx(),
      ...(await proven({ action: 'files.wipe' })),
    });
    expect([status, error]).toEqual([403, 'scope-not-granted']);
    expect(response.headers.get('www-authenticate')).toContain('scope="files.wipe"');
  });

  it.each([
    [
      'two Authorization headers',
      () => ({ Authorization: `Bearer ${token}, Bearer ${token}` }),
      'passport-missing',
    ],
    ['another scheme', () => ({ Authorization: `Basic ${token}` }), 'passport-missing'],
    ['a token in place of a passport', async () => bearer(await accessToken()), 'token-type'],
    ['an expired passport', async () => expiredPassport(), 'token-expired'],
  ])('with %s', async (_what, headers, expected) => {
    const { ask } = await doorOf();
    const { status, error } = await ask('/verify/site', await headers());
    expect([status, error]).toEqual([401, expected]);
  });

  async function expiredPassport() {
    const other = await passportOf(world, passport.keys, { iat: seconds(-7200), exp: seconds(-3600) });
    return bearer(await tokenOf(world, other));
  }

  it.each([
    ['a passport', () => token, 'token-type'],
    ['a missing claim', () => accessToken({ sub: undefined }), 'token-claims'],
  ])('for a token, with %s', async (_what, made, expected) => {
    const { ask } = await doorOf();
    const { status, error, response } = await ask('/verify/api', bearer(await made()));
    expect([status, error]).toEqual([401, expected]);
    expect(response.headers.get('www-authenticate')).toContain('invalid_token');
  });

  it('for a token of an issuer that the registry does not list is 403: another token changes nothing', async () => {
    const { ask } = await doorOf();
    const presented = bearer(await accessToken({ iss: 'https://beta.example' }));
    const { status, error, response } = await ask('/verify/api', presented);
    expect([status, error]).toEqual([403, 'issuer-unknown']);
    expect(response.headers.get('www-authenticate')).toContain('untrusted_issuer');
  });
});

describe('the profile', () => {
  it.each([
    '/verify/other',
    '/verify/',
    '/verify',
    '/verify/site/',
    '/verify/site/more',
    '/verify/SITE',
    '/verify/%73ite',
    '//verify/site',
    '/verify/mail/../site',
    '/verify/mail/%2e%2e/site',
    '/verify/constructor',
    '/',
  ])('is not found at %s', async (target) => {
    const { ask, answers } = await doorOf();
    const { status, error } = await ask(target, bearer());
    expect([status, error, answers[0]?.profile]).toEqual([403, 'profile-unknown', undefined]);
  });

  it('is found with a query, which Caddy appends', async () => {
    const { ask } = await doorOf({ gateway: 'caddy' });
    expect((await ask('/verify/site?a=b', bearer())).status).toBe(200);
  });

  it('is found in the URL where the platform does not show the target, except for Envoy', async () => {
    const request = () => new Request('http://door.example/verify/site', { headers: bearer() });
    expect((await (await doorOf()).gate(request())).status).toBe(200);
    expect((await (await doorOf({ gateway: 'envoy' })).gate(request())).status).toBe(403);
  });

  it('is never chosen by the client of Envoy, whose path a platform would normalize', async () => {
    const { ask } = await doorOf({ gateway: 'envoy' });
    for (const path of ['/../site', '/%2e%2e/site', '/..%5c..%5csite', '/x/../../site']) {
      const { error } = await ask(`/verify/mail${path}`, { Host: 'mail.example', ...bearer() });
      expect([path, error]).toEqual([path, 'proof-missing']);
    }
  });
});

describe('the description of a request by a gateway', () => {
  it.each([
    ['no method', { 'X-Original-Method': '' }],
    ['two methods', { 'X-Original-Method': 'GET, GET' }],
    ['no URI', { 'X-Original-Uri': '' }],
    ['no host', { 'X-Original-Host': '' }],
    ['two hosts', { 'X-Original-Host': 'mail.example, evil.example' }],
    ['no id', { 'X-Original-Request-Id': '' }],
    ['a short id', { 'X-Original-Request-Id': '1' }],
    ['two ids', { 'X-Original-Request-Id': `${ID}, ${ID}` }],
  ])('with %s refuses', async (_what, headers) => {
    const { ask } = await doorOf();
    const { status, error } = await ask('/verify/mail', { ...fromNginx(), ...(await proven()), ...headers });
    expect([status, error]).toEqual([403, 'gateway-headers']);
  });

  it.each([`/send${QUERY}#x`, `/a, /send${QUERY}`, `http://mail.example/send${QUERY}`, `/send${QUERY}%ff`])(
    'with the URI %s refuses, because others could find another query',
    async (uri) => {
      const { ask } = await doorOf();
      const { status, error } = await ask('/verify/mail', { ...fromNginx(uri), ...(await proven()) });
      expect([status, error]).toEqual([403, 'payload-ambiguous']);
    },
  );

  it('has the query that applications find after the first question mark', async () => {
    const { ask } = await doorOf();
    const asked = async (uri: string) => ask('/verify/mail', { ...fromNginx(uri), ...(await proven()) });
    expect((await asked(`/send${QUERY}`)).status).toBe(200);
    expect((await asked(`/send?${QUERY}`)).error).toBe('payload-mismatch');
  });

  it('is read from the headers of the one gateway, and not of another', async () => {
    const { ask } = await doorOf({ gateway: 'caddy' });
    const ours = {
      'X-Forwarded-Method': 'GET',
      'X-Forwarded-Uri': `/send${QUERY}`,
      'X-Forwarded-Host': 'mail.example',
    };
    const misled = { ...fromNginx(`/send${QUERY}`), 'X-Http-Method-Override': 'DELETE' };
    expect((await ask('/verify/mail', { ...misled, ...(await proven()) })).error).toBe('gateway-headers');
    expect((await ask('/verify/mail', { ...misled, ...ours, ...(await proven()) })).status).toBe(200);
    const altered = { ...ours, 'X-Forwarded-Uri': '/send?to=me%40example.com&subject=Hello' };
    expect((await ask('/verify/mail', { ...altered, ...(await proven()) })).error).toBe('payload-mismatch');
  });
});

describe('one request that is asked for twice', () => {
  it.each(['memory', 'shared'])('is one for ten seconds, with the same id (%s store)', async (kind) => {
    let time = Date.now();
    const now = () => time;
    const replayStore = memoryReplayStore({ now });
    const first = await doorOf({}, { replayStore, now });
    const second = kind === 'memory' ? first : await doorOf({}, { replayStore, now });
    const headers = { ...fromNginx(), ...(await proven()) };
    expect((await first.ask('/verify/mail', headers)).status).toBe(200);
    expect((await second.ask('/verify/mail', headers)).status).toBe(200);
    time += 9_999;
    expect((await second.ask('/verify/mail', headers)).status).toBe(200);
    time += 1;
    expect((await first.ask('/verify/mail', headers)).error).toBe('action-replayed');
  });

  it.each([
    ['another id', { 'X-Original-Request-Id': ID.replace('0', 'f') }],
    ['another path', { 'X-Original-Uri': `/other${QUERY}` }],
    ['another method', { 'X-Original-Method': 'HEAD' }],
    ['another host', { 'X-Original-Host': 'other.example' }],
  ])('is a replay with %s', async (_what, change) => {
    const { ask } = await doorOf();
    const headers = { ...fromNginx(), ...(await proven()) };
    expect((await ask('/verify/mail', headers)).status).toBe(200);
    const { status, error } = await ask('/verify/mail', { ...headers, ...change });
    expect([status, error]).toEqual([401, 'action-replayed']);
  });

  it('stays refused if it was refused as a replay', async () => {
    const { ask } = await doorOf();
    const headers = { ...fromNginx(), ...(await proven()) };
    await ask('/verify/mail', headers);
    const again = { ...headers, 'X-Original-Request-Id': ID.replace('0', 'f') };
    for (let count = 0; count < 3; count++) {
      expect((await ask('/verify/mail', again)).error).toBe('action-replayed');
    }
  });
});

describe('a body', () => {
  const body = JSON.stringify(PAYLOAD);
  const fromTraefik = (uri = '/send', method = 'POST') => ({
    'X-Forwarded-Method': method,
    'X-Forwarded-Uri': uri,
    'X-Forwarded-Host': 'mail.example',
  });

  it.each(['POST', 'PUT', 'PATCH', 'OPTIONS', 'QUERY'])(
    'refuses a request with %s where the gateway does not send it',
    async (method) => {
      const { ask } = await doorOf();
      const headers = { ...fromNginx(), ...(await proven()), 'X-Original-Method': method };
      const { status, error } = await ask('/verify/mail', headers);
      expect([status, error]).toEqual([403, 'body-not-verified']);
    },
  );

  it('is verified where Traefik sends it', async () => {
    const { ask } = await doorOf({ gateway: 'traefik' });
    const send = async (headers: Record<string, string>, text?: string) =>
      (await ask('/verify/mail', { ...headers, ...(await proven()) }, { method: 'POST', body: text ?? null }))
        .error;
    expect(await send(fromTraefik(), body)).toBeNull();
    expect(await send(fromTraefik(), JSON.stringify({ ...PAYLOAD, to: 'me@example.com' }))).toBe(
      'payload-mismatch',
    );
    expect(await send(fromTraefik(), `{"to":"x",${body.slice(1)}`)).toBe('body-not-json');
    expect(await send(fromTraefik('/send?a=b'), body)).toBe('payload-ambiguous');
    expect(await send(fromTraefik(`/send${QUERY}`))).toBe('body-not-sent');
    expect(await send({ ...fromTraefik(`/send${QUERY}`, 'GET') })).toBeNull();
  });

  it('is verified where Envoy says that it has sent the whole', async () => {
    const { ask } = await doorOf({ gateway: 'envoy' });
    const send = async (partial: Record<string, string>, init: RequestInit = { method: 'POST', body }) =>
      (await ask('/verify/mail/send', { Host: 'mail.example', ...partial, ...(await proven()) }, init)).error;
    expect(await send({ 'x-envoy-auth-partial-body': 'false' })).toBeNull();
    expect(await send({ 'x-envoy-auth-partial-body': 'true' })).toBe('body-not-sent');
    expect(await send({})).toBe('body-not-sent');
    const large = { method: 'POST', body: JSON.stringify({ ...PAYLOAD, x: 'x'.repeat(1024 * 1024) }) };
    expect(await send({ 'x-envoy-auth-partial-body': 'false' }, large)).toBe('body-too-large');
  });

  it('that a platform hides, as with GET, refuses', async () => {
    const { ask } = await doorOf({ gateway: 'envoy' });
    for (const hidden of [{ 'Content-Length': '5' }, { 'Transfer-Encoding': 'chunked' }]) {
      const headers = { Host: 'mail.example', ...hidden, ...(await proven()) };
      expect((await ask(`/verify/mail/send${QUERY}`, headers)).error).toBe('body-not-sent');
    }
    const headers = { Host: 'mail.example', 'Content-Length': '0', ...(await proven()) };
    expect((await ask(`/verify/mail/send${QUERY}`, headers)).error).toBeNull();
  });
});

describe('a policy that changes', () => {
  it('decides from the next request on, also for tokens', async () => {
    let tiers: 'certified'[] = ['certified'];
    const { ask } = await doorOf({}, { policy: () => ({ tiers }) });
    const access = await accessToken();
    expect((await ask('/verify/site', bearer())).status).toBe(200);
    expect((await ask('/verify/api', bearer(access))).status).toBe(200);
    tiers = [];
    expect((await ask('/verify/site', bearer())).error).toBe('tier-not-accepted');
    expect((await ask('/verify/api', bearer(access))).error).toBe('tier-not-accepted');
  });
});

describe('createGate', () => {
  const verifier = { verifyPassport: () => {}, verifyAction: () => {}, verifyToken: () => {} } as never;
  it.each([
    [{ gateway: 'apache', profiles: {} }, 'gateway'],
    [{ gateway: 'nginx' }, 'profiles'],
    [{ gateway: 'nginx', profiles: { 'a b': { verifier } } }, 'profiles'],
    [{ gateway: 'nginx', profiles: { a: {} } }, 'verifier'],
    [{ gateway: 'nginx', profiles: { a: { verifier, action: 'a b' } } }, 'action'],
    [{ gateway: 'nginx', profiles: { a: { verifier, action: 'a', token: 'b' } } }, 'token'],
  ])('refuses %j', (options, option) => {
    expect(() => createGate(options as never)).toThrow(OptionsInvalid);
    expect(() => createGate(options as never)).toThrow(expect.objectContaining({ option }));
  });
});
