import { beforeAll, describe, expect, it } from 'vitest';
import { type GateFolder, gateFolder } from '../../support/gate.js';
import { type IssuerWorld, issuerKey, issuerWorld } from '../../support/passport-world.js';
import { cli, writeFiles } from '../../support/workspace.js';

let made: GateFolder;
const worlds: IssuerWorld[] = [];

const wellKnown = (id: string) => ({
  discovery_uri: `https://${id}.example/.well-known/openid-configuration`,
  jwks_uri: `https://${id}.example/jwks.json`,
});

beforeAll(async () => {
  const key = await issuerKey();
  for (const id of ['beta', 'alpha', 'held', 'changed'])
    worlds.push(await issuerWorld(id, key, wellKnown(id)));
  worlds.push(await issuerWorld('sandbox', key, { tier: 'sandbox', ...wellKnown('sandbox') }));
  worlds.push(await issuerWorld('suspended', key, { status: 'suspended', ...wellKnown('suspended') }));
  made = await gateFolder(worlds, ['held']);
  const known = (id: string, more: object = {}) => ({
    [id]: { ...wellKnown(id), issuer: `https://${id}.example`, checked: Date.now(), ...more },
  });
  writeFiles(made.folder, {
    'cache.json': JSON.stringify({
      ...known('alpha', { issuer: 'https://alpha.example/' }),
      // Asked for long ago: an issuer that cannot be asked again keeps its URL.
      ...known('beta', { checked: 0 }),
      // Of another record: nothing is known of this one.
      ...known('changed', { jwks_uri: 'https://old.example/jwks.json' }),
      ...known('sandbox'),
    }),
  });
});

const resolveAll = (...more: string[]) => resolveBy('policy.json', ...more);

const resolveBy = (policy: string, ...more: string[]) =>
  cli(
    [
      'resolve',
      '--all',
      '--policy',
      policy,
      '--root-key',
      'trust-anchor.json',
      '--cache',
      'cache.json',
      ...more,
    ],
    made.folder,
  );

const denied = (allowed: readonly string[]) =>
  ['alpha', 'beta', 'changed']
    .filter((id) => !allowed.includes(id))
    .map((issuer_id) => ({ issuer_id, reason: 'not ours' }));

describe('resolve --all', () => {
  it.each(['null', '[]', '{"alpha":null}', 'no JSON'])(
    'refuses a cache that contains %s',
    async (content) => {
      writeFiles(made.folder, { 'other.json': content });
      const { code, stderr } = await resolveAll('--cache', 'other.json');
      expect([code, stderr]).toEqual([2, expect.stringContaining('other.json is not a cache of --cache')]);
    },
  );

  it('prints the issuers that the policy accepts, sorted, the same each time, and until when', async () => {
    const { code, stdout, stderr } = await resolveAll();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      updated_at: expect.any(String),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      valid_until: expect.stringMatching(/^\d{4}-.*Z$/),
      providers: ['alpha', 'beta'].map((id) => ({
        issuer_id: id,
        tier: 'certified',
        issuer: `https://${id}.example${id === 'alpha' ? '/' : ''}`,
        jwks_uri: `https://${id}.example/jwks.json`,
      })),
    });
    expect(stderr).toContain('changed is left out: https://changed.example/');
    expect(stderr).toContain('2 issuers, valid until ');
    expect((await resolveAll()).stdout).toBe(stdout);
  });

  it('prints them as providers of Envoy, each with the cluster of its keys', async () => {
    const { stdout } = await resolveAll('--format', 'envoy', '--audience', 'https://api.example');
    const { jwt_authn, clusters } = JSON.parse(stdout);
    expect(Object.keys(jwt_authn.providers)).toEqual(['alpha', 'beta']);
    expect(jwt_authn.providers.beta).toMatchObject({
      issuer: 'https://beta.example',
      audiences: ['https://api.example'],
      remote_jwks: { http_uri: { uri: 'https://beta.example/jwks.json', cluster: 'passport_beta.example' } },
    });
    expect(clusters.map(({ name }: { name: string }) => name)).toEqual([
      'passport_alpha.example',
      'passport_beta.example',
    ]);
    expect(jwt_authn.rules[0].requires).toEqual({
      requires_any: { requirements: [{ provider_name: 'alpha' }, { provider_name: 'beta' }] },
    });
    expect(jwt_authn.providers.alpha.require_expiration).toBe(true);
  });

  it.each([
    ['one', ['alpha'], 'alpha'],
    ['none', [], 'nobody'],
  ])('prints a rule of Envoy that demands a token, also for %s', async (_name, allowed, provider) => {
    writeFiles(made.folder, { 'few.json': JSON.stringify({ tiers: ['certified'], deny: denied(allowed) }) });
    const args = ['--format', 'envoy', '--audience', 'https://api.example'];
    const { stdout, stderr } = await resolveBy('few.json', ...args);
    expect(stderr).toContain('valid until');
    const { jwt_authn } = JSON.parse(stdout);
    expect(jwt_authn.rules).toEqual([{ match: { prefix: '/' }, requires: { provider_name: provider } }]);
    expect(Object.keys(jwt_authn.providers)).toEqual([provider]);
  });

  it('prints them as a RequestAuthentication of Istio', async () => {
    const { stdout } = await resolveAll('--format', 'istio', '--audience', 'a', 'b');
    const { kind, spec } = JSON.parse(stdout);
    expect(kind).toBe('RequestAuthentication');
    expect(spec.jwtRules[1]).toEqual({
      issuer: 'https://beta.example',
      jwksUri: 'https://beta.example/jwks.json',
      audiences: ['a', 'b'],
      forwardOriginalToken: true,
    });
  });

  it('accepts no tokens for others, and needs a policy', async () => {
    const without = await resolveAll('--format', 'envoy');
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('needs --audience')]);
    const { code, stderr } = await cli(['resolve', '--all', '--root-key', 'trust-anchor.json'], made.folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('pass --policy')]);
    expect(
      (await cli(['resolve', '--root-key', 'trust-anchor.json', '--tier', 'certified'], made.folder)).code,
    ).toBe(2);
  });

  it('writes nothing while the registry is unreachable', async () => {
    const { stdout, code } = await resolveAll('http://127.0.0.1:1');
    expect([stdout, code]).toEqual(['', 4]);
  });
});
