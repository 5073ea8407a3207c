import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertTrustPolicy, decide, type Issuer, type TrustPolicy } from '@passport-registry/verifier';
import {
  assertCanonical,
  assertSorted,
  canonicalBytes,
  parseList,
  readList,
} from '@passport-registry/verifier/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { ROOT } from '../../support/paths.js';
import { issuer } from '../../support/publication.js';

const NOW = Date.parse('2026-11-21T00:00:00Z');
const codes = (record: Issuer | undefined, policy: TrustPolicy) =>
  decide(record, policy, NOW).reasons.map(({ code }) => code);
const ANY: TrustPolicy = { tiers: ['founding', 'certified', 'registered', 'sandbox'] };

describe('decide', () => {
  it('gives reasons that a caller cannot change for later decisions', () => {
    const banking = { ...ANY, domains: ['banking'] };
    const cases: [Issuer | undefined, TrustPolicy][] = [
      [undefined, ANY],
      [issuer('a'), ANY],
      [issuer('a', { domain_scope: ['health'] }), banking],
    ];
    for (const [record, policy] of cases) {
      const before = JSON.stringify(decide(record, policy, NOW));
      const [reason] = decide(record, policy, NOW).reasons;
      expect(() => Object.assign(reason as object, { code: 'allowed', message: '' })).toThrow(TypeError);
      expect(JSON.stringify(decide(record, policy, NOW))).toBe(before);
    }
  });

  it.each<[string, Partial<Issuer>, TrustPolicy, string[]]>([
    ['accepts what meets every demand', {}, ANY, ['policy-met']],
    [
      'rejects an audit in the future',
      { last_audit: '2101-01-01T00:00:00Z' },
      { ...ANY, max_audit_days: 365 },
      ['audit-missing'],
    ],
    [
      'tells every reason',
      { status: 'suspended', tier: 'sandbox' },
      { tiers: ['founding'], domains: ['x'], geography: ['NO'], passport_types: ['y'], max_audit_days: 1 },
      [
        'status-suspended',
        'tier-not-accepted',
        'domain-not-covered',
        'geography-not-covered',
        'passport-type-not-covered',
        'audit-missing',
      ],
    ],
  ])('%s', (_name, record, policy, expected) => {
    expect(codes(issuer('a', record), policy)).toEqual(expected);
    const accepted = expected[0] === 'policy-met' || expected[0] === 'allowed';
    expect(decide(issuer('a', record), policy, NOW).accepted).toBe(accepted);
  });

  it('rejects an unknown issuer, even one that is allowed', () => {
    const policy: TrustPolicy = { ...ANY, allow: [{ issuer_id: 'a', reason: 'ours' }] };
    expect(decide(undefined, policy, NOW)).toMatchObject({
      accepted: false,
      reasons: [{ code: 'issuer-unknown' }],
    });
  });

  it('tells the reason that the policy gives', () => {
    const policy: TrustPolicy = { ...ANY, deny: [{ issuer_id: 'a', reason: 'incident 7' }] };
    expect(decide(issuer('a'), policy).reasons[0]?.message).toBe('incident 7');
  });

  it('lets nobody change a policy that is in use', () => {
    const policy: TrustPolicy = { tiers: ['founding'] };
    decide(issuer('a'), policy);
    expect(() => policy.tiers.push('certified')).toThrow(TypeError);
  });
});

describe('a trust policy', () => {
  const ajv = new Ajv2020();
  addFormats.default(ajv);
  for (const name of readdirSync(join(ROOT, 'schemas')).filter((file) => file.endsWith('.schema.json'))) {
    // Schemas of settings have no id.
    ajv.addSchema(JSON.parse(readFileSync(join(ROOT, 'schemas', name), 'utf8')), name);
  }
  const verdicts = (policy: unknown) => {
    let byVerifier = true;
    try {
      assertTrustPolicy(policy);
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_POLICY_INVALID' });
      byVerifier = false;
    }
    return [byVerifier, ajv.validate('trust-policy.schema.json', policy)];
  };

  it.each<[unknown, string]>([
    [{ tiers: ['certified', 'gold'] }, 'tiers[1] is "gold"'],
    [{ tiers: [], geography: ['NO', '\u202eno\n'] }, 'geography[1] is "?no\\n"'],
    [{ tiers: [], domains: ['X'.repeat(100)] }, `domains[0] is "${'X'.repeat(80)}..."`],
    [
      {
        tiers: [],
        allow: [
          { issuer_id: 'a', reason: 'x' },
          { issuer_id: 'A', reason: 'x' },
        ],
      },
      'allow[1].issuer_id is "A"',
    ],
    [
      { tiers: [], deny: [{ issuer_id: 'a', reason: 'x', until: 1 }] },
      'deny[0] has the unknown member "until"',
    ],
    [{ tiers: [], allow: undefined }, 'allow is missing'],
  ])('an error names the value and its path: %j', (policy, problem) => {
    expect(() => assertTrustPolicy(policy)).toThrow(problem);
  });

  it('an error names an unknown member', () => {
    expect(() => assertTrustPolicy({ tier: ['certified'] })).toThrow('has the unknown member "tier"');
  });

  it('is judged as Ajv judges it by its schema', () => {
    const value = fc.oneof(
      fc.constantFrom<unknown>('certified', 'NO', 'a', 'A', '', 0, 1, -1, 40000, null, true),
      fc.array(fc.constantFrom<unknown>('certified', 'founding', 'NO', 'a', 'A', 1, null), { maxLength: 3 }),
      fc.array(
        fc.record({
          issuer_id: fc.constantFrom<unknown>('a', 'A', 1),
          reason: fc.constantFrom<unknown>('x', '', 1),
        }),
      ),
    );
    const names = [
      'tiers',
      'domains',
      'geography',
      'passport_types',
      'min_certified_days',
      'max_audit_days',
      'allow',
      'deny',
    ];
    const policies = fc.record(Object.fromEntries([...names, 'extra'].map((name) => [name, value])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(policies, (policy) => {
        const [byVerifier, bySchema] = verdicts(policy);
        expect(byVerifier).toBe(bySchema);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('the short way through a list', () => {
  const longWay = (bytes: Uint8Array) => {
    const list = parseList(bytes);
    assertSorted(list);
    assertCanonical(bytes, list);
    return list;
  };
  const outcome = (read: () => unknown) => {
    try {
      return JSON.stringify(read());
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const times = [
    ...[
      '2026-01-31T00:00:00Z',
      '2026-02-28T23:59:59.5+01:00',
      '2016-12-31T23:59:60Z',
      '2026-02-30T00:00:00Z',
    ],
    ...['2026-04-31T00:00:00Z', '2024-02-29T00:00:00Z', '2026-01-01T00:00:60Z', '2026-06-30T24:00:00Z'],
  ];
  const slugs = [
    [],
    ['a', 'b-c'],
    ['a', 'a'],
    ['a', 'b', 'a'],
    ['x'.repeat(64)],
    ['x'.repeat(65)],
    ['A'],
    ['d.e', 'f'],
  ];
  const values: Record<keyof Issuer, readonly unknown[]> = {
    issuer_id: ['a', 'b.c', 'index', 'con', 'a..b', 'a.gz', 'z-9', 'm'.repeat(128), 'm'.repeat(129)],
    tier: ['certified', 'sandbox', 'gold'],
    status: ['active', 'revoked', 'Active'],
    jwks_uri: ['https://a.example/', `https://a.example/${'x'.repeat(2040)}`, 'http://a.example/'],
    discovery_uri: [
      'https://a.example/?q=1',
      'https://a.example/%20',
      'https://a"b/',
      `https://a/${'y'.repeat(2050)}`,
    ],
    certified_since: times,
    last_audit: [...times, null],
    policy_uri: [null, 'http://a.example/#x', 'ftp://a', `https://a/${'z'.repeat(2050)}`],
    geographical_scope: [['NO', 'US-CA'], ['NO', 'NO'], ['NO', 'SE', 'NO'], ['global'], ['no'], []],
    domain_scope: slugs,
    passport_types: slugs,
    contact: [null, 'a@b.example', `${'a'.repeat(65)}@b.example`, `a@${'b.'.repeat(130)}c`],
  };
  const change = fc
    .constantFrom(...(Object.keys(values) as (keyof Issuer)[]))
    .chain((field) => fc.constantFrom(...values[field]).map((value) => ({ [field]: value })));
  // Few changes at a time, so that many lists are good, or wrong in one place alone.
  const record = fc
    .array(change, { maxLength: 2 })
    .map((changes) => Object.assign({ ...issuer('a') }, ...changes) as object);
  const plain = fc.constant(issuer('n') as object);
  const list = fc.record({
    issuers: fc.tuple(record, plain).chain((pair) => fc.subarray(pair)),
    updated_at: fc.oneof(
      { weight: 9, arbitrary: fc.constant('2026-11-21T08:00:00Z') },
      { weight: 1, arbitrary: fc.constantFrom('2026-02-30T08:00:00Z', '2026-11-21T08:00:60Z') },
    ),
  });

  it('comes to the same end as the long way, for canonical texts and for mutilated ones', () => {
    const ends = new Map<string, number>();
    const mutilation = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(2),
      fc.constantFrom('', ',', ' ', '"', '{', ']', '0', '\\', 'é'),
    );
    fc.assert(
      fc.property(list, fc.option(mutilation), (value, change) => {
        let canonical = new TextDecoder().decode(canonicalBytes(value));
        if (change !== null) {
          const cut = Math.floor(change[0] * canonical.length);
          canonical = canonical.slice(0, cut) + change[2] + canonical.slice(cut + change[1]);
        }
        const bytes = new TextEncoder().encode(canonical);
        const end = outcome(() => longWay(bytes));
        expect(outcome(() => readList(bytes))).toBe(end);
        ends.set(end.slice(0, 9), (ends.get(end.slice(0, 9)) ?? 0) + 1);
      }),
      { numRuns: 10_000 },
    );
    // Among them are lists that pass, or the test would show nothing.
    expect(ends.get('{"issuers') ?? 0).toBeGreaterThan(1000);
  });
});
