import { createSecretKey } from 'node:crypto';
import { type ActionVerdict, PASSPORT_REASONS, VERDICT_CHECKS } from '@passport-registry/passports';
import { publicJwk, signMandate } from '@passport-registry/passports/agent';
import { RegistryStale } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import {
  agentKeys,
  fetchOf,
  type IssuerWorld,
  instant,
  issuerKey,
  issuerWorld,
  jws,
  mandate,
  PAYLOAD,
  passportOf,
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

const [key, otherKey] = await Promise.all([issuerKey(), issuerKey()]);

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

/** A token that was taken apart and put together again. */
const spliced =
  (change: (parts: string[]) => string) =>
  async ({ world, passport }: Scene): Promise<Attack> => ({
    token: change((await tokenOf(world, passport)).split('.')),
  });

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

type Row = [name: string, step: string, code: string, attack: (scene: Scene) => Promise<Attack> | Attack];

// One attack for each code, with the step that fails. The other values that must be refused are cases of the kit:
// passport/token, claim, time, issuer, metadata, keys, status and proof.
describe('a token', () => {
  it.each<Row>([
    ['that is no text', 'token', 'token-malformed', () => ({ token: {} as string })],
    ['larger than 16 KiB', 'token', 'token-malformed', changed({ more: 'x'.repeat(13_000) })],
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
      'that is a proof',
      'token',
      'token-type',
      async ({ world, passport }) => ({ token: await proofOf(await tokenOf(world, passport), passport) }),
    ],
    ['with jku', 'token', 'token-header', changed({}, { jku: 'https://evil.example/jwks.json' })],
    ['with an iss that is no web address', 'token', 'token-claims', changed({ iss: 'file:///etc/passwd' })],
    ['of an unknown issuer', 'issuer', 'issuer-unknown', changed({ issuer_id: 'gamma' })],
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
      'that says ES256 on the machine that has the key of Ed25519',
      'signature',
      'token-algorithm',
      spliced(([, b, c]) => `${encoded({ alg: 'ES256', typ: 'passport+jwt', kid: key.kid })}.${b}.${c}`),
    ],
    ['that has expired', 'times', 'token-expired', changed({ exp: seconds(-31) })],
    ['that is from the future', 'times', 'token-not-yet-valid', changed({ iat: seconds(3600) })],
    [
      'whose capabilities name the action, without a mandate',
      'mandate',
      'mandate-missing',
      changed({ mandate: undefined, capabilities: ['email.send'] }),
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
    [
      "whose metadata name another issuer's keys",
      'discovery',
      'discovery-mismatch',
      document('/metadata', (found: object) => ({ ...found, jwks_uri: 'https://beta.example/jwks.json' })),
    ],
    [
      'that the registry has at a loopback address',
      'discovery',
      'address-private',
      record({ discovery_uri: 'https://127.0.0.1/metadata' }),
    ],
    [
      'whose keys redirect',
      'jwks',
      'jwks-redirected',
      answers(/jwks/, 307, { Location: 'https://10.0.0.1/' }),
    ],
    ['whose keys are endless', 'jwks', 'jwks-unreachable', endless(/jwks/)],
    ['whose keys are no set', 'jwks', 'jwks-invalid', document('/jwks.json', () => ({ keys: 'none' }))],
    [
      'with a private key among its keys',
      'jwks',
      'jwks-private-key',
      (all) => jwks(all.world.key.jwk, { kty: 'OKP', crv: 'Ed25519', x: 'A', d: 'A', kid: 'z' })(all),
    ],
    [
      'with two keys of one name',
      'jwks',
      'key-ambiguous',
      (all) => jwks(all.world.key.jwk, { ...all.other.key.jwk, kid: all.world.key.kid })(all),
    ],
    ...[['ES256', 'EdDSA'], ['EdDSA'], { toString: 1, valueOf: 1 }, ''].map(
      (alg): Row => [
        `whose key has the alg ${JSON.stringify(alg)}`,
        'jwks',
        'key-unusable',
        (all) => jwks({ ...all.world.key.jwk, alg })(all),
      ],
    ),
    ['that tells the status too late', 'status', 'status-unreachable', silent(/passports/)],
    [
      'that redirects for the status',
      'status',
      'status-redirected',
      answers(/passports/, 301, { Location: 'http://127.0.0.1/' }),
    ],
    ['whose status is no JSON', 'status', 'status-invalid', answers(/passports/, 200, {}, 'active')],
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

  // IPv4 addresses and names of private networks are cases of the kit: passport/host.
  it.each([
    'http://0/',
    'http://0x7f.1/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://[2002:a00:1::]/',
    'http://[2001:db8::1]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://localhost./',
    'http://a.localhost/',
    'http://metadata.google.internal/',
    'http://router.home.arpa/',
  ])('at %s is not asked', async (address) => {
    expect(await codeAt(address)).toBe('address-private');
  });

  it.each(['https://[2606:4700::1111]/', 'https://localhost.example/'])('at %s is asked', async (address) => {
    expect(await codeAt(address)).toBe('discovery-unreachable');
  });
});

describe('a mandate', () => {
  const withMandate = (more: Record<string, unknown>) => changed({ mandate: mandate(more) });

  // Forms of mandates and scopes are cases of the kit: passport/mandate, passport/scope and passport/signed-mandate.
  it.each<Row>([
    ['that has expired', 'mandate', 'mandate-expired', withMandate({ expires_at: instant(-31) })],
    [
      'that is from the future',
      'mandate',
      'mandate-not-yet-valid',
      withMandate({ issued_at: instant(3600) }),
    ],
    ['for another action', 'scope', 'scope-not-granted', withMandate({ scope: ['email.sendall'] })],
    ['and an action that is an object', 'scope', 'action-malformed', () => ({ action: {} })],
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

    const headed = (header: object) => (text: string) => {
      const [, b, c] = text.split('.');
      return `${encoded(header)}.${b}.${c}`;
    };

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
      [
        'of another type',
        'mandate',
        'mandate-type',
        (all) => signed(all, { change: headed({ alg: 'ES256', typ: 'JWT' }) }),
      ],
      [
        'of no algorithm',
        'mandate',
        'mandate-algorithm',
        (all) => signed(all, { change: headed({ alg: 'none', typ: 'mandate+jwt' }) }),
      ],
      [
        'without a key',
        'mandate',
        'mandate-header',
        (all) => signed(all, { change: headed({ alg: 'ES256', typ: 'mandate+jwt' }) }),
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
  const payload = (value: unknown): Attack => ({ payload: value });

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
      'of the algorithm of another key',
      'proof',
      'proof-algorithm',
      async ({ world, passport }) => {
        const token = await tokenOf(world, passport);
        return { token, proof: await proofOf(token, { ...passport, keys: await agentKeys('P-256') }) };
      },
    ],
    ['without aud', 'proof', 'proof-claims', proof({ aud: undefined })],
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
    [
      'whose payload is no JSON',
      'payload',
      'payload-malformed',
      () => payload({ ...PAYLOAD, at: new Date() }),
    ],
    ['whose payload is null', 'scope', 'payload-malformed', () => payload(null)],
    ['for another verifier', 'audience', 'audience-mismatch', proof({ aud: 'https://bank.example' })],
    [
      'that lives 61 seconds',
      'proof-times',
      'proof-lives-too-long',
      proof({ iat: seconds(), exp: seconds(61) }),
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
