import {
  createPassportVerifier,
  PassportClient,
  type PassportVerifierOptions,
} from '@passport-registry/passports';
import { requirePassport as requireInExpress } from '@passport-registry/passports/express';
import { requirePassport as requireInFastify } from '@passport-registry/passports/fastify';
import { requirePassport as requireInFetch } from '@passport-registry/passports/fetch';
import { requirePassport as requireInHono } from '@passport-registry/passports/hono';
import { OptionsInvalid } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { AUDIENCE, registryOf } from '../../support/passport-world.js';

const registry = await registryOf([]);
const policy = { tiers: [] };
const GOOD = { registry, policy, audience: AUDIENCE };

/** What a call throws: its class, the option and the message. */
function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    const { code, option, message } = error as OptionsInvalid;
    return { code, option, message };
  }
  return undefined;
}

const invalid = (caller: string, option: string | undefined) => ({
  code: 'ERR_OPTIONS_INVALID',
  option,
  message: expect.stringMatching(new RegExp(`^${caller}: `)),
});

/** Options that every verifier of passports has, each with values that it may have, and others. */
const SHARED: Record<string, { good: unknown[]; bad: unknown[] }> = {
  clockTolerance: { good: [0, 0.5], bad: [-1, Number.NaN, '30', null] },
  statusMaxAge: { good: [0, 30], bad: [-1, '30'] },
  metadataMaxAge: { good: [0, 300], bad: [-0.1, {}] },
  grace: { good: [0, 3600], bad: [-1, true] },
  cooldown: { good: [0, 10], bad: [-1, []] },
  timeout: {
    good: [0.0001, 5, 2_147_483],
    bad: [0, -1, 2_147_484, Number.POSITIVE_INFINITY, Number.NaN, '5'],
  },
  maxBytes: { good: [1, 1e6], bad: [0, -1, 1.5, '1'] },
  allowPrivateAddresses: { good: [true, false], bad: ['false', 0, null] },
  policyHandlers: { good: [{}, { max_amount: () => true }], bad: [[], { max_amount: true }, () => true] },
  fetch: { good: [fetch], bad: ['fetch', {}] },
  now: { good: [Date.now], bad: [Date.now(), new Date()] },
};

const ROWS = Object.entries(SHARED).flatMap(([option, { bad }]) =>
  bad.map((value): [string, unknown] => [option, value]),
);

describe('createPassportVerifier', () => {
  const create = (options: unknown) => () => createPassportVerifier(options as PassportVerifierOptions);

  it.each(ROWS)('refuses %s: %o at once, by its name', (option, value) => {
    expect(thrown(create({ ...GOOD, [option]: value }))).toEqual(invalid('createPassportVerifier', option));
  });

  it('takes what each option may be, and undefined for absent', () => {
    for (const [option, { good }] of Object.entries(SHARED)) {
      for (const value of [...good, undefined]) {
        expect(thrown(create({ ...GOOD, [option]: value }))).toBeUndefined();
      }
    }
    expect(thrown(create(GOOD))).toBeUndefined();
  });

  it.each<[string | undefined, unknown]>([
    [undefined, undefined],
    [undefined, 'https://registry.example'],
    ['registry', { ...GOOD, registry: undefined }],
    ['registry', { ...GOOD, registry: 'https://registry.example' }],
    ['registry', { ...GOOD, registry: Promise.resolve(registry) }],
    ['policy', { ...GOOD, policy: undefined }],
    ['audience', { ...GOOD, audience: undefined }],
    ['audience', { ...GOOD, audience: '' }],
    ['audience', { ...GOOD, audience: ['https://mail.example'] }],
    ['replayStore', { ...GOOD, replayStore: new Map() }],
    ['replaystore', { ...GOOD, replaystore: undefined }],
    ['issuers', { ...GOOD, issuers: [] }],
  ])('refuses options that are wrong at %s', (option, options) => {
    expect(thrown(create(options))).toEqual(invalid('createPassportVerifier', option));
  });

  it('says of a policy what is wrong with it', () => {
    expect(thrown(create({ ...GOOD, policy: { tier: [] } }))).toMatchObject({ code: 'ERR_POLICY_INVALID' });
  });
});

describe('PassportClient', () => {
  const create = (options: unknown) => () =>
    new PassportClient('token', 'https://issuer.example', options as object);

  it.each(ROWS)('refuses %s: %o at once, by its name', (option, value) => {
    expect(thrown(create({ [option]: value }))).toEqual(invalid('PassportClient', option));
  });

  it.each<[string | undefined, unknown]>([
    [undefined, null],
    ['trust', { trust: registry.list }],
    ['policy', { trust: { registry } }],
    ['registry', { trust: { policy } }],
    ['tiers', { trust: { registry, policy, tiers: [] } }],
    ['audience', { audience: 1 }],
    ['registry', { registry, policy }],
  ])('refuses options that are wrong at %s', (option, options) => {
    expect(thrown(create(options))).toEqual(invalid('PassportClient', option));
  });

  it('says of a policy what is wrong with it, and takes what is right', () => {
    expect(thrown(create({ trust: { registry, policy: {} } }))).toMatchObject({ code: 'ERR_POLICY_INVALID' });
    expect(thrown(create({ trust: { registry, policy }, audience: AUDIENCE }))).toBeUndefined();
    expect(thrown(() => new PassportClient('token', 'https://issuer.example'))).toBeUndefined();
  });
});

describe.each<[string, (options: never) => unknown]>([
  ['fetch', (options) => requireInFetch(options, () => new Response())],
  ['hono', requireInHono],
  ['express', requireInExpress],
  ['fastify', requireInFastify],
])('requirePassport of %s', (_name, require) => {
  const verifier = createPassportVerifier(GOOD);
  const good = { verifier, action: 'email.send' };

  it.each<[string | undefined, unknown]>([
    [undefined, verifier],
    ['verifier', { action: 'email.send' }],
    ['verifier', { ...good, verifier: registry }],
    ['action', { verifier }],
    ['action', { verifier, action: '' }],
    ['action', { verifier, action: 'email send' }],
    ['payload', { ...good, payload: {} }],
    ['maxBodyBytes', { ...good, maxBodyBytes: '1mb' }],
    ['maxBodyBytes', { ...good, maxBodyBytes: 0 }],
    ['actions', { ...good, actions: [] }],
  ])('refuses options that are wrong at %s', (option, options) => {
    const found = invalid('requirePassport', option);
    expect(thrown(() => require(options as never))).toEqual(
      option === undefined ? { ...found, option: expect.any(String) } : found,
    );
  });

  it('takes options that are right', () => {
    const all = { verifier, action: () => 'email.send', payload: () => ({}), maxBodyBytes: 1 };
    for (const options of [good, all]) expect(thrown(() => require(options as never))).toBeUndefined();
  });
});

describe('an error about options', () => {
  it('is one of the errors of the library', () => {
    expect(() => createPassportVerifier({} as never)).toThrow(OptionsInvalid);
  });
});

describe('a call without a request', () => {
  it.each([undefined, null, 'x', 7, [], {}])('is refused, and throws nothing: %j', async (request) => {
    const verifier = createPassportVerifier(GOOD);
    const { allowed, reasons } = await verifier.verifyAction(request as never);
    expect([allowed, reasons[0]?.code]).toEqual([false, 'token-malformed']);
    const passport = await verifier.verifyPassport(request as never);
    expect([passport.accepted, passport.reasons[0]?.code]).toEqual([false, 'token-malformed']);
  });
});
