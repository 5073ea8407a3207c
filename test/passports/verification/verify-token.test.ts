import { randomUUID } from 'node:crypto';
import {
  type AcceptedToken,
  createPassportVerifier,
  type PassportVerifierOptions,
  type RejectedToken,
  type TokenProfile,
} from '@passport-registry/passports';
import {
  createIssuerLookup,
  createRegistryClient,
  type Issuer,
  openRegistry,
  type Registry,
  type TrustPolicy,
} from '@passport-registry/verifier';
import { SignJWT } from 'jose';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import {
  agentKeys,
  fetchOf,
  type IssuerKey,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  passportOf,
  registryOf,
  tokenOf,
} from '../../support/passport-world.js';
import { publish, testKey } from '../../support/publication.js';
import { registryHost } from '../../support/registry-host.js';
import { copyIn } from '../../support/sources.js';

const AUDIENCE = 'https://api.example';
const OPENID = '/.well-known/openid-configuration';
const OAUTH = '/.well-known/oauth-authorization-server';
const POLICY: TrustPolicy = { tiers: ['certified'] };
/** The time of the verifier, in seconds. */
const NOW = Math.floor(Date.now() / 1000);
const TOLERANCE = 30;

const PROFILES: Readonly<Record<string, TokenProfile>> = {
  access: { type: 'at+jwt', maxAge: 600, requiredClaims: ['sub', 'client_id', 'jti'] },
  grant: {
    type: 'oauth-id-jag+jwt',
    maxAge: 300,
    audience: 'https://auth.example/',
    requiredClaims: ['sub', 'client_id', 'jti'],
  },
};

/** The claims of an access token (RFC 9068, section 2.2). */
const accessClaims = (more: Record<string, unknown> = {}) => ({
  iss: 'https://alpha.example',
  aud: AUDIENCE,
  sub: 'user-7',
  client_id: 'agent-7',
  jti: randomUUID(),
  iat: NOW - 10,
  exp: NOW + 300,
  scope: 'mail.read',
  auth_time: NOW - 60,
  acr: '0',
  amr: ['pwd'],
  ...more,
});

/** The claims of an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant). */
const grantClaims = (more: Record<string, unknown> = {}) => ({
  iss: 'https://alpha.example',
  aud: 'https://auth.example/',
  sub: 'user-7',
  client_id: 'agent-7',
  jti: randomUUID(),
  iat: NOW - 10,
  exp: NOW + 290,
  resource: 'https://mcp.example/',
  scope: 'chat.read',
  ...more,
});

// Both issuers call their key the same.
const [alphaKey, betaKey] = await Promise.all([
  issuerKey('ed25519', 'shared'),
  issuerKey('ed25519', 'shared'),
]);
const root = await testKey();
let [alpha, beta] = [] as unknown as [IssuerWorld, IssuerWorld];

beforeEach(async () => {
  [alpha, beta] = await Promise.all([idp('alpha', alphaKey), idp('beta', betaKey)]);
});

/** An issuer whose metadata is at the well-known URL of an `iss` on its host. */
async function idp(
  id: string,
  key: IssuerKey,
  { iss = `https://${id}.example`, place = OPENID }: { iss?: string; place?: string } = {},
): Promise<IssuerWorld> {
  const url = `https://${id}.example`;
  const world = await issuerWorld(id, key, { discovery_uri: `${url}${place}` });
  world.documents.set(place, { issuer: iss, issuer_id: id, jwks_uri: `${url}/jwks.json` });
  return world;
}

/** Signs a token as jose does. */
function signed(claims: object, header: Record<string, unknown> = {}, key = alphaKey): Promise<string> {
  const alg = key.jwk.kty === 'EC' ? 'ES256' : 'EdDSA';
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg, typ: 'at+jwt', kid: key.kid, ...header })
    .sign(key.privateKey);
}

type Options = Partial<PassportVerifierOptions>;

async function verifierWith(options: Options = {}, worlds = [alpha, beta]) {
  return createPassportVerifier({
    registry: await registryOf(worlds),
    policy: POLICY,
    audience: AUDIENCE,
    tokenProfiles: PROFILES,
    fetch: fetchOf(worlds),
    now: () => NOW * 1000,
    clockTolerance: TOLERANCE,
    ...options,
  });
}

async function verify(token: unknown, profile = 'access', options: Options = {}, worlds = [alpha, beta]) {
  return (await verifierWith(options, worlds)).verifyToken(token as string, profile);
}

/** The code of a verdict, and the step that failed. */
function outcome({ reasons, checks }: AcceptedToken | RejectedToken): (string | undefined)[] {
  expect(reasons).toHaveLength(1);
  return [reasons[0]?.code, checks.find(({ result }) => result === 'failed')?.name];
}

const ACCEPTED = ['verified', undefined];

describe('a token in the shape of', () => {
  it('RFC 9068 is accepted, and the verdict says what was proven and by whom', async () => {
    const claims = accessClaims();
    const verdict = await verify(await signed(claims));
    expect(verdict).toEqual({
      accepted: true,
      proven: 'token',
      claims,
      issuer: alpha.record,
      registry: { updatedAt: expect.any(String), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      reasons: [{ code: 'verified', message: expect.any(String) }],
      checks: ['token', 'issuer', 'discovery', 'jwks', 'signature', 'times', 'audience'].map((name) => ({
        name,
        result: 'passed',
      })),
    });
    expect(verdict.accepted && Object.isFrozen(verdict.claims)).toBe(true);
    // Nothing is asked but the metadata and the keys.
    expect([alpha.log, beta.log]).toEqual([[OPENID, '/jwks.json'], []]);
  });

  it('an ID-JAG is accepted under its own profile, and under no other', async () => {
    const token = await signed(grantClaims(), { typ: 'oauth-id-jag+jwt' });
    expect(await verify(token, 'grant')).toMatchObject({ accepted: true, claims: { sub: 'user-7' } });
    expect(outcome(await verify(token, 'access'))).toEqual(['token-type', 'token']);
    expect(outcome(await verify(await signed(accessClaims()), 'grant'))).toEqual(['token-type', 'token']);
  });

  it('RFC 9068 may have times with a fraction, up to which it is valid', async () => {
    const token = await signed(accessClaims({ iat: NOW - 0.3, nbf: NOW - 0.2, exp: NOW + 0.5 }));
    const at = (seconds: number) => ({ now: () => seconds * 1000, clockTolerance: 0 });
    expect(outcome(await verify(token, 'access', at(NOW)))).toEqual(ACCEPTED);
    expect(outcome(await verify(token, 'access', at(NOW + 0.499)))).toEqual(ACCEPTED);
    expect(outcome(await verify(token, 'access', at(NOW + 0.5)))).toEqual(['token-expired', 'times']);
    expect(outcome(await verify(token, 'access', at(NOW - 0.25)))).toEqual(['token-not-yet-valid', 'times']);
  });

  it.each(['nonce', 'at_hash'])('RFC 9068 with a %s that is null is accepted', async (claim) => {
    expect(outcome(await verify(await signed(accessClaims({ [claim]: null }))))).toEqual(ACCEPTED);
  });

  it.each(['EdDSA', 'Ed25519', 'ES256'])('RFC 9068 with the algorithm %s is accepted', async (alg) => {
    const key = await issuerKey(alg === 'ES256' ? 'p256' : 'ed25519');
    const world = await idp('gamma', key);
    const token = await signed(accessClaims({ iss: world.url }), { alg }, key);
    expect(outcome(await verify(token, 'access', {}, [world]))).toEqual(ACCEPTED);
  });

  it('RFC 9068 is verified once, and judged each time', async () => {
    let now = NOW * 1000;
    const verifier = await verifierWith({ now: () => now, metadataMaxAge: Number.POSITIVE_INFINITY });
    const token = await signed(accessClaims());
    expect((await verifier.verifyToken(token, 'access')).accepted).toBe(true);
    const verifySignature = vi.spyOn(crypto.subtle, 'verify');
    expect((await verifier.verifyToken(token, 'access')).accepted).toBe(true);
    expect([verifySignature.mock.calls.length, alpha.log.length]).toEqual([0, 2]);
    verifySignature.mockRestore();
    now += 3_600_000;
    expect(outcome(await verifier.verifyToken(token, 'access'))).toEqual(['token-expired', 'times']);
  });
});

type Row = [name: string, code: string, step: string, token: () => Promise<unknown> | unknown];
const changed =
  (claims: Record<string, unknown>, header: Record<string, unknown> = {}) =>
  () =>
    signed(accessClaims(claims), header);
const encoded = (text: string) => Buffer.from(text).toString('base64url');
/** A token whose header has typ twice. */
const withTypTwice = async () => {
  const [header = '', ...rest] = (await signed(accessClaims())).split('.');
  const text = Buffer.from(header, 'base64url').toString();
  return [encoded(text.replace('{', '{"typ":"JWT",')), ...rest].join('.');
};

// At least one token for each step. The codes, and what else must be refused, are cases of the kit: passport/profile.
describe('a token is refused', () => {
  it.each<Row>([
    ['that is no string', 'token-malformed', 'token', () => Buffer.from('x')],
    ['with typ twice', 'token-malformed', 'token', withTypTwice],
    ['whose iss has credentials', 'token-claims', 'token', changed({ iss: 'https://a@alpha.example' })],
    ['whose cnf is null', 'token-bound', 'token', changed({ cnf: null })],
    ...[
      'https://evil.example',
      'https://alpha.example/x',
      'https://alpha.example:444',
      'https://alpha.example:443',
      'https://ALPHA.example',
      'http://alpha.example',
      'https://alpha.example//',
    ].map((iss): Row => [`of the iss ${iss}`, 'issuer-unknown', 'issuer', changed({ iss })]),
    [
      'of an iss with a slash that its metadata lacks',
      'iss-mismatch',
      'discovery',
      changed({ iss: 'https://alpha.example/' }),
    ],
    ['by a key that is not in the set', 'key-unknown', 'jwks', changed({}, { kid: 'other' })],
    [
      "by another issuer's key of the same name",
      'token-signature-invalid',
      'signature',
      () => signed(accessClaims(), {}, betaKey),
    ],
    [
      "in another issuer's name, by a key of the same name",
      'token-signature-invalid',
      'signature',
      changed({ iss: 'https://beta.example' }),
    ],
    ['for an audience with a slash more', 'audience-mismatch', 'audience', changed({ aud: `${AUDIENCE}/` })],
  ])('%s: %s', async (_name, code, step, token) => {
    const verdict = await verify(await token());
    expect(outcome(verdict)).toEqual([code, step]);
    expect(verdict).toMatchObject({ accepted: false });
    expect(verdict).not.toHaveProperty('proven');
    const names = verdict.checks.map(({ name }) => name);
    for (const [index, { result }] of verdict.checks.entries()) {
      const at = names.indexOf(step as never);
      expect(result).toBe(index < at ? 'passed' : index === at ? 'failed' : 'skipped');
    }
    // Claims that nobody has signed are not shown.
    expect(verdict.claims === undefined).toBe(!['times', 'audience'].includes(step));
  });

  it('before anything is asked, if its own form is wrong or its issuer is not trusted', async () => {
    await verify(await signed(accessClaims({ cnf: {} })));
    await verify(await signed(accessClaims(), { jku: 'https://beta.example/jwks.json' }));
    await verify(await signed(accessClaims()), 'access', { policy: { tiers: ['founding'] } });
    expect([alpha.log, beta.log]).toEqual([[], []]);
  });

  it('that is a passport, whatever its typ says', async () => {
    const { claims } = await passportOf(alpha, await agentKeys(), { aud: AUDIENCE, client_id: 'x' });
    const token = (header: object) => tokenOf(alpha, { claims }, { ...header });
    expect(outcome(await verify(await token({})))).toEqual(['token-type', 'token']);
    expect(outcome(await verify(await token({ typ: 'at+jwt' })))).toEqual(['token-bound', 'token']);
  });
});

describe('the times of a token', () => {
  it.each<[name: string, claims: Record<string, number>, outcome: (string | undefined)[]]>([
    ['exp, at its end', { exp: NOW - TOLERANCE }, ['token-expired', 'times']],
    [
      'iat, beyond it, and nbf long ago',
      { iat: NOW + TOLERANCE + 1, nbf: 0 },
      ['token-not-yet-valid', 'times'],
    ],
    ['iat long ago, nbf now', { iat: 0, nbf: NOW }, ['token-too-old', 'times']],
    ['exp at the end of time', { exp: Number.MAX_SAFE_INTEGER }, ACCEPTED],
  ])('%s', async (_name, claims, expected) => {
    expect(outcome(await verify(await signed(accessClaims(claims))))).toEqual(expected);
  });

  it('without a tolerance, and with the maximum age of a day by default', async () => {
    const tokenProfiles = { access: { type: 'at+jwt' } };
    const code = async (claims: object) =>
      outcome(
        await verify(await signed({ ...accessClaims(), ...claims }), 'access', {
          clockTolerance: 0,
          tokenProfiles,
        }),
      )[0];
    expect(await code({ exp: NOW + 1 })).toBe('verified');
    expect(await code({ exp: NOW })).toBe('token-expired');
    expect(await code({ iat: NOW })).toBe('verified');
    expect(await code({ iat: NOW + 1 })).toBe('token-not-yet-valid');
    expect(await code({ iat: NOW - 86_399 })).toBe('verified');
    expect(await code({ iat: NOW - 86_400 })).toBe('token-too-old');
  });
});

/** A registry of records as they are, sorted by id. */
async function registryWith(records: readonly Issuer[]): Promise<Registry> {
  return openRegistry(copyIn(publish(root, records)), { rootKey: root.rootKey.jwk, maxAge: 365 * 86_400 });
}

describe('the issuer of a token', () => {
  it('is suspended: the verdict has its record, and names the list', async () => {
    const suspended: Partial<Issuer> = { status: 'suspended' };
    const registry = await registryWith([{ ...alpha.record, ...suspended }, beta.record]);
    const verdict = await verify(await signed(accessClaims()), 'access', { registry });
    expect(outcome(verdict)).toEqual(['status-suspended', 'issuer']);
    expect(verdict).toMatchObject({ issuer: suspended, registry: { sha256: registry.sha256 } });
  });

  it('is unknown: the verdict names the list', async () => {
    const registry = await registryWith([beta.record]);
    const verdict = await verify(await signed(accessClaims()), 'access', { registry });
    expect(outcome(verdict)).toEqual(['issuer-unknown', 'issuer']);
    expect(verdict.registry).toEqual({ updatedAt: registry.updatedAt, sha256: registry.sha256 });
  });

  it.each([
    ['the host, in the form of OpenID Connect', 'https://alpha.example', OPENID],
    ['the host with a slash, in the form of OpenID Connect', 'https://alpha.example/', OPENID],
    ['a path, in the form of OpenID Connect', 'https://alpha.example/t/1', `/t/1${OPENID}`],
    ['a path with a slash, in the form of OpenID Connect', 'https://alpha.example/t/', `/t${OPENID}`],
    ['the host, in the form of RFC 8414', 'https://alpha.example', OAUTH],
    ['a path, in the form of RFC 8414', 'https://alpha.example/t/1', `${OAUTH}/t/1`],
    ['a path with a slash, in the form of RFC 8414', 'https://alpha.example/t/', `${OAUTH}/t`],
  ])('is at %s', async (_name, iss, place) => {
    const world = await idp('alpha', alphaKey, { iss, place });
    expect(outcome(await verify(await signed(accessClaims({ iss })), 'access', {}, [world]))).toEqual(
      ACCEPTED,
    );
    const other = iss.endsWith('/') ? iss.slice(0, -1) : `${iss}/`;
    const mistaken = await verify(await signed(accessClaims({ iss: other })), 'access', {}, [world]);
    expect(outcome(mistaken)).toEqual(['iss-mismatch', 'discovery']);
  });

  it.each([
    ['in the form of RFC 8414 with the name of OpenID Connect', `${OPENID}/t`],
    ['in the form of OpenID Connect with the name of RFC 8414', `/t${OAUTH}`],
  ])('is unknown %s', async (_name, place) => {
    const iss = 'https://alpha.example/t';
    const world = await idp('alpha', alphaKey, { iss, place });
    const verdict = await verify(await signed(accessClaims({ iss })), 'access', {}, [world]);
    expect(outcome(verdict)).toEqual(['issuer-unknown', 'issuer']);
  });

  it('is ambiguous, if two records have the two well-known URLs of one iss', async () => {
    const second = { ...beta.record, discovery_uri: `${alpha.url}${OAUTH}` };
    const registry = await registryWith([alpha.record, second]);
    const verdict = await verify(await signed(accessClaims()), 'access', { registry });
    expect(outcome(verdict)).toEqual(['issuer-ambiguous', 'issuer']);
    const named = { access: { type: 'at+jwt', issuerId: 'alpha' } };
    const still = await verify(await signed(accessClaims()), 'access', { registry, tokenProfiles: named });
    expect(outcome(still)).toEqual(['issuer-ambiguous', 'issuer']);
  });

  it('shares its key set with another issuer, and still speaks in its own name only', async () => {
    const record = { ...beta.record, jwks_uri: alpha.record.jwks_uri };
    const registry = await registryWith([alpha.record, record]);
    beta.documents.set(OPENID, { issuer: beta.url, issuer_id: 'beta', jwks_uri: alpha.record.jwks_uri });
    const token = await signed(accessClaims({ iss: beta.url }));
    expect(await verify(token, 'access', { registry })).toMatchObject({ issuer: { issuer_id: 'beta' } });
  });
});

describe('a registry that changes', () => {
  it('finds the issuers of the new list', async () => {
    const host = await registryHost(publish(root, [beta.record], { updatedAt: '2026-11-01T00:00:00Z' }));
    const { jwk } = root.rootKey;
    const registry = closedAfterTest(createRegistryClient({ sources: [host.base], rootKey: jwk }));
    const verifier = await verifierWith({ registry });
    const token = await signed(accessClaims());
    expect(outcome(await verifier.verifyToken(token, 'access'))).toEqual(['registry-unavailable', 'issuer']);
    await registry.ready();
    expect(outcome(await verifier.verifyToken(token, 'access'))).toEqual(['issuer-unknown', 'issuer']);
    host.files = publish(root, [alpha.record, beta.record], { updatedAt: '2026-11-02T00:00:00Z' });
    await registry.refresh();
    expect(outcome(await verifier.verifyToken(token, 'access'))).toEqual(ACCEPTED);
    const moved = { ...alpha.record, discovery_uri: `${alpha.url}/elsewhere` };
    host.files = publish(root, [moved, beta.record], { updatedAt: '2026-11-03T00:00:00Z' });
    await registry.refresh();
    expect(outcome(await verifier.verifyToken(token, 'access'))).toEqual(['issuer-unknown', 'issuer']);
  });

  it('is indexed once per list', async () => {
    const opened = await registryOf([alpha, beta]);
    let lists = 0;
    const list = () => {
      lists++;
      return opened.list();
    };
    const verifier = await verifierWith({ registry: { ...opened, list } });
    const token = await signed(accessClaims());
    for (const _ of [1, 2, 3]) expect((await verifier.verifyToken(token, 'access')).accepted).toBe(true);
    expect(lists).toBe(1);
  });
});

describe('a look-up of single issuers', () => {
  const profile = { type: 'at+jwt', issuerId: 'alpha' };

  async function lookup(records = [alpha.record, beta.record]) {
    const host = await registryHost(publish(root, records));
    const { jwk } = root.rootKey;
    return closedAfterTest(createIssuerLookup({ sources: [host.base], rootKey: jwk }));
  }

  it('needs the issuer id in the profile', async () => {
    await expect(verifierWith({ registry: await lookup() })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_OPTIONS_INVALID', option: 'issuerId' }),
    );
  });

  it('accepts the tokens of that issuer alone', async () => {
    const options = { registry: await lookup(), tokenProfiles: { access: profile } };
    const token = await signed(accessClaims());
    expect(await verify(token, 'access', options)).toMatchObject({
      accepted: true,
      issuer: alpha.record,
      registry: { sha256: expect.any(String) },
    });
    const other = await signed(accessClaims({ iss: beta.url }), {}, betaKey);
    expect(outcome(await verify(other, 'access', options))).toEqual(['iss-mismatch', 'issuer']);
  });
});

describe('a profile', () => {
  it('may name the only accepted issuer', async () => {
    const tokenProfiles = { access: { type: 'at+jwt', issuerId: 'alpha' } };
    const code = async (token: string) => outcome(await verify(token, 'access', { tokenProfiles }));
    expect(await code(await signed(accessClaims()))).toEqual(ACCEPTED);
    const other = await signed(accessClaims({ iss: beta.url }), {}, betaKey);
    expect(await code(other)).toEqual(['iss-mismatch', 'issuer']);
    const unlisted = await signed(accessClaims({ iss: 'https://evil.example' }));
    expect(await code(unlisted)).toEqual(['issuer-unknown', 'issuer']);
  });

  it('is found by its own name only', async () => {
    const token = await signed(accessClaims());
    for (const name of ['acces', '', '__proto__', 'constructor', undefined]) {
      await expect(
        verifierWith().then((verifier) => verifier.verifyToken(token, name as string)),
      ).rejects.toThrow(expect.objectContaining({ code: 'ERR_OPTIONS_INVALID', option: 'profile' }));
    }
    const none = await verifierWith({ tokenProfiles: undefined as never });
    await expect(none.verifyToken(token, 'access')).rejects.toThrow('no such profile');
  });

  it('stays as it was when the verifier was created', async () => {
    const requiredClaims = ['sub'];
    const tokenProfiles = { access: { type: 'at+jwt', requiredClaims } };
    const verifier = await verifierWith({ tokenProfiles });
    requiredClaims.length = 0;
    const verdict = await verifier.verifyToken(await signed(accessClaims({ sub: undefined })), 'access');
    expect(outcome(verdict)[0]).toBe('token-claims');
  });

  it.each<[string | undefined, unknown]>([
    ['type', {}],
    ...[
      ...['', 'JWT', 'jwt', 'Jwt', 'application/jwt', 'JOSE', 'at jwt', 'text/at+jwt', 'at+jwt;v=1', 7],
      ...['passport+jwt', 'application/passport+jwt', 'Application/Action+JWT', 'action+jwt', 'mandate+jwt'],
      'registry-publication+jwt',
    ].map((type): [string, unknown] => ['type', { type }]),
    ['audience', { type: 'at+jwt', audience: '' }],
    ['maxAge', { type: 'at+jwt', maxAge: 0 }],
    ['maxAge', { type: 'at+jwt', maxAge: Number.POSITIVE_INFINITY }],
    ['algorithms', { type: 'at+jwt', algorithms: [] }],
    ['algorithms', { type: 'at+jwt', algorithms: ['RS256'] }],
    ['algorithms', { type: 'at+jwt', algorithms: ['none'] }],
    ['requiredClaims', { type: 'at+jwt', requiredClaims: 'sub' }],
    ['requiredClaims', { type: 'at+jwt', requiredClaims: [''] }],
    ['issuerId', { type: 'at+jwt', issuerId: '../alpha' }],
    ['typ', { typ: 'at+jwt' }],
    ['tokenProfiles', 'at+jwt'],
  ])('is refused at once with a wrong %s: %j', async (option, profile) => {
    await expect(verifierWith({ tokenProfiles: { access: profile as TokenProfile } })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_OPTIONS_INVALID', option }),
    );
  });

  it('must be in an object: a Map would look like no profiles', async () => {
    const tokenProfiles = new Map([['access', { type: 'at+jwt' }]]) as never;
    await expect(verifierWith({ tokenProfiles })).rejects.toThrow(
      expect.objectContaining({ option: 'tokenProfiles' }),
    );
  });

  it('is read once: what is checked is what is used', async () => {
    const types = ['at+jwt', 'JWT'];
    const access = {
      get type() {
        return types.shift() ?? 'JWT';
      },
    };
    const { verifyToken } = await verifierWith({ tokenProfiles: { access } });
    expect(outcome(await verifyToken(await signed(accessClaims(), { typ: 'JWT' }), 'access'))).toEqual([
      'token-type',
      'token',
    ]);
  });
});
