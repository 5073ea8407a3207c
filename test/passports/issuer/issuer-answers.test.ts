import type { ActionRequest, PassportVerifier, PassportVerifierOptions } from '@passport-registry/passports';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  agentKeys,
  answering,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  passportOf,
  requestOf,
  type TestPassport,
  tokenOf,
  verifierOf,
} from '../../support/passport-world.js';
import { seconds } from '../../support/times.js';

let world: IssuerWorld;
let passport: TestPassport;
let ahead: number;

/** A clock that tests put ahead, in seconds. */
const now = () => Date.now() + ahead * 1000;
const lived = (options: Partial<PassportVerifierOptions> = {}) => verifierOf([world], { now, ...options });
const asked = (path: RegExp) => world.log.filter((one) => path.test(one)).length;

/** Lets the issuer say another status of the passport. */
function say(more: object): void {
  const status = world.documents.get(passport.statusPath) as object;
  world.documents.set(passport.statusPath, { ...status, ...more });
}

/** The code of the verdict on a passport. */
const codeOf = async (verifier: PassportVerifier, token: string) =>
  (await verifier.verifyPassport(token)).reasons[0]?.code;

beforeEach(async () => {
  ahead = 0;
  world = await issuerWorld('alpha', await issuerKey());
  passport = await passportOf(world, await agentKeys(), { exp: seconds(24 * 3600) });
});

describe.each(['ed25519', 'p256'] as const)('an issuer whose keys are of %s', (issuerType) => {
  it.each(['Ed25519', 'P-256'] as const)('and an agent whose key is of %s', async (agentType) => {
    world = await issuerWorld('alpha', await issuerKey(issuerType));
    passport = await passportOf(world, await agentKeys(agentType));
    const verifier = await lived();
    const { allowed, checks, issuer, mandate, registry } = await verifier.verifyAction(
      await requestOf(world, passport),
    );
    expect(allowed).toBe(true);
    expect(checks.every(({ result }) => result === 'passed')).toBe(true);
    expect(issuer).toEqual(world.record);
    expect(mandate?.scope).toEqual(['email.send', 'calendar.*']);
    expect(registry?.sha256).toMatch(/^[0-9a-f]{64}$/);
    const { accepted, passport: claims } = await verifier.verifyPassport(await tokenOf(world, passport));
    expect(accepted).toBe(true);
    expect(claims?.sub).toBe(passport.did);
  });
});

describe('a request to an issuer that never ends, because the platform has dropped it', () => {
  it('is joined for the time that it may take, and no longer', async () => {
    const verifier = await lived({ timeout: 60 });
    const token = await tokenOf(world, passport);
    world.intercept = () => true;
    verifier.verifyPassport(token);
    await vi.waitFor(() => expect(asked(/metadata/)).toBe(1));
    world.intercept = () => false;
    ahead = 59;
    verifier.verifyPassport(token);
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(asked(/metadata/)).toBe(1);
    ahead = 61;
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    expect(asked(/metadata/)).toBe(2);
  });
});

describe('the deadline of a request', () => {
  const silent: typeof fetch = () => new Promise(() => undefined);
  const unfinished: typeof fetch = async () => new Response(new ReadableStream());

  it.each([
    ['an answer', silent],
    ['a body', unfinished],
  ])('ends the wait for %s, even if fetch ignores its signal', async (_name, fetch) => {
    const verifier = await lived({ fetch, timeout: 0.2 });
    const { reasons } = await verifier.verifyAction(await requestOf(world, passport));
    expect(reasons[0]?.code).toMatch(/-unreachable$/);
  });
});

describe('what an issuer says', () => {
  it('is asked for once by many at the same time, and kept', async () => {
    const verifier = await lived();
    const requests = await Promise.all(Array.from({ length: 20 }, () => requestOf(world, passport)));
    const verdicts = await Promise.all(requests.map((request) => verifier.verifyAction(request)));
    expect(verdicts.every(({ allowed }) => allowed)).toBe(true);
    expect(world.log.sort()).toEqual(['/jwks.json', '/metadata', passport.statusPath]);
  });

  it('of a status is kept for 30 seconds: then a revocation has arrived', async () => {
    const verifier = await lived();
    const token = await tokenOf(world, passport);
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    say({ status: 'revoked', revocation_nonce: 1 });
    ahead = 29;
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    ahead = 31;
    expect(await codeOf(verifier, token)).toBe('passport-revoked');
    expect(asked(/passports/)).toBe(2);
  });

  it('of a status is not kept where the caller says so', async () => {
    const verifier = await lived({ statusMaxAge: 0 });
    const token = await tokenOf(world, passport);
    await verifier.verifyPassport(token);
    await verifier.verifyPassport(token);
    expect(asked(/passports/)).toBe(2);
    expect(asked(/jwks/)).toBe(1);
  });

  it('of a passport says nothing about one of another issuer with the same id', async () => {
    const other = await issuerWorld('beta', await issuerKey());
    const twin = { ...passport, claims: { ...passport.claims, iss: other.url, issuer_id: 'beta' } };
    other.documents.set(passport.statusPath, {
      ...(world.documents.get(passport.statusPath) as object),
      issuer_id: 'beta',
      status: 'revoked',
    });
    const verifier = await verifierOf([world, other]);
    expect((await verifier.verifyPassport(await tokenOf(other, twin))).reasons[0]?.code).toBe(
      'passport-revoked',
    );
    const request = await requestOf(world, passport, { jti: 'the-same' });
    expect((await verifier.verifyAction(request)).allowed).toBe(true);
  });

  it('is asked for anew after five minutes: a key that was taken away is then unknown', async () => {
    const verifier = await lived();
    const token = await tokenOf(world, passport);
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    world.documents.set('/jwks.json', { keys: [(await issuerKey()).jwk] });
    ahead = 299;
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    ahead = 301;
    expect(await codeOf(verifier, token)).toBe('key-unknown');
  });
});

describe('the signature of a passport', () => {
  const verified = () => vi.spyOn(crypto.subtle, 'verify');

  it('is verified once for a token and a key, and the one of each proof each time', async () => {
    const verifier = await lived();
    const requests = await Promise.all(Array.from({ length: 3 }, () => requestOf(world, passport)));
    const { token } = requests[0] as ActionRequest;
    const verify = verified();
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    expect(verify).toHaveBeenCalledTimes(1);
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    expect(verify).toHaveBeenCalledTimes(1);
    for (const request of requests) expect((await verifier.verifyAction(request)).allowed).toBe(true);
    expect(verify).toHaveBeenCalledTimes(4);
    verify.mockRestore();
  });

  it('is verified again under the keys that are requested next, and refused under another key of the same name', async () => {
    const verifier = await lived();
    const token = await tokenOf(world, passport);
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    const verify = verified();
    ahead = 301;
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    expect(verify).toHaveBeenCalledTimes(1);
    verify.mockRestore();
    const other = await issuerKey('ed25519', world.key.kid);
    world.documents.set('/jwks.json', { keys: [{ ...other.jwk, use: 'sig' }] });
    ahead = 602;
    expect(await codeOf(verifier, token)).toBe('token-signature-invalid');
    world.documents.set('/jwks.json', { keys: [{ ...world.key.jwk, use: 'sig' }] });
    ahead = 903;
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
  });

  it('is remembered for exactly these bytes of a token', async () => {
    const verifier = await lived();
    const token = await tokenOf(world, passport);
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    // Bytes could change after they have been verified.
    const bytes = Buffer.from(token) as unknown as string;
    expect(await codeOf(verifier, bytes)).toBe('token-malformed');
    const [header, claims, signature = ''] = token.split('.');
    const more = Buffer.from(
      JSON.stringify({
        ...JSON.parse(Buffer.from(claims ?? '', 'base64url').toString()),
        exp: seconds(25 * 3600),
      }),
    ).toString('base64url');
    const flipped = Buffer.from(signature, 'base64url');
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    for (const forged of [
      `${header}.${more}.${signature}`,
      `${header}.${claims}.${flipped.toString('base64url')}`,
    ])
      for (let attempt = 0; attempt < 2; attempt++)
        expect(await codeOf(verifier, forged)).toBe('token-signature-invalid');
  });
});

describe('a key that is not there', () => {
  const start = Date.now();
  /** A verifier whose time passes only by `ahead`, however slow the machine is. */
  const still = (options: Partial<PassportVerifierOptions> = {}) =>
    lived({ now: () => start + ahead * 1000, ...options });

  it('may be new: the keys are asked for again, once in a while', async () => {
    const verifier = await still();
    await verifier.verifyPassport(await tokenOf(world, passport));
    const rotated = { ...world, key: await issuerKey() };
    const token = await tokenOf(rotated, passport);
    world.documents.set('/jwks.json', { keys: [world.key.jwk, rotated.key.jwk] });
    ahead = 1;
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    expect(asked(/jwks/)).toBe(2);
    const again = { ...world, key: await issuerKey() };
    world.documents.set('/jwks.json', { keys: [again.key.jwk] });
    const next = await tokenOf(again, passport);
    ahead = 19;
    expect(await codeOf(verifier, next)).toBe('key-unknown');
    ahead = 20.5;
    expect((await verifier.verifyPassport(next)).accepted).toBe(true);
    expect(asked(/jwks/)).toBe(3);
  });

  it('is not requested twice by the first token of its issuer', async () => {
    const verifier = await still();
    const token = await tokenOf(world, passport, { kid: 'unknown' });
    expect(await codeOf(verifier, token)).toBe('key-unknown');
    expect(asked(/jwks/)).toBe(1);
  });

  it('makes nobody ask more than six times a minute, whatever tokens name', async () => {
    const verifier = await still();
    for (let second = 0; second < 60; second++) {
      ahead = second;
      for (const number of [1, 2, 3]) {
        const token = await tokenOf(world, passport, { kid: `kid-${second}-${number}` });
        expect(await codeOf(verifier, token)).toBe('key-unknown');
      }
    }
    // As many as with a pause of ten seconds after each request.
    expect(asked(/jwks/)).toBe(6);
  });

  it('is requested once by many at the same time, and again after a clock was set back', async () => {
    const verifier = await still({ clockTolerance: 7200 });
    await verifier.verifyPassport(await tokenOf(world, passport));
    const unknown = Array.from({ length: 50 }, (_one, at) => tokenOf(world, passport, { kid: `kid-${at}` }));
    for (const token of await Promise.all(unknown)) await verifier.verifyPassport(token);
    expect(asked(/jwks/)).toBe(2);
    ahead = -3600;
    const rotated = { ...world, key: await issuerKey() };
    world.documents.set('/jwks.json', { keys: [rotated.key.jwk] });
    expect((await verifier.verifyPassport(await tokenOf(rotated, passport))).accepted).toBe(true);
  });

  it('leaves an issuer alone that has failed to show its new keys', async () => {
    const verifier = await still();
    await verifier.verifyPassport(await tokenOf(world, passport));
    world.documents.delete('/jwks.json');
    const token = await tokenOf(world, passport, { kid: 'unknown' });
    for (const second of [1, 2, 3, 11]) {
      ahead = second;
      expect(await codeOf(verifier, token)).toBe('jwks-unreachable');
    }
    expect(asked(/jwks/)).toBe(2);
    expect((await verifier.verifyPassport(await tokenOf(world, passport))).accepted).toBe(true);
  });
});

describe('an issuer that cannot be reached', () => {
  it('is left alone for ten seconds', async () => {
    const recover = answering(world, 'passports', 503);
    const verifier = await lived();
    const token = await tokenOf(world, passport);
    for (let attempt = 0; attempt < 5; attempt++) {
      expect(await codeOf(verifier, token)).toBe('status-unreachable');
    }
    expect(asked(/passports/)).toBe(1);
    recover();
    ahead = 11;
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
  });

  it('is believed for as long as the grace, and no longer', async () => {
    const verifier = await lived({ grace: 60 });
    const token = await tokenOf(world, passport);
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    answering(world, '/', 503);
    ahead = 89;
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    ahead = 91;
    expect(await codeOf(verifier, token)).toBe('status-unreachable');
  });

  it('gets no grace for an answer that is wrong', async () => {
    const verifier = await lived({ grace: 3600 });
    const token = await tokenOf(world, passport);
    expect((await verifier.verifyPassport(token)).accepted).toBe(true);
    world.documents.set(passport.statusPath, { status: 'active' });
    ahead = 31;
    expect(await codeOf(verifier, token)).toBe('status-invalid');
    world.documents.delete(passport.statusPath);
    ahead = 62;
    expect(await codeOf(verifier, token)).toBe('passport-unknown');
  });
});

describe('a clock', () => {
  it('that has gone back makes answers old', async () => {
    const verifier = await lived();
    const token = await tokenOf(world, passport);
    await verifier.verifyPassport(token);
    ahead = -5;
    await verifier.verifyPassport(token);
    expect(asked(/passports/)).toBe(2);
  });
});

describe('a verdict', () => {
  it('on a passport makes no step of an action', async () => {
    const { checks } = await (await lived()).verifyPassport(await tokenOf(world, passport));
    expect(checks.map(({ name, result }) => `${name} ${result}`)).toEqual([
      'token passed',
      'issuer passed',
      'discovery passed',
      'jwks passed',
      'signature passed',
      'times passed',
      'status passed',
      'mandate passed',
    ]);
  });

  it('shows a mandate that is not there as skipped', async () => {
    const { mandate: _left, ...claims } = passport.claims;
    const { accepted, checks, mandate } = await (await lived()).verifyPassport(
      await tokenOf(world, { claims }),
    );
    expect(accepted).toBe(true);
    expect(mandate).toBeUndefined();
    expect(checks.at(-1)).toEqual({ name: 'mandate', result: 'skipped' });
  });

  it('cannot be changed to change the next one', async () => {
    const verifier = await lived();
    const token = await tokenOf(world, passport);
    for (let attempt = 0; attempt < 2; attempt++) {
      const { passport: claims } = await verifier.verifyPassport(token);
      const scope = (claims as unknown as { mandate: { scope: string[] } }).mandate.scope;
      expect(() => scope.push('bank.*')).toThrow(TypeError);
    }
  });
});
