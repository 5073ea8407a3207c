import { PassportClient } from '@passport-registry/passports';
import type { TrustPolicy } from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  agentKeys,
  fetchOf,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  mandate,
  PAYLOAD,
  passportOf,
  registryOf,
  type TestPassport,
  tokenOf,
} from '../../support/passport-world.js';

let world: IssuerWorld;
let passport: TestPassport;

beforeEach(async () => {
  world = await issuerWorld('alpha', await issuerKey());
  world.documents.set('/.well-known/openid-configuration', world.documents.get('/metadata'));
  passport = await passportOf(world, await agentKeys());
});

const clientFor = async (claims = {}, header = {}, options = {}) =>
  new PassportClient(await tokenOf(world, { claims: { ...passport.claims, ...claims } }, header), world.url, {
    fetch: fetchOf([world]),
    ...options,
  });

describe('PassportClient', () => {
  it('allows what the mandate covers, and says what it has not looked at', async () => {
    const { allowed, checks } = await (await clientFor()).verifyAction('email.send', PAYLOAD);
    expect(allowed).toBe(true);
    expect(checks.filter(({ result }) => result === 'skipped').map(({ name }) => name)).toEqual([
      'issuer',
      'proof',
      'proof-passport',
      'proof-action',
      'payload',
      'audience',
      'proof-times',
      'replay',
    ]);
    expect(checks.some(({ result }) => result === 'failed')).toBe(false);
  });

  it('has verify_action as the specification spells it', async () => {
    const client = await clientFor();
    expect((await client.verify_action('email.send', PAYLOAD)).allowed).toBe(true);
    expect((await client.verify_action('email.read', PAYLOAD)).reasons[0]?.code).toBe('scope-not-granted');
  });

  it.each([
    ['of another issuer', { iss: 'https://beta.example' }, {}, 'iss-mismatch'],
    ['that has expired', { exp: 1 }, {}, 'token-expired'],
    ['by another key', {}, { kid: 'x' }, 'key-unknown'],
    ['without a mandate', { mandate: undefined }, {}, 'mandate-missing'],
    [
      'with a policy that nobody knows',
      { mandate: mandate({ policy: { x: 1 } }) },
      {},
      'mandate-policy-unknown',
    ],
    ['of another type', {}, { typ: 'JWT' }, 'token-type'],
  ])('refuses a token %s', async (_name, claims, header, code) => {
    const { allowed, reasons } = await (await clientFor(claims, header)).verifyAction('email.send', PAYLOAD);
    expect([allowed, reasons[0]?.code]).toEqual([false, code]);
  });

  it('refuses an opaque access token', async () => {
    const client = new PassportClient('2YotnFZFEjr1zCsicMWpAA', world.url, { fetch: fetchOf([world]) });
    expect((await client.verifyAction('email.send', PAYLOAD)).reasons[0]?.code).toBe('token-malformed');
  });

  it('takes an access token with the claims of a passport, if it is for the caller', async () => {
    const verdict = async (aud: unknown, audience?: string) => {
      const client = await clientFor({ aud }, { typ: 'at+jwt' }, audience === undefined ? {} : { audience });
      return (await client.verifyAction('email.send', PAYLOAD)).reasons[0]?.code;
    };
    expect(await verdict('https://mail.example', 'https://mail.example')).toBe('verified');
    expect(await verdict(['https://mail.example'], 'https://mail.example')).toBe('verified');
    expect(await verdict('https://bank.example', 'https://mail.example')).toBe('audience-mismatch');
    expect(await verdict('https://mail.example')).toBe('audience-mismatch');
    expect(await verdict(undefined)).toBe('audience-mismatch');
  });

  it('asks the issuer for the status', async () => {
    world.documents.delete(passport.statusPath);
    const { reasons } = await (await clientFor()).verifyAction('email.send', PAYLOAD);
    expect(reasons[0]?.code).toBe('passport-unknown');
  });

  it('refuses metadata with keys on another host', async () => {
    world.documents.set('/.well-known/openid-configuration', {
      issuer: world.url,
      issuer_id: 'alpha',
      jwks_uri: 'https://evil.example/jwks.json',
    });
    const { reasons } = await (await clientFor()).verifyAction('email.send', PAYLOAD);
    expect(reasons[0]?.code).toBe('discovery-mismatch');
  });

  it('demands the trust of a registry where the caller does', async () => {
    const trust =
      (tier: string, record = world.record) =>
      async () => ({
        trust: { registry: await registryOf([{ ...world, record }]), policy: { tiers: [tier] } },
      });
    const code = async (options: object) =>
      (await (await clientFor({}, {}, options)).verifyAction('email.send', PAYLOAD)).reasons[0]?.code;
    expect(await code(await trust('certified')())).toBe('verified');
    expect(await code(await trust('founding')())).toBe('tier-not-accepted');
    expect(await code(await trust('certified', { ...world.record, status: 'revoked' })())).toBe(
      'status-revoked',
    );
  });

  it('still wants the issuer that the caller has named, where a registry says where to ask', async () => {
    const policy: TrustPolicy = { tiers: ['certified'] };
    const trust = { registry: await registryOf([world]), policy };
    const token = await tokenOf(world, passport);
    const options = { fetch: fetchOf([world]), trust };
    const verdict = async (base: string) =>
      (await new PassportClient(token, base, options).verifyAction('email.send', PAYLOAD)).reasons[0]?.code;
    expect(await verdict(world.url)).toBe('verified');
    expect(await verdict('https://other.example')).toBe('iss-mismatch');
  });

  it('asks no private host because of a registry, unless the caller allows it', async () => {
    const discovery_uri = 'https://10.0.0.1/metadata';
    const registry = await registryOf([{ ...world, record: { ...world.record, discovery_uri } }]);
    const trust = { registry, policy: { tiers: ['certified'] } };
    const code = async (options: object) =>
      (await (await clientFor({}, {}, { trust, ...options })).verifyAction('email.send', PAYLOAD)).reasons[0]
        ?.code;
    const fetch = () => Promise.reject(new Error('nothing answers'));
    expect(await code({ fetch })).toBe('address-private');
    expect(await code({ fetch, allowPrivateAddresses: true })).toBe('discovery-unreachable');
  });

  it('talks to an issuer on this machine by http', async () => {
    const { address } = world;
    for (const path of ['/.well-known/openid-configuration']) {
      world.documents.set(path, { issuer: address, issuer_id: 'alpha', jwks_uri: `${address}/jwks.json` });
    }
    const token = await tokenOf(world, { claims: { ...passport.claims, iss: address } });
    const verdict = await new PassportClient(token, `${address}/`).verifyAction('email.send', PAYLOAD);
    expect(verdict.reasons[0]?.code).toBe('verified');
  });

  it.each([
    'http://issuer.example',
    'ftp://issuer.example',
    'issuer.example',
    '',
    'https://user@issuer.example',
    'https://:hunter2@issuer.example',
    'ftp://user:hunter2@issuer.example',
    'https://issuer.example?x',
  ])('refuses %j as an address', (address) => {
    expect(() => new PassportClient('x', address)).toThrow(
      expect.objectContaining({ code: 'ERR_ADDRESS_INVALID' }),
    );
    expect(() => new PassportClient('x', address)).not.toThrow('hunter2');
  });
});
