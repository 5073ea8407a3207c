import { createSecretKey, generateKeyPairSync, sign } from 'node:crypto';
import { type ActionVerdict, PASSPORT_REASONS, VERDICT_CHECKS } from '@passport-registry/passports';
import { publicJwk, signMandate } from '@passport-registry/passports/agent';
import { RegistryStale } from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  agentKeys,
  fetchOf,
  type IssuerKey,
  type IssuerWorld,
  instant,
  issuerKey,
  issuerWorld,
  jws,
  mandate,
  PAYLOAD,
  passportOf,
  proofClaims,
  proofOf,
  requestOf,
  seconds,
  type TestPassport,
  tokenOf,
  verifierOf,
} from '../../support/passport-world.js';
import { listen } from '../../support/serving.js';

/** One issuer that is trusted, another that is, too, and a passport of the first. */
interface Scene {
  world: IssuerWorld;
  other: IssuerWorld;
  passport: TestPassport;
}

let key: IssuerKey;
let otherKey: IssuerKey;

beforeAll(async () => {
  key = await issuerKey();
  otherKey = await issuerKey();
});

async function scene(): Promise<Scene> {
  const world = await issuerWorld('alpha', key);
  const other = await issuerWorld('beta', otherKey);
  return { world, other, passport: await passportOf(world, await agentKeys()) };
}

/** What a request is made of; an attack changes some of it. */
interface Attack {
  token?: string;
  action?: unknown;
  payload?: unknown;
  proof?: unknown;
}

async function verdictOn(
  { world, other, passport }: Scene,
  attack: Attack,
  options: Parameters<typeof verifierOf>[1] = {},
): Promise<ActionVerdict> {
  const verifier = await verifierOf([world, other], options);
  const token = attack.token ?? (await tokenOf(world, passport));
  return verifier.verifyAction({
    token,
    action: 'email.send',
    payload: PAYLOAD,
    proof: await proofOf(String(token), passport),
    ...attack,
  } as never);
}

/** The codes of all rejections that the tests of this file have seen. */
const seen = new Set<string>();

/** Rejected for one reason, at one step; what came before has passed, and what comes after is not called passed. */
function expectRejected(verdict: ActionVerdict, code: string, step: string): void {
  expect(verdict.allowed).toBe(false);
  expect(verdict.reasons.map((reason) => reason.code)).toEqual([code]);
  expect(verdict.reasons[0]?.message).not.toBe('');
  seen.add(code);
  const failed = VERDICT_CHECKS.indexOf(step as never);
  expect(verdict.checks.map(({ name }) => name)).toEqual([...VERDICT_CHECKS]);
  verdict.checks.forEach(({ result }, index) => {
    if (index === failed) expect(result).toBe('failed');
    else if (index > failed) expect(result).toBe('skipped');
    else expect(result).toBe('passed');
  });
}

const changed =
  (claims: Record<string, unknown>, header: Record<string, unknown> = {}) =>
  async ({ world, passport }: Scene): Promise<Attack> => ({
    token: await tokenOf(world, { claims: { ...passport.claims, ...claims } }, header),
  });

const without =
  (claim: string) =>
  async ({ world, passport }: Scene): Promise<Attack> => {
    const { [claim]: _left, ...claims } = passport.claims;
    return { token: await tokenOf(world, { claims }) };
  };

/** A token that was taken apart and put together again. */
const spliced =
  (change: (parts: string[]) => string) =>
  async ({ world, passport }: Scene): Promise<Attack> => ({
    token: change((await tokenOf(world, passport)).split('.')),
  });

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

type Row = [name: string, step: string, code: string, attack: (scene: Scene) => Promise<Attack> | Attack];

describe('a token', () => {
  it.each<Row>([
    ['that is empty', 'token', 'token-malformed', () => ({ token: '' })],
    ['that is no text', 'token', 'token-malformed', () => ({ token: {} as string })],
    ['that is a word', 'token', 'token-malformed', () => ({ token: 'passport' })],
    ['with two parts', 'token', 'token-malformed', spliced(([a, b]) => `${a}.${b}`)],
    ['with four parts', 'token', 'token-malformed', spliced((parts) => [...parts, 'AAAA'].join('.'))],
    ['with padding', 'token', 'token-malformed', spliced((parts) => `${parts.join('.')}=`)],
    ['with white space', 'token', 'token-malformed', spliced((parts) => ` ${parts.join('.')}`)],
    ['in the other base64', 'token', 'token-malformed', spliced(([a, b]) => `${a}.${b}.+/+/`)],
    ['larger than 16 KiB', 'token', 'token-malformed', changed({ more: 'x'.repeat(13_000) })],
    ['with a kid that is too long', 'token', 'token-header', changed({}, { kid: 'k'.repeat(257) })],
    ['with a header that is no JSON', 'token', 'token-malformed', spliced(([, b, c]) => `AAAA.${b}.${c}`)],
    [
      'with a payload that is an array',
      'token',
      'token-malformed',
      spliced(([a, , c]) => `${a}.${encoded([])}.${c}`),
    ],
    [
      'with alg none',
      'token',
      'token-algorithm',
      spliced(([, b]) => `${encoded({ alg: 'none', typ: 'passport+jwt' })}.${b}.`),
    ],
    [
      'with alg NONE',
      'token',
      'token-algorithm',
      spliced(([, b]) => `${encoded({ alg: 'NONE', typ: 'passport+jwt' })}.${b}.`),
    ],
    [
      'without alg',
      'token',
      'token-algorithm',
      spliced(([, b, c]) => `${encoded({ typ: 'passport+jwt' })}.${b}.${c}`),
    ],
    [
      'of HS256, with the public key as the secret',
      'token',
      'token-algorithm',
      async ({ passport }) => ({
        token: await jws(
          passport.claims,
          { alg: 'HS256', typ: 'passport+jwt', kid: key.kid },
          createSecretKey(Buffer.from(JSON.stringify(key.jwk))),
        ),
      }),
    ],
    [
      'of RS256',
      'token',
      'token-algorithm',
      async ({ passport }) => ({
        token: await jws(
          passport.claims,
          { alg: 'RS256', typ: 'passport+jwt', kid: key.kid },
          generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
        ),
      }),
    ],
    ['without typ', 'token', 'token-type', changed({}, { typ: undefined })],
    ['of typ JWT', 'token', 'token-type', changed({}, { typ: 'JWT' })],
    ['of typ at+jwt', 'token', 'token-type', changed({}, { typ: 'at+jwt' })],
    [
      'that is a proof',
      'token',
      'token-type',
      async ({ world, passport }) => ({ token: await proofOf(await tokenOf(world, passport), passport) }),
    ],
    ['with jku', 'token', 'token-header', changed({}, { jku: 'https://evil.example/jwks.json' })],
    [
      'with jwk',
      'token',
      'token-header',
      async ({ passport, ...rest }) =>
        changed({}, { jwk: await publicJwk(passport.keys) })({ passport, ...rest }),
    ],
    ['with x5u', 'token', 'token-header', changed({}, { x5u: 'https://evil.example/cert' })],
    ['with x5c', 'token', 'token-header', changed({}, { x5c: ['AAAA'] })],
    [
      'with crit',
      'token',
      'token-header',
      spliced(
        ([, b, c]) =>
          `${encoded({ alg: 'EdDSA', typ: 'passport+jwt', kid: 'k', crit: ['x'], x: 1 })}.${b}.${c}`,
      ),
    ],
    ['without kid', 'token', 'token-header', changed({}, { kid: undefined })],
    [
      'with a kid that is no text',
      'token',
      'token-header',
      spliced(([, b, c]) => `${encoded({ alg: 'EdDSA', typ: 'passport+jwt', kid: 7 })}.${b}.${c}`),
    ],
    ...[
      'iss',
      'sub',
      'jti',
      'iat',
      'exp',
      'issuer_id',
      'realm_id',
      'principal_id',
      'agent_type',
      'capabilities',
      'revocation_nonce',
      'cnf',
    ].map((claim): Row => [`without ${claim}`, 'token', 'token-claims', without(claim)]),
    ['with exp as a text', 'token', 'token-claims', changed({ exp: String(seconds(60)) })],
    ['with a nonce below zero', 'token', 'token-claims', changed({ revocation_nonce: -1 })],
    ['with a nonce that is a fraction', 'token', 'token-claims', changed({ revocation_nonce: 0.5 })],
    ['of an unknown agent type', 'token', 'token-claims', changed({ agent_type: 'root' })],
    [
      'with a sub of another passport',
      'token',
      'token-claims',
      changed({ sub: `did:passport:${crypto.randomUUID()}` }),
    ],
    [
      'with a jti that climbs',
      'token',
      'token-claims',
      changed({ jti: '../../x', sub: 'did:passport:../../x' }),
    ],
    ['with an issuer_id that climbs', 'token', 'token-claims', changed({ issuer_id: '../alpha' })],
    ['with an iss that is no web address', 'token', 'token-claims', changed({ iss: 'file:///etc/passwd' })],
    ['with an iss with a query', 'token', 'token-claims', changed({ iss: 'https://alpha.example?x' })],
    [
      'with a private key in cnf',
      'token',
      'token-claims',
      async (all) => changed({ cnf: { jwk: { ...(await publicJwk(all.passport.keys)), d: 'AAAA' } } })(all),
    ],
    [
      'with an RSA key in cnf',
      'token',
      'token-claims',
      changed({ cnf: { jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } } }),
    ],
    ['with a mandate that is a number', 'token', 'token-claims', changed({ mandate: 7 })],
    ['of an unknown issuer', 'issuer', 'issuer-unknown', changed({ issuer_id: 'gamma' })],
    ['with a forged iss', 'discovery', 'iss-mismatch', changed({ iss: 'https://evil.example' })],
    [
      'with the iss of another trusted issuer',
      'discovery',
      'iss-mismatch',
      changed({ iss: 'https://beta.example' }),
    ],
    [
      "by a key from another issuer's JWKS",
      'jwks',
      'key-unknown',
      async ({ other, passport }) => ({ token: await tokenOf(other, passport) }),
    ],
    [
      "by another issuer's key, under the kid of this one",
      'signature',
      'token-signature-invalid',
      async ({ other, passport }) => ({ token: await tokenOf(other, passport, { kid: key.kid }) }),
    ],
    [
      "by the agent's own key",
      'signature',
      'token-signature-invalid',
      async ({ passport }) => ({
        token: await jws(passport.claims, { typ: 'passport+jwt', kid: key.kid }, passport.keys.privateKey),
      }),
    ],
    [
      'of which a claim was altered',
      'signature',
      'token-signature-invalid',
      async ({ world, passport }) => {
        const [head, , signature] = (await tokenOf(world, passport)).split('.');
        return { token: `${head}.${encoded({ ...passport.claims, principal_id: 'root' })}.${signature}` };
      },
    ],
    [
      'with a signature of zeros',
      'signature',
      'token-signature-invalid',
      spliced(([a, b]) => `${a}.${b}.${Buffer.alloc(64).toString('base64url')}`),
    ],
    ['with an empty signature', 'signature', 'token-signature-invalid', spliced(([a, b]) => `${a}.${b}.`)],
    [
      'that says ES256 on the machine that has the key of Ed25519',
      'signature',
      'token-algorithm',
      spliced(([, b, c]) => `${encoded({ alg: 'ES256', typ: 'passport+jwt', kid: key.kid })}.${b}.${c}`),
    ],
    ['that has expired', 'times', 'token-expired', changed({ exp: seconds(-31) })],
    ['that is from the future', 'times', 'token-not-yet-valid', changed({ iat: seconds(3600) })],
    ['that is not valid yet', 'times', 'token-not-yet-valid', changed({ nbf: seconds(3600) })],
    [
      'with a claim nested without end, by a stranger',
      'token',
      'token-malformed',
      async ({ world, other, passport }) => {
        const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
        const claims = JSON.stringify(passport.claims).replace('{', `{"x":${deep},`);
        const head = { alg: 'EdDSA', typ: 'passport+jwt', kid: world.key.kid };
        const input = `${encoded(head)}.${Buffer.from(claims).toString('base64url')}`;
        const signature = sign(null, Buffer.from(input), other.key.privateKey);
        return { token: `${input}.${signature.toString('base64url')}` };
      },
    ],
    ['without a mandate', 'mandate', 'mandate-missing', without('mandate')],
    [
      'whose capabilities name the action, without a mandate',
      'mandate',
      'mandate-missing',
      async (all) =>
        without('mandate')({
          ...all,
          passport: { ...all.passport, claims: { ...all.passport.claims, capabilities: ['email.send'] } },
        }),
    ],
  ])('%s fails at %s: %s', async (_name, step, code, attack) => {
    const all = await scene();
    expectRejected(await verdictOn(all, await attack(all)), code, step);
  });

  it('is not taken for verified by anything but its signature', async () => {
    const all = await scene();
    const forged = await verdictOn(all, { token: await tokenOf(all.other, all.passport, { kid: key.kid }) });
    expect(forged.passport).toBeUndefined();
    expect(forged.mandate).toBeUndefined();
    expect(forged.issuer?.issuer_id).toBe('alpha');
  });

  it('names nobody to ask: of an unknown issuer nothing is fetched', async () => {
    const all = await scene();
    await verdictOn(all, await changed({ issuer_id: 'gamma', iss: 'https://beta.example' })(all));
    expect(all.world.log).toEqual([]);
    expect(all.other.log).toEqual([]);
  });
});

describe('a host that is named', () => {
  const answering = (path: RegExp, status: number, headers: Record<string, string>) => (all: Scene) => {
    all.world.intercept = (request, response) => {
      if (!path.test(request.url ?? '')) return false;
      response.writeHead(status, headers).end();
      return true;
    };
    return {};
  };
  const metadata = (more: object) => (all: Scene) => {
    all.world.documents.set('/metadata', { ...(all.world.documents.get('/metadata') as object), ...more });
    return {};
  };

  it.each<[string, (url: string) => Row[3]]>([
    ['a redirect of the metadata', (url) => answering(/metadata/, 302, { Location: url })],
    ['a redirect of the keys', (url) => answering(/jwks/, 307, { Location: url })],
    ['a redirect of the status', (url) => answering(/passports/, 301, { Location: url })],
    ['the metadata, for the keys', (url) => metadata({ jwks_uri: url })],
    ['the metadata, as the issuer', (url) => metadata({ issuer: url })],
    ['the token, as its issuer', (url) => changed({ iss: url })],
    ['the token, for the keys', (url) => changed({}, { jku: url, x5u: url })],
    ['the token, as its key', (url) => changed({}, { kid: url })],
  ])('by %s is not contacted', async (_name, attack) => {
    const all = await scene();
    const requests: string[] = [];
    const address = await listen((request, response) => {
      requests.push(String(request.url));
      response.end('{}');
    });
    for (const url of [address, 'https://stranger.example']) {
      const change = await attack(url)(all);
      const hosts = new Set<string>();
      const fetch: typeof globalThis.fetch = (input, init) => {
        const { host } = new URL(String(input));
        hosts.add(host);
        return fetchOf([all.world, { ...all.other, url: 'https://stranger.example' }])(input, init);
      };
      expect((await verdictOn(all, change, { fetch })).allowed).toBe(false);
      expect([...hosts].filter((host) => host !== 'alpha.example')).toEqual([]);
    }
    expect([requests, all.other.log]).toEqual([[], []]);
  });
});

describe('an issuer', () => {
  const record = (more: object) => async (all: Scene) => {
    Object.assign(all.world.record, more);
    return {};
  };
  const document = (path: string, change: (document: never) => unknown) => (all: Scene) => {
    all.world.documents.set(path, change(all.world.documents.get(path) as never));
    return {};
  };
  const metadata = (more: object) => document('/metadata', (found: object) => ({ ...found, ...more }));
  const jwks = (...keys: unknown[]) => document('/jwks.json', () => ({ keys }));
  const status = (more: object) => (all: Scene) =>
    document(all.passport.statusPath, (found: object) => ({ ...found, ...more }))(all);
  const answers =
    (path: RegExp, code: number, headers: Record<string, string> = {}, body = '') =>
    (all: Scene) => {
      all.world.intercept = (request, response) => {
        if (!path.test(request.url ?? '')) return false;
        response.writeHead(code, headers).end(body);
        return true;
      };
      return {};
    };
  const endless = (path: RegExp) => (all: Scene) => {
    all.world.intercept = (request, response) => {
      if (!path.test(request.url ?? '')) return false;
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const more = () => {
        while (response.write('[1,2,3,'.repeat(1000)));
        response.once('drain', more);
      };
      more();
      return true;
    };
    return {};
  };
  const silent = (path: RegExp) => (all: Scene) => {
    all.world.intercept = (request) => path.test(request.url ?? '');
    return {};
  };

  it.each<Row>([
    ['that the registry has suspended', 'issuer', 'status-suspended', record({ status: 'suspended' })],
    ['that the registry has revoked', 'issuer', 'status-revoked', record({ status: 'revoked' })],
    ['of a tier that is not trusted', 'issuer', 'tier-not-accepted', record({ tier: 'sandbox' })],
    ['without metadata', 'discovery', 'discovery-unreachable', answers(/metadata/, 404)],
    ['that is down', 'discovery', 'discovery-unreachable', answers(/metadata/, 503)],
    [
      'whose metadata redirect',
      'discovery',
      'discovery-redirected',
      answers(/metadata/, 302, { Location: 'http://169.254.169.254/latest/meta-data' }),
    ],
    [
      'whose metadata are a page',
      'discovery',
      'discovery-invalid',
      answers(/metadata/, 200, {}, '<!doctype html>'),
    ],
    ['whose metadata are endless', 'discovery', 'discovery-unreachable', endless(/metadata/)],
    ['whose metadata lack the issuer', 'discovery', 'discovery-invalid', metadata({ issuer: undefined })],
    [
      'whose metadata name another issuer',
      'discovery',
      'discovery-mismatch',
      metadata({ issuer_id: 'beta' }),
    ],
    [
      'whose metadata name other keys',
      'discovery',
      'discovery-mismatch',
      metadata({ jwks_uri: 'https://alpha.example/other.json' }),
    ],
    [
      "whose metadata name another issuer's keys",
      'discovery',
      'discovery-mismatch',
      metadata({ jwks_uri: 'https://beta.example/jwks.json' }),
    ],
    [
      'whose metadata name an address on another host',
      'discovery',
      'discovery-mismatch',
      metadata({ issuer: 'https://evil.example' }),
    ],
    [
      'whose metadata name an address in a private network',
      'discovery',
      'discovery-mismatch',
      metadata({ issuer: 'https://10.0.0.1' }),
    ],
    [
      'that the registry has at a loopback address',
      'discovery',
      'address-private',
      record({ discovery_uri: 'https://127.0.0.1/metadata' }),
    ],
    [
      'that the registry has at a name without a domain',
      'discovery',
      'address-private',
      record({ discovery_uri: 'https://localhost/metadata' }),
    ],
    ['without keys', 'jwks', 'jwks-unreachable', answers(/jwks/, 404)],
    [
      'whose keys redirect',
      'jwks',
      'jwks-redirected',
      answers(/jwks/, 307, { Location: 'https://10.0.0.1/' }),
    ],
    ['whose keys are endless', 'jwks', 'jwks-unreachable', endless(/jwks/)],
    ['whose keys are no set', 'jwks', 'jwks-invalid', document('/jwks.json', () => ({ keys: 'none' }))],
    ['with 101 keys', 'jwks', 'jwks-invalid', jwks(...Array.from({ length: 101 }, () => ({ kty: 'RSA' })))],
    [
      'with a private key among its keys',
      'jwks',
      'jwks-private-key',
      (all) => jwks(all.world.key.jwk, { kty: 'OKP', crv: 'Ed25519', x: 'A', d: 'A', kid: 'z' })(all),
    ],
    [
      'with a symmetric key among its keys',
      'jwks',
      'jwks-private-key',
      (all) => jwks(all.world.key.jwk, { kty: 'oct', k: 'AAAA', kid: 'z' })(all),
    ],
    ['with no such key', 'jwks', 'key-unknown', (all) => jwks(all.other.key.jwk)(all)],
    [
      'with two keys of one name',
      'jwks',
      'key-ambiguous',
      (all) => jwks(all.world.key.jwk, { ...all.other.key.jwk, kid: all.world.key.kid })(all),
    ],
    [
      'whose key is for encryption',
      'jwks',
      'key-unusable',
      (all) => jwks({ ...all.world.key.jwk, use: 'enc' })(all),
    ],
    [
      'whose key is for signing only',
      'jwks',
      'key-unusable',
      (all) => jwks({ ...all.world.key.jwk, key_ops: ['sign'] })(all),
    ],
    [
      'whose key is marked for another algorithm',
      'jwks',
      'key-unusable',
      (all) => jwks({ ...all.world.key.jwk, alg: 'ES256' })(all),
    ],
    ...[['ES256', 'EdDSA'], ['EdDSA'], { toString: 1, valueOf: 1 }, ''].map(
      (alg): Row => [
        `whose key has the alg ${JSON.stringify(alg)}`,
        'jwks',
        'key-unusable',
        (all) => jwks({ ...all.world.key.jwk, alg })(all),
      ],
    ),
    [
      'whose key is of RSA',
      'jwks',
      'key-unusable',
      (all) => jwks({ kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: all.world.key.kid })(all),
    ],
    ['that does not tell the status', 'status', 'status-unreachable', answers(/passports/, 500)],
    ['that tells the status too late', 'status', 'status-unreachable', silent(/passports/)],
    [
      'that redirects for the status',
      'status',
      'status-redirected',
      answers(/passports/, 301, { Location: 'http://127.0.0.1/' }),
    ],
    ['whose status is no JSON', 'status', 'status-invalid', answers(/passports/, 200, {}, 'active')],
    ['whose status is unknown', 'status', 'status-invalid', status({ status: 'fine' })],
    ['whose status lacks the nonce', 'status', 'status-invalid', status({ revocation_nonce: undefined })],
    ['whose nonce is a text', 'status', 'status-invalid', status({ revocation_nonce: '0' })],
    [
      'whose status describes another passport',
      'status',
      'status-mismatch',
      status({ passport_did: 'did:passport:x' }),
    ],
    ['whose status is of another issuer', 'status', 'status-mismatch', status({ issuer_id: 'beta' })],
    [
      'that does not know the passport',
      'status',
      'passport-unknown',
      (all) => {
        all.world.documents.delete(all.passport.statusPath);
        return {};
      },
    ],
    ['that has suspended the passport', 'status', 'passport-suspended', status({ status: 'suspended' })],
    [
      'that has revoked the passport',
      'status',
      'passport-revoked',
      status({ status: 'revoked', revocation_nonce: 1 }),
    ],
    ['that has raised the nonce', 'status', 'revocation-nonce-mismatch', status({ revocation_nonce: 1 })],
    [
      'whose nonce is lower than the one of the token',
      'status',
      'revocation-nonce-mismatch',
      changed({ revocation_nonce: 1 }),
    ],
  ])('%s fails at %s: %s', async (_name, step, code, attack) => {
    const all = await scene();
    const change = await attack(all);
    expectRejected(await verdictOn(all, change, { timeout: 3 }), code, step);
  });

  it('within a private network is asked where that is allowed', async () => {
    const all = await scene();
    Object.assign(all.world.record, {
      discovery_uri: 'https://10.1.2.3/metadata',
      jwks_uri: 'https://10.1.2.3/jwks.json',
    });
    const url = 'https://10.1.2.3';
    all.world.documents.set('/metadata', { issuer: url, issuer_id: 'alpha', jwks_uri: `${url}/jwks.json` });
    all.passport.claims['iss'] = url;
    const fetch = fetchOf([{ ...all.world, url }]);
    expect((await verdictOn(all, {}, { fetch })).reasons[0]?.code).toBe('address-private');
    expect((await verdictOn(all, {}, { fetch, allowPrivateAddresses: true })).allowed).toBe(true);
  });

  /** The reason for which an issuer with its metadata there is rejected; nothing answers anywhere. */
  const codeAt = async (discovery_uri: string) => {
    const all = await scene();
    const issuer = { ...all.world.record, discovery_uri };
    const registry = {
      ...{ updatedAt: '', sha256: '', hold: [], resolve: () => issuer, list: () => [issuer] },
      decide: () => ({ accepted: true, reasons: [], issuer }),
    };
    const fetch = () => Promise.reject(new Error('nothing answers'));
    return (await verdictOn(all, {}, { registry, fetch })).reasons[0]?.code;
  };

  it.each([
    'http://0/',
    'http://10.0.0.1/',
    'http://100.64.0.1/',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://169.254.169.254/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://198.19.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://[2002:a00:1::]/',
    'http://[2001:db8::1]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST/',
    'http://a.localhost/',
    'http://printer.local/',
    'http://metadata.google.internal/',
    'http://router.home.arpa/',
    'http://intranet/',
  ])('at %s is not asked', async (address) => {
    expect(await codeAt(address)).toBe('address-private');
  });

  it.each([
    'https://a.example/',
    'https://9.9.9.9/',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://[2606:4700::1111]/',
    'https://localhost.example/',
    'https://local.example/',
  ])('at %s is asked', async (address) => {
    expect(await codeAt(address)).toBe('discovery-unreachable');
  });
});

describe('a mandate', () => {
  const withMandate = (more: Record<string, unknown>) => changed({ mandate: mandate(more) });
  const action =
    (name: unknown, ...scope: string[]) =>
    async (all: Scene): Promise<Attack> => {
      const { token = '' } = await withMandate({ scope })(all);
      return { token, action: name, proof: await proofOf(token, all.passport, { action: name }) };
    };

  it.each<Row>([
    ['without an id', 'mandate', 'mandate-malformed', withMandate({ mandate_id: undefined })],
    ['without a scope', 'mandate', 'mandate-malformed', withMandate({ scope: undefined })],
    ['with a scope that is a text', 'mandate', 'mandate-malformed', withMandate({ scope: 'email.send' })],
    ['with a scope of *', 'mandate', 'mandate-malformed', withMandate({ scope: ['email.send', '*'] })],
    ['with a scope of email*', 'mandate', 'mandate-malformed', withMandate({ scope: ['email*'] })],
    ['with a scope of *.send', 'mandate', 'mandate-malformed', withMandate({ scope: ['*.send'] })],
    [
      'with a scope of email.*.send',
      'mandate',
      'mandate-malformed',
      withMandate({ scope: ['email.*.send'] }),
    ],
    ['with a scope of .*', 'mandate', 'mandate-malformed', withMandate({ scope: ['.*'] })],
    ['with an empty scope text', 'mandate', 'mandate-malformed', withMandate({ scope: [''] })],
    [
      'with an end that is no date-time',
      'mandate',
      'mandate-malformed',
      withMandate({ expires_at: 'never' }),
    ],
    ['with a policy that is a list', 'mandate', 'mandate-malformed', withMandate({ policy: [] })],
    ['that has expired', 'mandate', 'mandate-expired', withMandate({ expires_at: instant(-31) })],
    [
      'that is from the future',
      'mandate',
      'mandate-not-yet-valid',
      withMandate({ issued_at: instant(3600) }),
    ],
    ['with no scope at all', 'scope', 'scope-not-granted', withMandate({ scope: [] })],
    [
      'for email.send, and email.sendall',
      'scope',
      'scope-not-granted',
      action('email.sendall', 'email.send'),
    ],
    [
      'for email.send, and email.send.bulk',
      'scope',
      'scope-not-granted',
      action('email.send.bulk', 'email.send'),
    ],
    ['for email.send, and email', 'scope', 'scope-not-granted', action('email', 'email.send')],
    ['for email.send, and Email.send', 'scope', 'scope-not-granted', action('Email.send', 'email.send')],
    ['for email.*, and email', 'scope', 'scope-not-granted', action('email', 'email.*')],
    ['for email.*, and emails.send', 'scope', 'scope-not-granted', action('emails.send', 'email.*')],
    ['for email.*, and the wildcard itself', 'scope', 'action-malformed', action('email.*', 'email.*')],
    ['and an action that ends in a dot', 'scope', 'action-malformed', action('email.', 'email.*')],
    ['and an action with a line break', 'scope', 'action-malformed', action('email.send\n', 'email.*')],
    ['and an action that is empty', 'scope', 'action-malformed', action('', 'email.*')],
    ['and an action that is an object', 'scope', 'action-malformed', action({}, 'email.*')],
    [
      'with a policy that is not known here',
      'mandate-policy',
      'mandate-policy-unknown',
      withMandate({ policy: { max_amount: 7 } }),
    ],
    [
      'with a policy named as a method of objects',
      'mandate-policy',
      'mandate-policy-unknown',
      withMandate({ policy: { toString: 1 } }),
    ],
  ])('%s fails at %s: %s', async (_name, step, code, attack) => {
    const all = await scene();
    expectRejected(await verdictOn(all, await attack(all)), code, step);
  });

  it.each([
    ['email.send', 'email.send'],
    ['email.*', 'email.send'],
    ['email.*', 'email.send.bulk'],
    ['a.b.*', 'a.b.c'],
  ])('for %s covers %s', async (scope, name) => {
    const all = await scene();
    expect((await verdictOn(all, await action(name, scope)(all))).allowed).toBe(true);
  });

  it.each([
    ['is met', () => true, undefined],
    ['is not met', () => false, 'mandate-policy-refused'],
    ['gets another answer than true', () => 'yes' as never, 'mandate-policy-refused'],
    ['cannot be judged', () => Promise.reject(new Error('no')), 'mandate-policy-refused'],
  ])('whose policy %s', async (_name, handler, code) => {
    const all = await scene();
    const attack = await withMandate({ policy: { max_recipients: 5 } })(all);
    const seen: unknown[] = [];
    const max_recipients = (value: unknown, context: { action: string; payload: unknown }) => {
      seen.push(value, context.action, context.payload);
      return handler();
    };
    const verdict = await verdictOn(all, attack, { policyHandlers: { max_recipients } });
    expect(seen).toEqual([5, 'email.send', PAYLOAD]);
    if (code === undefined) expect(verdict.allowed).toBe(true);
    else expectRejected(verdict, code, 'mandate-policy');
  });

  describe('by the principal', () => {
    const signed = async (
      all: Scene,
      more: { agent?: boolean; jkt?: boolean; change?: (jws: string) => string; claims?: object } = {},
    ) => {
      const principalKeys = await agentKeys('P-256');
      const stranger = await agentKeys();
      const text = await signMandate({
        principalKeys,
        agentKey: await publicJwk(more.agent === false ? stranger : all.passport.keys),
        mandate: { ...(mandate() as object), ...more.claims } as never,
      });
      const { calculateJwkThumbprint } = await import('jose');
      const principal = await publicJwk(more.jkt === false ? stranger : principalKeys);
      return changed({
        mandate: more.change?.(text) ?? text,
        principal_jkt: await calculateJwkThumbprint(principal),
      })(all);
    };

    it('covers its scope', async () => {
      const all = await scene();
      const verdict = await verdictOn(all, await signed(all));
      expect(verdict.reasons).toEqual([{ code: 'verified', message: expect.any(String) }]);
      expect(verdict.mandate?.mandate_id).toBe('m-1');
    });

    it('is valid from its nbf to its exp', async () => {
      const all = await scene();
      const verdict = await verdictOn(
        all,
        await signed(all, { claims: { nbf: seconds(-1), exp: seconds(60) } }),
      );
      expect(verdict.reasons[0]?.code).toBe('verified');
    });

    it.each<Row>([
      [
        'whose key is not the one of principal_jkt',
        'mandate',
        'mandate-principal-mismatch',
        (all) => signed(all, { jkt: false }),
      ],
      [
        'that was given to another agent',
        'mandate',
        'mandate-holder-mismatch',
        (all) => signed(all, { agent: false }),
      ],
      [
        'that is valid later only, by its nbf',
        'mandate',
        'mandate-not-yet-valid',
        (all) => signed(all, { claims: { nbf: seconds(3600) } }),
      ],
      [
        'that has expired by its exp',
        'mandate',
        'mandate-expired',
        (all) => signed(all, { claims: { exp: seconds(-31) } }),
      ],
      [
        'whose exp is no number',
        'mandate',
        'mandate-malformed',
        (all) => signed(all, { claims: { exp: `${seconds(60)}` } }),
      ],
      [
        'that was altered',
        'mandate',
        'mandate-signature-invalid',
        (all) =>
          signed(all, {
            change: (text) => {
              const [a, b = '', c] = text.split('.');
              const claims = JSON.parse(Buffer.from(b, 'base64url').toString());
              return `${a}.${encoded({ ...claims, scope: ['bank.*'] })}.${c}`;
            },
          }),
      ],
      ['that is no JWS', 'mandate', 'mandate-malformed', (all) => signed(all, { change: () => 'x' })],
      [
        'of another type',
        'mandate',
        'mandate-type',
        (all) =>
          signed(all, {
            change: (text) => {
              const [, b, c] = text.split('.');
              return `${encoded({ alg: 'ES256', typ: 'JWT' })}.${b}.${c}`;
            },
          }),
      ],
      [
        'of no algorithm',
        'mandate',
        'mandate-algorithm',
        (all) =>
          signed(all, {
            change: (text) => {
              const [, b] = text.split('.');
              return `${encoded({ alg: 'none', typ: 'mandate+jwt' })}.${b}.`;
            },
          }),
      ],
      [
        'without a key',
        'mandate',
        'mandate-header',
        (all) =>
          signed(all, {
            change: (text) => {
              const [, b, c] = text.split('.');
              return `${encoded({ alg: 'ES256', typ: 'mandate+jwt' })}.${b}.${c}`;
            },
          }),
      ],
      [
        'without principal_jkt',
        'mandate',
        'mandate-principal-mismatch',
        async (all) => {
          const { token = '' } = await signed(all);
          const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
          return { token: await tokenOf(all.world, { claims: { ...claims, principal_jkt: undefined } }) };
        },
      ],
    ])('%s fails at %s: %s', async (_name, step, code, attack) => {
      const all = await scene();
      expectRejected(await verdictOn(all, await attack(all)), code, step);
    });
  });
});

describe('a proof', () => {
  const proof =
    (more: Record<string, unknown>, header: Record<string, unknown> = {}) =>
    async ({ world, passport }: Scene): Promise<Attack> => {
      const token = await tokenOf(world, passport);
      return { token, proof: await proofOf(token, passport, more, header) };
    };
  /** A proof that is valid for so many seconds from now on. */
  const lasting = (time: number, from = seconds()) => proof({ iat: from, exp: from + time });
  const payload = (value: unknown): Attack => ({ payload: value });
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);

  it.each<Row>([
    ['that is missing', 'proof', 'proof-malformed', () => ({ proof: undefined })],
    [
      'that is the token',
      'proof',
      'proof-type',
      async ({ world, passport }) => {
        const token = await tokenOf(world, passport);
        return { token, proof: token };
      },
    ],
    ['of typ JWT', 'proof', 'proof-type', proof({}, { typ: 'JWT' })],
    [
      'with alg none',
      'proof',
      'proof-algorithm',
      async ({ world, passport }) => {
        const token = await tokenOf(world, passport);
        return {
          token,
          proof: `${encoded({ alg: 'none', typ: 'action+jwt' })}.${encoded(proofClaims(token, passport))}.`,
        };
      },
    ],
    [
      'with its own key in its header',
      'proof',
      'proof-header',
      async (all) => proof({}, { jwk: await publicJwk(all.passport.keys) })(all),
    ],
    [
      'by another key',
      'proof',
      'proof-signature-invalid',
      async ({ world, passport }) => {
        const token = await tokenOf(world, passport);
        return { token, proof: await proofOf(token, { ...passport, keys: await agentKeys() }) };
      },
    ],
    [
      "by the issuer's key",
      'proof',
      'proof-signature-invalid',
      async ({ world, passport }) => {
        const token = await tokenOf(world, passport);
        return {
          token,
          proof: await jws(proofClaims(token, passport), { typ: 'action+jwt' }, world.key.privateKey),
        };
      },
    ],
    [
      'of the algorithm of another key',
      'proof',
      'proof-algorithm',
      async ({ world, passport }) => {
        const token = await tokenOf(world, passport);
        return { token, proof: await proofOf(token, { ...passport, keys: await agentKeys('P-256') }) };
      },
    ],
    ...['jti', 'aud', 'passport', 'ath', 'action', 'payload_sha256', 'iat', 'exp'].map(
      (claim): Row => [`without ${claim}`, 'proof', 'proof-claims', proof({ [claim]: undefined })],
    ),
    ['with a jti that is too long', 'proof', 'proof-claims', proof({ jti: 'a'.repeat(129) })],
    ['with a jti with a line break', 'proof', 'proof-claims', proof({ jti: 'a\nb' })],
    [
      'with aud as a list',
      'proof',
      'proof-claims',
      proof({ aud: ['https://mail.example', 'https://bank.example'] }),
    ],
    [
      'for another passport',
      'proof-passport',
      'proof-passport-mismatch',
      proof({ passport: crypto.randomUUID() }),
    ],
    ['for another token', 'proof-passport', 'proof-token-mismatch', proof({ ath: 'A'.repeat(43) })],
    ['for another action', 'proof-action', 'action-mismatch', proof({ action: 'email.read' })],
    [
      'whose payload was altered',
      'payload',
      'payload-mismatch',
      () => payload({ ...PAYLOAD, to: 'me@example.com' }),
    ],
    ['whose payload lost a member', 'payload', 'payload-mismatch', () => payload({ to: PAYLOAD.to })],
    ['whose payload is null', 'scope', 'payload-malformed', () => payload(null)],
    ['whose payload is an array', 'scope', 'payload-malformed', () => payload([PAYLOAD])],
    [
      'whose payload is no JSON',
      'payload',
      'payload-malformed',
      () => payload({ ...PAYLOAD, at: new Date() }),
    ],
    ['whose payload is nested without end', 'payload', 'payload-malformed', () => payload(deep)],
    ['for another verifier', 'audience', 'audience-mismatch', proof({ aud: 'https://bank.example' })],
    [
      'for the same verifier with a slash',
      'audience',
      'audience-mismatch',
      proof({ aud: 'https://mail.example/' }),
    ],
    ['that lives 61 seconds', 'proof-times', 'proof-lives-too-long', lasting(61)],
    [
      'that ends before it begins',
      'proof-times',
      'proof-lives-too-long',
      proof({ exp: seconds(-1), iat: seconds(0) }),
    ],
    ['that has expired', 'proof-times', 'proof-expired', proof({ iat: seconds(-91), exp: seconds(-31) })],
    [
      'from the future',
      'proof-times',
      'proof-not-yet-valid',
      proof({ iat: seconds(3600), exp: seconds(3620) }),
    ],
    ['that is valid later only', 'proof-times', 'proof-not-yet-valid', proof({ nbf: seconds(3600) })],
  ])('%s fails at %s: %s', async (_name, step, code, attack) => {
    const all = await scene();
    expectRejected(await verdictOn(all, await attack(all)), code, step);
  });

  it('is accepted once', async () => {
    const { world, other, passport } = await scene();
    const verifier = await verifierOf([world, other]);
    const request = await requestOf(world, passport);
    expect((await verifier.verifyAction(request)).allowed).toBe(true);
    expectRejected(await verifier.verifyAction(request), 'action-replayed', 'replay');
    const again = await requestOf(world, passport);
    expect((await verifier.verifyAction(again)).allowed).toBe(true);
  });

  it('may last 60 seconds', async () => {
    const all = await scene();
    expect((await verdictOn(all, await lasting(60)(all))).allowed).toBe(true);
  });

  it('is accepted once of a hundred at the same time', async () => {
    const { world, other, passport } = await scene();
    const verifier = await verifierOf([world, other]);
    const request = await requestOf(world, passport);
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => verifier.verifyAction(request)));
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(1);
  });

  it('is remembered for as long as any verifier whose clock is within the tolerance could take it', async () => {
    const all = await scene();
    const claims: [string, number][] = [];
    const claim = async (key: string, lifetime: number) => claims.push([key, lifetime]) > 0;
    expect((await verdictOn(all, {}, { replayStore: { claim }, clockTolerance: 20 })).allowed).toBe(true);
    expect(claims).toEqual([[expect.stringMatching(/^alpha:[0-9a-f-]{36}:[0-9a-f-]{36}$/), 120_000]]);
  });

  it('is used up only where all else is right', async () => {
    const { world, other, passport } = await scene();
    const verifier = await verifierOf([world, other]);
    const request = await requestOf(world, passport);
    expectRejected(
      await verifier.verifyAction({ ...request, payload: { to: 'me' } }),
      'payload-mismatch',
      'payload',
    );
    expect((await verifier.verifyAction(request)).allowed).toBe(true);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('down')), 'replay-store-failed'],
    ['throws nothing', () => Promise.reject(), 'replay-store-failed'],
    [
      'throws at once',
      () => {
        throw new Error('down');
      },
      'replay-store-failed',
    ],
    ['does not answer', () => new Promise<boolean>(() => undefined), 'replay-store-failed'],
    ['answers something else', async () => 1 as unknown as boolean, 'action-replayed'],
  ])('is refused where the replay store %s', async (_name, claim, code) => {
    const all = await scene();
    expectRejected(await verdictOn(all, {}, { replayStore: { claim }, timeout: 3 }), code, 'replay');
  });
});

describe('a registry', () => {
  it('that is stale rejects', async () => {
    const all = await scene();
    const registry = {
      updatedAt: '',
      hold: [],
      sha256: '',
      resolve: () => undefined,
      list: () => [],
      decide: () => {
        throw new RegistryStale(new Date());
      },
    };
    expectRejected(await verdictOn(all, {}, { registry }), 'registry-unavailable', 'issuer');
  });

  it('takes a policy that is none at once', async () => {
    const all = await scene();
    await expect(verifierOf([all.world], { policy: { tier: [] } as never })).rejects.toThrow(
      'unknown member "tier"',
    );
  });
});

describe('a fetch that is slow in its body', () => {
  it('ends in time', async () => {
    const all = await scene();
    const drip = await listen((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(timer));
    });
    const verdict = await verdictOn(
      all,
      {},
      { timeout: 0.5, fetch: fetchOf([{ ...all.world, address: drip }]) },
    );
    expectRejected(verdict, 'discovery-unreachable', 'discovery');
  });
});

/** Only a second answer of an issuer can have this code: see issuer-answers.test.ts. */
const SECOND_ANSWER = 'revocation-nonce-rolled-back';

/** Only tokens that are no passports can have these codes: see verify-token.test.ts. */
const OF_TOKENS = ['id-token', 'token-bound', 'token-too-old', 'issuer-ambiguous'];

// The last test of the file, because it is about all others.
describe('each reason to reject a passport or an action', () => {
  it('has its own code, which an attack of this file gets', () => {
    const codes = Object.keys(PASSPORT_REASONS).filter(
      (code) => code !== SECOND_ANSWER && !OF_TOKENS.includes(code),
    );
    expect(codes.filter((code) => !seen.has(code))).toEqual([]);
  });
});
