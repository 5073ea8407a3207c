import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey } from '@passport-registry/verifier';
import { assertIssuer, assertIssuerRegistry, instantOf, isDateTime } from '@passport-registry/verifier/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { Case } from '../../build/conformance/cases/case.js';
import { filesOf } from '../../build/conformance/cases/make-case.js';
import { validateIssuer } from '../../build/generator/generated/issuer-validator.js';
import fc, { codePoint } from '../support/fast-check.js';
import { kitOf } from '../support/kit.js';
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

/** Members that only the files of an operator have. */
const OF_FILES = ['list/record/a name for people', 'list/record/a reason'];
const CASES = (await kitOf('list')).filter(
  ({ id }) => id.startsWith('list/record/') && !OF_FILES.includes(id),
);

const GOOD = {
  issuer_id: 'a',
  tier: 'certified',
  status: 'active',
  jwks_uri: 'https://a.example/jwks.json',
  discovery_uri: 'https://a.example/metadata',
  certified_since: '2026-01-01T00:00:00Z',
};
const ARRAYS = ['geographical_scope', 'domain_scope', 'passport_types'];
const FIELDS = [...Object.keys(GOOD), ...ARRAYS, 'policy_uri', 'last_audit', 'contact'];

/** The records of the list that a case shows. */
function recordsIn({ steps: [step] }: Case): Record<string, unknown>[] {
  const [source] = step?.sources ?? [];
  if (source === undefined) throw new Error('the case shows no tree');
  return JSON.parse(Buffer.from(filesOf(source).get('issuers.json') ?? []).toString()).issuers;
}

/** Values at and around the edge of each grammar; most random texts are far from any. */
const EDGES: Record<string, readonly unknown[]> = Object.fromEntries(
  FIELDS.map((field) => {
    const all = CASES.flatMap(recordsIn).filter((record) => field in record);
    const byText = new Map(all.map((record) => [JSON.stringify(record[field]), record[field]]));
    return [field, [...byText.values()]];
  }),
);

describe('verifier, generator and Ajv give the same verdict', () => {
  it('on the records of the conformance kit', () => {
    for (const one of CASES) {
      const isGood = recordsIn(one).map(expectVerdict).every(Boolean);
      expect([one.id, isGood]).toEqual([one.id, one.steps[0]?.right === 'accept']);
    }
    expect(CASES.length).toBeGreaterThan(200);
  });

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
        { weight: 5, arbitrary: ARRAYS.includes(name) ? fc.array(mutation, { maxLength: 3 }) : mutation },
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
