import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey } from '@passport-registry/verifier';
import { assertIssuer, assertIssuerRegistry, instantOf, isDateTime } from '@passport-registry/verifier/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { validateIssuer } from '../../build/generator/generated/issuer-validator.js';
import fc, { codePoint } from '../support/fast-check.js';
import { ROOT } from '../support/paths.js';
import { ED25519_JWK, P256_JWK } from '../support/rfc-keys.js';
import { rounds } from '../support/soak.js';

const ajv = new Ajv2020({ allErrors: true });
addFormats.default(ajv);
for (const name of ['issuer', 'issuer-registry', 'jwk']) {
  ajv.addSchema(JSON.parse(readFileSync(join(ROOT, 'schemas', `${name}.schema.json`), 'utf8')));
}
const bySchema = (name: string, value: unknown) => ajv.validate(`${name}.schema.json`, value);
const byVerifier = (assert: (value: unknown) => void, value: unknown) => {
  try {
    assert(value);
    return true;
  } catch {
    return false;
  }
};

/** The generator also refuses addresses that no browser opens. */
const canBeOpened = ({ jwks_uri, discovery_uri, policy_uri }: Record<string, unknown>) =>
  [jwks_uri, discovery_uri, policy_uri].every((uri) => typeof uri !== 'string' || URL.canParse(uri));

function expectVerdict(record: Record<string, unknown>): boolean {
  const expected = bySchema('issuer', record) === true;
  expect(byVerifier(assertIssuer, record)).toBe(expected);
  expect(validateIssuer(record)).toBe(expected && canBeOpened(record));
  return expected;
}

/** Values at and around the edge of each grammar; most random texts are far from any. */
const EDGES: Record<string, readonly unknown[]> = {
  issuer_id: [
    ...[
      'a',
      'a.b',
      'a_b-c.d',
      '0',
      'a'.repeat(128),
      'a'.repeat(129),
      'A',
      'a.',
      '.a',
      '-a',
      'a..b',
      'a/b',
      '',
      'é',
      'a\n',
    ],
    ...[
      'index',
      'index.a',
      'con',
      'con.a',
      'conx',
      'com1',
      'com10',
      'lpt0.x',
      'nul',
      'a.gz',
      'a.br',
      'a.html',
      'a.htm',
    ],
    ...['gz', 'a.gzip', 'a.html.b', 'aux.html', 'a.z'],
  ],
  tier: ['founding', 'certified', 'registered', 'sandbox', 'Founding', 'gold', ''],
  status: ['active', 'suspended', 'revoked', 'deleted', 'active '],
  jwks_uri: [
    ...[
      'https://a',
      'https://a.example/',
      'https://a.example:443/x?y=z',
      'https://a.example?x',
      'https://1.2.3.4/',
    ],
    ...[
      'http://a.example/',
      'HTTPS://a.example/',
      'https://',
      'https:///x',
      'https://a b/',
      'https://u@a.example/',
    ],
    ...[
      'https://a.example/#f',
      'https://a.example/%zz',
      'https://a.example/%20',
      'https://-a.example',
      'https://a..b',
    ],
    ...[
      'https://[::1]/',
      'https://ä.example/',
      'javascript:alert(1)',
      '//a.example',
      'https://a.example/"',
      'https://a\n',
    ],
    ...[
      'https://a.example/<',
      'https://a.example/[',
      'https://a.example/a\\b',
      `https://a.example/${'x'.repeat(2030)}`,
    ],
    ...[`https://a.example/${'x'.repeat(2031)}`, 'https://a.example:123456/', 'https://a_b.example/'],
  ],
  policy_uri: [
    'http://a.example/#/x',
    'https://a.example/?q#f?',
    'ftp://a.example',
    'mailto:a@b.example',
    'https://a#b#c',
  ],
  certified_since: [
    ...['2026-01-01T00:00:00Z', '2026-01-01t00:00:00z', '2024-02-29T00:00:00Z', '2023-02-29T00:00:00Z'],
    ...['2000-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z'],
    ...['2026-00-01T00:00:00Z', '2026-01-00T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T00:60:00Z'],
    ...[
      '2016-12-31T23:59:60Z',
      '2016-12-31T22:59:60Z',
      '2016-12-31T15:59:60-08:00',
      '2017-01-01T00:59:60+01:00',
    ],
    ...['2016-12-31T23:58:60Z', '2017-01-01T05:29:60+05:30', '2016-12-31T23:59:61Z', '2026-01-01T00:00:00'],
    ...['2026-01-01T00:00:00+24:00', '2026-01-01T00:00:00+0000', '2026-01-01T00:00:00-00:00', '2026-01-01'],
    ...[
      '2026-01-01 00:00:00Z',
      '2026-01-01T00:00:00.123456789Z',
      '2026-01-01T00:00:00.Z',
      '26-01-01T00:00:00Z',
    ],
    ...[
      '2026-01-01T00:00Z',
      '0000-01-01T00:00:00Z',
      '+02026-01-01T00:00:00Z',
      '2026-01-01T00:00:00Z\n',
      'now',
    ],
    ...[`2026-01-01T00:00:00.${'1'.repeat(43)}Z`, `2026-01-01T00:00:00.${'1'.repeat(44)}Z`],
  ],
  geographical_scope: [
    ...[
      ['NO'],
      ['global'],
      ['US-CA', 'GB-ENG'],
      ['no'],
      ['NOR'],
      ['US-'],
      ['US-ABCD'],
      ['Global'],
      [],
      ['NO', 'NO'],
      'NO',
    ],
    ...[[1], [null], ['NO\n'], [['NO']]],
  ],
  domain_scope: [
    ...[
      ['banking'],
      ['a.example.org'],
      ['a'.repeat(64)],
      ['a'.repeat(65)],
      ['-a'],
      ['a-'],
      ['a..b'],
      ['A'],
      ['a b'],
      [''],
    ],
    ...[['a', 'a'], {}],
  ],
  contact: [
    ...[
      'a@b.example',
      'a.b+c@b-c.example',
      'a@b',
      '@b.example',
      'a@',
      'a b@c.example',
      '"a"@b.example',
      'a@b.example.',
    ],
    ...['a@-b.example', 'a..b@c.example', '.a@b.example', 'a@b@c.example', `${'a'.repeat(64)}@b.example`],
    ...[
      `${'a'.repeat(65)}@b.example`,
      `a@${'b.'.repeat(126)}c`,
      'mailto:a@b.example',
      'a@[1.2.3.4]',
      'ä@b.example',
    ],
  ],
};
EDGES['discovery_uri'] = EDGES['jwks_uri'] ?? [];
EDGES['last_audit'] = EDGES['certified_since'] ?? [];
EDGES['passport_types'] = EDGES['domain_scope'] ?? [];

const GOOD = {
  issuer_id: 'a',
  tier: 'certified',
  status: 'active',
  jwks_uri: 'https://a.example/jwks.json',
  discovery_uri: 'https://a.example/metadata',
  certified_since: '2026-01-01T00:00:00Z',
};

describe('verifier, generator and Ajv give the same verdict', () => {
  for (const [field, values] of Object.entries(EDGES)) {
    it.each([...values, null, 0, true, [], {}])(`${field}: %j`, (value) => {
      expectVerdict({ ...GOOD, [field]: value });
    });
  }

  const RECORDS = rounds({ usual: 2_000, soak: 20_000 });

  it(`on ${RECORDS} random records`, () => {
    const mutated = (text: string) =>
      fc
        .tuple(
          fc.nat(text.length),
          fc.nat(2),
          fc.oneof(
            fc.string({ minLength: 1, maxLength: 1, unit: codePoint }),
            fc.constantFrom(...'.-_:/@#%+TZtz0129'),
          ),
        )
        .map(([at, cut, insert]) => text.slice(0, at) + insert + text.slice(at + cut));
    const change = fc.constantFrom(...Object.keys(EDGES)).chain((name) => {
      const values = EDGES[name] ?? [];
      const texts = values.flat().filter((value) => typeof value === 'string');
      const mutation = fc.constantFrom(...texts).chain(mutated);
      const value = fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...values) },
        { weight: 5, arbitrary: Array.isArray(values[0]) ? fc.array(mutation, { maxLength: 3 }) : mutation },
        { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
      );
      return value.map((chosen) => ({ [name]: chosen }));
    });
    // Few changes at a time: of records that are wrong everywhere nothing is learned.
    const record = fc
      .array(change, { maxLength: 2 })
      .map((changes) => Object.assign({ ...GOOD }, ...changes));
    const verdicts = { good: 0, bad: 0 };
    fc.assert(
      fc.property(record, (value) => {
        verdicts[expectVerdict(value) ? 'good' : 'bad'] += 1;
      }),
      { numRuns: RECORDS },
    );
    // A generator that makes only bad records, or only good ones, would show nothing.
    expect(Math.min(verdicts.good, verdicts.bad)).toBeGreaterThan(RECORDS / 20);
  });

  it.each([
    {},
    { issuers: [] },
    { issuers: [], updated_at: '2026-01-01T00:00:00Z' },
    { issuers: [GOOD], updated_at: '2026-01-01T00:00:00Z' },
    { issuers: [GOOD, {}], updated_at: '2026-01-01T00:00:00Z' },
    { issuers: [GOOD], updated_at: '2026-01-01T00:00:00+00:00' },
    { issuers: [GOOD], updated_at: '2026-02-29T00:00:00Z' },
    { issuers: [GOOD], updated_at: '2026-01-01T23:59:60Z' },
    { issuers: [GOOD], updated_at: '2026-01-01T00:00:00Z', more: 1 },
    [],
    null,
  ])('list %j', (value) => {
    expect(byVerifier(assertIssuerRegistry, value)).toBe(bySchema('issuer-registry', value));
  });

  const { x } = ED25519_JWK;
  const point = { x: P256_JWK.x, y: P256_JWK.y };
  it.each([
    { kty: 'OKP', crv: 'Ed25519', x },
    { kty: 'OKP', crv: 'Ed25519', x, y: null, kid: null },
    { kty: 'OKP', crv: 'Ed25519', x, y: x },
    { kty: 'OKP', crv: 'P-256', ...point },
    { kty: 'EC', crv: 'P-256', ...point },
    { kty: 'EC', crv: 'P-256', ...point, y: null },
    { kty: 'EC', crv: 'P-256', x: point.x },
    { kty: 'EC', crv: 'P-256', ...point, d: x },
    { kty: 'OKP', crv: 'Ed25519', x: `${x}=` },
    { kty: 'OKP', crv: 'Ed25519', x: x.slice(1) },
    { kty: 'OKP', crv: 'Ed25519', x: `${x.slice(0, -1)}p` },
  ])('root key %j', async (jwk) => {
    const imported = await importRootKey(jwk).then(
      () => true,
      () => false,
    );
    expect(imported).toBe(bySchema('jwk', jwk));
  });
});

describe('isDateTime', () => {
  it.each([
    ['2024-02-29T00:00:00Z', true],
    ['2026-02-30T00:00:00Z', false],
    ['1990-12-31T23:59:60Z', true],
    ['1990-12-31T15:59:60-08:00', true],
    ['1990-12-31T23:58:60Z', false],
    ['1937-01-01T12:00:27.87+00:20', true],
    ['2026-01-01', false],
  ])('%s: %s (RFC 3339, section 5.8 among them)', (text, expected) => {
    expect(isDateTime(text)).toBe(expected);
  });

  it('knows the last day of each month, in years with and without a leap day', () => {
    for (const year of [1900, 2000, 2023, 2024]) {
      for (let month = 1; month <= 12; month++) {
        const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
        const on = (day: number) => `${year}-${String(month).padStart(2, '0')}-${day}T00:00:00Z`;
        expect([isDateTime(on(last)), isDateTime(on(last + 1))], on(last)).toEqual([true, false]);
      }
    }
  });
});

describe('instantOf', () => {
  it.each([
    ['2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1)],
    ['2026-01-01t00:00:00.5z', Date.UTC(2026, 0, 1) + 500],
    ['2026-01-01T01:00:00+01:00', Date.UTC(2026, 0, 1)],
    // A leap second counts as the second after it.
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
    ['2016-12-31T15:59:60-08:00', Date.UTC(2017, 0, 1)],
  ])('of %s', (text, expected) => {
    expect(instantOf(text)).toBe(expected);
  });
});
