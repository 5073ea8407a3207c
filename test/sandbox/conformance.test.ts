import { createPassportVerifier } from '@passport-registry/passports';
import {
  type AgentKeys,
  type IssuanceNonce,
  obtainPassport,
  publicJwk,
  requestNonce,
  signAction,
  signMandate,
  signNonce,
} from '@passport-registry/passports/agent';
import type { PublicJwk } from '@passport-registry/verifier';
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { ed25519Jwk } from '../support/bad-keys.js';
import { AUDIENCE, agentKeys, encodedJws, jws, PAYLOAD, registryOf } from '../support/passport-world.js';
import { issuer as record } from '../support/publication.js';
import { AS_OPERATOR, ISSUER, OPERATIONS, seen, type TestSandbox, testSandbox } from '../support/sandbox.js';
import { instant, seconds } from '../support/times.js';

const PRINCIPAL = { principal_id: 'user-1', realm_id: 'laptop' };
const AGENT = {
  ...PRINCIPAL,
  agent_type: 'ai-assistant',
  capabilities: ['email'],
  subdelegation_mode: 'none',
} as const;
const MANDATE = { scope: ['email.send'], expires_at: instant(3600) };

let sandbox: TestSandbox;
let ahead = 0;

beforeAll(async () => {
  sandbox = await testSandbox({ now: () => Date.now() + ahead * 1000 });
});

/** Obtains a passport. @param agent - other members of its declaration @param options - of the sandbox, the proof or the time */
const obtain = (
  keys: AgentKeys,
  agent: object = {},
  options: Partial<Parameters<typeof obtainPassport>[0]> = {},
) =>
  obtainPassport({
    issuer: ISSUER,
    keys,
    fetch: sandbox.fetch,
    ...options,
    agent: { ...AGENT, mandate: MANDATE, ...agent },
  });

const freshNonce = (more: object = {}) =>
  requestNonce(ISSUER, { ...PRINCIPAL, ...more }, { fetch: sandbox.fetch });

/** A right request for a passport, which a test then spoils. */
async function mintRequest(keys: AgentKeys, nonce: IssuanceNonce, more: object = {}) {
  return {
    ...AGENT,
    public_key: await publicJwk(keys),
    nonce_id: nonce.nonce_id,
    signed_nonce: await signNonce(ISSUER, nonce.nonce, keys),
    ...more,
  };
}

const mint = (body: unknown) => sandbox.send('POST', '/v1/passports', body);

async function verifier() {
  const world = {
    record: record('playground', {
      discovery_uri: `${ISSUER}/.well-known/openid-configuration`,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
    }),
  };
  return createPassportVerifier({
    registry: await registryOf([world as never]),
    policy: { tiers: ['certified'] },
    audience: AUDIENCE,
    fetch: sandbox.fetch,
    statusMaxAge: 0,
  });
}

/** What a verifier says of an action of an agent. */
async function reasonsOf(keys: AgentKeys, token: string) {
  const action = { token, action: 'email.send', payload: PAYLOAD };
  const proof = await signAction({ ...action, keys, audience: AUDIENCE });
  return (await (await verifier()).verifyAction({ ...action, proof })).reasons;
}

describe.each(['Ed25519', 'P-256'] as const)('an agent with a key of %s', (type) => {
  it.each(['jws', 'raw'] as const)('gets a passport for a nonce that it has signed as %s', async (form) => {
    const keys = await agentKeys(type);
    const { passport, token } = await obtain(keys, {}, { form });
    const jwk = await publicJwk(keys);
    const fingerprint = `sha256:${await calculateJwkThumbprint(jwk)}`;
    expect(passport).toMatchObject({
      passport_did: `did:passport:${passport.passport_id}`,
      issuer_id: 'playground',
      status: 'active',
      public_key: jwk,
      key_fingerprint: fingerprint,
      memory_anchor_id: fingerprint,
      revocation_nonce: 0,
    });
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'EdDSA', typ: 'passport+jwt' });
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({
      iss: ISSUER,
      sub: passport.passport_did,
      cnf: { jwk },
      revocation_nonce: 0,
    });
    expect(claims['mandate']).toMatchObject({
      ...MANDATE,
      mandate_id: expect.any(String),
      issued_at: expect.any(String),
    });
    expect(await reasonsOf(keys, token)).toEqual([{ code: 'verified', message: expect.any(String) }]);
  });
});

/** A request whose proof is made in another way, for a nonce of the issuer. */
const provenBy =
  (prove: (nonce: string, keys: AgentKeys) => Promise<string> | string, more: object = {}) =>
  async (keys: AgentKeys) => {
    const nonce = await freshNonce();
    return mintRequest(keys, nonce, { ...more, signed_nonce: await prove(nonce.nonce, keys) });
  };

/** A request whose nonce was asked for with other members. */
const askedWith =
  (more: object, claimed: object = {}) =>
  async (keys: AgentKeys) =>
    mintRequest(keys, await freshNonce(more), claimed);

const NONCE_TYPE = 'passport-nonce+jwt';
const POINT = Buffer.alloc(32, 1).toString('base64url');
const IDENTITY = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);

describe('a proof of possession fails', () => {
  /** A proof that is a JWS with other claims, or without the key in its header. */
  const byJws = (claims: object, header: object = {}, hasKey = true) =>
    provenBy(async (nonce, keys) => {
      const key = hasKey && { jwk: await publicJwk(keys) };
      const all = { aud: ISSUER, nonce, iat: seconds(), ...claims };
      return jws(all, { typ: NONCE_TYPE, ...key, ...header }, keys.privateKey);
    });
  const another = (options = {}) =>
    provenBy(async (nonce) => signNonce(ISSUER, nonce, await agentKeys(), options));
  const constant = (bytes: Buffer, public_key: object) =>
    provenBy(() => bytes.toString('base64url'), { public_key });

  const invalid: Readonly<Record<string, (keys: AgentKeys) => Promise<object>>> = {
    'of zeros': provenBy(() => Buffer.alloc(64).toString('base64url')),
    'of another key': another(),
    'of another key, raw': another({ form: 'raw' }),
    'that is the nonce itself': provenBy((nonce) => nonce),
    'over another nonce': provenBy(async (_nonce, keys) =>
      signNonce(ISSUER, (await freshNonce()).nonce, keys),
    ),
    'for another issuer': provenBy((nonce, keys) => signNonce('https://other.example', nonce, keys)),
    'that is too old': byJws({ iat: seconds(-400) }),
    'of another type': byJws({}, { typ: 'JWT' }),
    'without its key': byJws({}, {}, false),
    'for two audiences': byJws({ aud: [ISSUER, 'https://other.example'] }),
    'by a point that is not on the curve': constant(Buffer.alloc(64, 1), {
      kty: 'EC',
      crv: 'P-256',
      x: POINT,
      y: POINT,
    }),
    'by a point of small order, for which a constant is a signature of anything': constant(
      Buffer.concat([IDENTITY, Buffer.alloc(32)]),
      ed25519Jwk(IDENTITY),
    ),
  };

  it.each(Object.entries(invalid))('with a signature %s', async (_name, request) => {
    await expectFailed(await request(await agentKeys()), 'signature_invalid');
  });

  it.each<[string, string, (keys: AgentKeys) => Promise<object>]>([
    [
      'that was never issued',
      'nonce_unknown',
      async (keys) => mintRequest(keys, { ...(await freshNonce()), nonce_id: crypto.randomUUID() }),
    ],
    ["of another principal's request", 'nonce_of_another_request', askedWith({ principal_id: 'user-2' })],
    ['of a request for another realm', 'nonce_of_another_request', askedWith({ realm_id: 'office' })],
    [
      'of a request for another owner',
      'nonce_of_another_request',
      askedWith({ owner_user_id: 'me' }, { owner_user_id: 'you' }),
    ],
    [
      'for another key',
      'nonce_for_another_key',
      async (keys) => askedWith({ public_key: await publicJwk(await agentKeys()) })(keys),
    ],
  ])('with a nonce %s: %s', async (_name, reason, request) => {
    await expectFailed(await request(await agentKeys()), reason);
  });

  async function expectFailed(request: object, reason: string): Promise<void> {
    const { status, body } = await mint(request);
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: 'proof_of_possession_failed', details: { reason } });
  }

  it('with a nonce that has been used: also where the first request failed', async () => {
    const keys = await agentKeys();
    const nonce = await freshNonce();
    const right = await mintRequest(keys, nonce);
    expect((await mint({ ...right, signed_nonce: 'AAAA' })).body).toMatchObject({
      details: { reason: 'signature_invalid' },
    });
    expect((await mint(right)).body).toMatchObject({ details: { reason: 'nonce_unknown' } });
    const another = await mintRequest(keys, await freshNonce());
    expect((await mint(another)).status).toBe(201);
    expect((await mint(another)).body).toMatchObject({ details: { reason: 'nonce_unknown' } });
  });

  it('with a nonce that has expired', async () => {
    const request = await mintRequest(await agentKeys(), await freshNonce());
    ahead = 301;
    expect((await mint(request)).body).toMatchObject({ details: { reason: 'nonce_expired' } });
    ahead = 0;
  });

  it('of one of two requests at the same time with one nonce', async () => {
    const request = await mintRequest(await agentKeys(), await freshNonce());
    const answers = await Promise.all([mint(request), mint(request)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
  });
});

describe('a nonce', () => {
  it('is of 256 random bits, lives for five minutes, and is kept by no cache', async () => {
    const { body, headers } = await sandbox.send('POST', '/v1/issuance/nonce', PRINCIPAL);
    const { nonce, expires_at } = body as unknown as IssuanceNonce;
    expect(Buffer.from(nonce, 'base64url')).toHaveLength(32);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(300_000);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('is refused when ten thousand are waiting, and issued again once they have expired', async () => {
    let late = 0;
    const busy = await testSandbox({ now: () => Date.now() + late * 1000 });
    for (let count = 0; count < 10_000; count++) busy.issuer.requestNonce(PRINCIPAL);
    const { status, body } = await busy.send('POST', '/v1/issuance/nonce', PRINCIPAL);
    expect([status, body['error']]).toEqual([503, 'busy']);
    late = 301;
    expect((await busy.send('POST', '/v1/issuance/nonce', PRINCIPAL)).status).toBe(200);
  });
});

describe('a key', () => {
  it('has one passport: the same key again is refused', async () => {
    const keys = await agentKeys();
    await obtain(keys);
    await expect(obtain(keys)).rejects.toMatchObject({
      code: 'ERR_ISSUER_REFUSED',
      status: 409,
      error: 'key_has_passport',
    });
  });

  it('has one passport, also of two requests at the same time', async () => {
    const keys = await agentKeys();
    const requests = [
      await mintRequest(keys, await freshNonce()),
      await mintRequest(keys, await freshNonce()),
    ];
    const answers = await Promise.all(requests.map(mint));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('gets another passport once the one before has expired, unless that was revoked', async () => {
    const expired = await agentKeys();
    const revoked = await agentKeys();
    await obtain(expired);
    const { passport } = await obtain(revoked);
    await sandbox.send('POST', `/v1/passports/${passport.passport_did}/revoke`, undefined, AS_OPERATOR);
    ahead = 3601;
    const later = () => Date.now() + ahead * 1000;
    const again = (keys: AgentKeys) => obtain(keys, { mandate: undefined }, { now: later });
    await expect(again(revoked)).rejects.toMatchObject({ status: 409 });
    expect((await again(expired)).passport.status).toBe('active');
    ahead = 0;
  });
});

describe('a mandate', () => {
  it('by the principal goes into the passport as it is', async () => {
    const keys = await agentKeys();
    const principalKeys = await agentKeys();
    const mandate = await signMandate({
      principalKeys,
      agentKey: await publicJwk(keys),
      mandate: { mandate_id: 'm', issued_at: instant(-5), ...MANDATE },
    });
    const { token } = await obtain(keys, { mandate });
    expect(decodeJwt(token)).toMatchObject({
      mandate,
      principal_jkt: await calculateJwkThumbprint(await publicJwk(principalKeys)),
    });
    expect(await reasonsOf(keys, token)).toMatchObject([{ code: 'verified' }]);
  });

  it.each([
    ['that has expired', async () => ({ scope: [], expires_at: instant(-1) })],
    ['with a wrong scope', async () => ({ scope: ['*'], expires_at: instant(60) })],
    ['with an end that is no time', async () => ({ scope: [], expires_at: 'soon' })],
    ['that is no JWS', async () => 'a.b.c'],
    [
      'by a key of small order, for which a constant is a signature of anything',
      async (agentKey: PublicJwk) => {
        const claims = { mandate_id: 'm', issued_at: instant(-5), ...MANDATE };
        const cnf = { jkt: await calculateJwkThumbprint(agentKey) };
        const header = { alg: 'EdDSA', typ: 'mandate+jwt', jwk: ed25519Jwk(IDENTITY) };
        return encodedJws(header, { ...claims, cnf }, Buffer.concat([IDENTITY, Buffer.alloc(32)]));
      },
    ],
    [
      'for another agent',
      async () =>
        signMandate({
          principalKeys: await agentKeys(),
          agentKey: await publicJwk(await agentKeys()),
          mandate: { mandate_id: 'm', issued_at: instant(-5), ...MANDATE },
        }),
    ],
  ])('%s is refused', async (_name, mandate) => {
    const keys = await agentKeys();
    const { status, body } = await mint(
      await mintRequest(keys, await freshNonce(), { mandate: await mandate(await publicJwk(keys)) }),
    );
    expect([status, body['error']]).toEqual([400, 'bad_request']);
  });
});

describe('a revocation', () => {
  it('makes the tokens that were issued before it fail, raises the nonce once, and is final', async () => {
    const keys = await agentKeys();
    const { passport, token } = await obtain(keys);
    const { passport_did: did } = passport;
    const good = await verifier();
    expect((await good.verifyPassport(token)).accepted).toBe(true);
    const revoke = () => sandbox.send('POST', `/v1/passports/${did}/revoke`, undefined, AS_OPERATOR);
    expect((await revoke()).body).toMatchObject({ status: 'revoked', revocation_nonce: 1 });
    expect((await revoke()).body).toMatchObject({ status: 'revoked', revocation_nonce: 1 });
    expect((await good.verifyPassport(token)).reasons[0]?.code).toBe('passport-revoked');
    const patch = await sandbox.send(
      'PATCH',
      `/v1/passports/${did}/status`,
      { status: 'active' },
      AS_OPERATOR,
    );
    expect([patch.status, patch.body['error']]).toEqual([409, 'passport_revoked']);
  });
});

describe('a suspension', () => {
  it('can be taken back, and leaves the nonce as it is', async () => {
    const { passport, token } = await obtain(await agentKeys());
    const set = (status: string) =>
      sandbox.send('PATCH', `/v1/passports/${passport.passport_did}/status`, { status }, AS_OPERATOR);
    const good = await verifier();
    expect((await set('suspended')).body).toMatchObject({ status: 'suspended', revocation_nonce: 0 });
    expect((await good.verifyPassport(token)).reasons[0]?.code).toBe('passport-suspended');
    expect((await set('active')).body).toMatchObject({ status: 'active', revocation_nonce: 0 });
    expect((await good.verifyPassport(token)).accepted).toBe(true);
    expect((await set('revoked')).status).toBe(400);
  });
});

describe('a rotation of keys', () => {
  it('leaves two live: tokens of the one before can be verified, those of the one before that no longer', async () => {
    const own = await testSandbox();
    const keysOf = async () =>
      (await own.send('GET', '/.well-known/jwks.json')).body['keys'] as { kid: string }[];
    const get = async (keys: AgentKeys) => (await obtain(keys, {}, { fetch: own.fetch })).token;
    const rotate = () => own.send('POST', '/v1/keys/rotate', undefined, AS_OPERATOR);
    const [first] = await keysOf();
    const token = await get(await agentKeys());
    expect(decodeProtectedHeader(token).kid).toBe(first?.kid);
    expect((await rotate()).status).toBe(200);
    const two = await keysOf();
    expect(two.map(({ kid }) => kid)).toContain(first?.kid);
    expect(two).toHaveLength(2);
    expect(decodeProtectedHeader(await get(await agentKeys())).kid).toBe(two[1]?.kid);
    await rotate();
    expect((await keysOf()).map(({ kid }) => kid)).toEqual([two[1]?.kid, expect.any(String)]);
    for (const key of await keysOf()) {
      expect(Object.keys(key).sort()).toEqual(['crv', 'kid', 'kty', 'use', 'x']);
    }
  });
});

describe("an issuer's key of P-256", () => {
  it('signs with ES256, and is published without its private part', async () => {
    const own = await testSandbox({ keyType: 'P-256' });
    const { token } = await obtain(await agentKeys(), {}, { fetch: own.fetch });
    const [published] = (await own.send('GET', '/.well-known/jwks.json')).body['keys'] as object[];
    expect(published).toMatchObject({ crv: 'P-256', kid: decodeProtectedHeader(token).kid });
    expect(Object.keys(published ?? {}).sort()).toEqual(['crv', 'kid', 'kty', 'use', 'x', 'y']);
    const { protectedHeader } = await jwtVerify(token, await importJWK(published ?? {}, 'ES256'));
    expect(protectedHeader.alg).toBe('ES256');
  });
});

describe("the operator's token", () => {
  const attempts: [string, Record<string, string>][] = [
    ['missing', {}],
    ['empty', { Authorization: 'Bearer ' }],
    ['wrong', { Authorization: 'Bearer operator-token-of-the-testz' }],
    ['of another scheme', { Authorization: `Basic ${AS_OPERATOR.Authorization.slice(7)}` }],
  ];

  it.each(attempts)('%s: every operation of the operator is refused', async (_name, headers) => {
    const { passport } = await obtain(await agentKeys());
    const guarded = OPERATIONS.filter(({ operation }) => operation.security === undefined);
    expect(guarded.map(({ operation }) => operation.operationId).sort()).toEqual([
      'revokePassport',
      'rotateKeys',
      'setStatus',
    ]);
    for (const { method, path, operation } of guarded) {
      const body = operation.requestBody === undefined ? undefined : { status: 'suspended' };
      const at = path.replace('{passport_did}', passport.passport_did);
      expect((await sandbox.send(method, at, body, headers)).status).toBe(401);
    }
    expect((await sandbox.send('GET', `/v1/passports/${passport.passport_did}`)).body).toMatchObject({
      status: 'active',
    });
  });
});

describe('hostile input', () => {
  const nonce = (body: unknown, headers?: Record<string, string>) =>
    sandbox.send('POST', '/v1/issuance/nonce', body, headers);

  it.each([
    ['that is no JSON', '{'],
    ['that is empty', ''],
    ['that is an array', '[]'],
    ['that is null', 'null'],
    ['without principal_id', { realm_id: 'a' }],
    ['without realm_id', { principal_id: 'a' }],
    ['with an empty principal_id', { principal_id: '', realm_id: 'a' }],
    ['with a principal_id that is too long', { principal_id: 'a'.repeat(257), realm_id: 'a' }],
    ['with a member that is not known', { ...PRINCIPAL, admin: true }],
    [
      'with a private key',
      { ...PRINCIPAL, public_key: { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), d: 'A'.repeat(43) } },
    ],
    ['with a key of RSA', { ...PRINCIPAL, public_key: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } }],
    ['with a prototype', '{"__proto__":{"principal_id":"a","realm_id":"a"}}'],
  ])('a body %s is answered with 400', async (_name, body) => {
    const { status, body: answer } = await nonce(body);
    expect([status, answer['error']]).toEqual([400, 'bad_request']);
  });

  it('is answered with its place', async () => {
    const { body } = await nonce({ ...PRINCIPAL, realm_id: 7 });
    expect(body).toMatchObject({ details: { pointer: '/realm_id' } });
  });

  it('a body that is not said to be JSON is not read', async () => {
    expect((await nonce(PRINCIPAL, { 'Content-Type': 'text/plain' })).status).toBe(400);
  });

  it('a body that two readers could read differently is refused', async () => {
    const json = JSON.stringify(PRINCIPAL);
    const bad = [
      json.replace('{', '{"principal_id":"user-2",'),
      json.replace('{', '{"principal_\\u0069d":"user-2",'),
      `\uFEFF${json}`,
      '['.repeat(50_000),
    ];
    for (const body of bad) expect((await nonce(body)).status).toBe(400);
  });

  it('a body of more than 64 KiB is refused, whether or not its length is told', async () => {
    const large = JSON.stringify({ ...PRINCIPAL, realm_id: 'a'.repeat(65 * 1024) });
    expect((await nonce(large)).status).toBe(413);
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(large));
        controller.close();
      },
    });
    const response = await sandbox.fetch(`${ISSUER}/v1/issuance/nonce`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  it.each(['did:passport:x', 'x', '..%2f..%2fetc', 'did%3Apassport%3A', '__proto__', 'constructor'])(
    'there is no passport %s',
    async (did) => {
      const statuses = [
        sandbox.send('GET', `/v1/passports/${did}`),
        sandbox.send('POST', `/v1/passports/${did}/revoke`, undefined, AS_OPERATOR),
        sandbox.send('PATCH', `/v1/passports/${did}/status`, { status: 'active' }, AS_OPERATOR),
      ].map(async (answer) => (await answer).status);
      expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
    },
  );
});

describe('an issuer that fails', () => {
  it('says so without a reason, and issues nothing', async () => {
    let broken = false;
    const own = await testSandbox({
      now: () => {
        if (broken) throw new Error('the clock has stopped');
        return Date.now();
      },
    });
    const keys = await agentKeys();
    const request = await mintRequest(keys, await requestNonce(ISSUER, PRINCIPAL, { fetch: own.fetch }));
    broken = true;
    const { status, body } = await own.send('POST', '/v1/passports', request);
    expect([status, body]).toEqual([500, { error: 'internal', message: 'the issuer failed', details: {} }]);
    broken = false;
    expect((await obtain(keys, {}, { fetch: own.fetch })).passport.status).toBe('active');
  });
});

describe('the description', () => {
  it('is served', async () => {
    expect((await sandbox.send('GET', '/openapi.json')).body).toMatchObject({ openapi: '3.1.1' });
    await sandbox.send('GET', '/.well-known/openid-configuration');
  });

  it('describes nothing that was not seen here, each answer of each operation', async () => {
    const large = 'a'.repeat(70_000);
    const { passport } = await obtain(await agentKeys());
    const did = passport.passport_did;
    await mint({});
    await mint(large);
    await sandbox.send('PATCH', `/v1/passports/${did}/status`, large, AS_OPERATOR);
    const described = OPERATIONS.flatMap(({ operation: { operationId, responses } }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    );
    expect([...seen].sort()).toEqual(described.sort());
  });
});
