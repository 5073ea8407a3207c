import { type ActionVerdict, VERDICT_CHECKS } from '@passport-registry/passports';
import { type AgentKeys, publicJwk, signMandate } from '@passport-registry/passports/agent';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  agentKeys,
  answering,
  fetchOf,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  mandate,
  PAYLOAD,
  passportOf,
  proofOf,
  requestOf,
  type TestPassport,
  tokenOf,
  verifierOf,
} from '../../support/passport-world.js';
import { listen } from '../../support/serving.js';
import { seconds } from '../../support/times.js';

/** One issuer that is trusted, another that is, too, and a passport of the first. */
interface Scene {
  world: IssuerWorld;
  other: IssuerWorld;
  passport: TestPassport;
}

const [key, otherKey, p256] = await Promise.all([issuerKey(), issuerKey(), agentKeys('P-256')]);

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

/** Rejected for one reason, at one step; what came before has passed, and what comes after is not called passed. */
function expectRejected(verdict: ActionVerdict, code: string, step: string): void {
  expect(verdict.allowed).toBe(false);
  expect(verdict.reasons.map((reason) => reason.code)).toEqual([code]);
  expect(verdict.reasons[0]?.message).not.toBe('');
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

const document =
  (path: string, change: (document: object) => unknown) =>
  (all: Scene): Attack => {
    all.world.documents.set(path, change(all.world.documents.get(path) as object));
    return {};
  };
const jwks = (keys: (all: Scene) => unknown) => (all: Scene) =>
  document('/jwks.json', () => ({ keys: keys(all) }))(all);
const withMandate = (more: Record<string, unknown>) => changed({ mandate: mandate(more) });
const proof =
  (more: Record<string, unknown>, keys?: AgentKeys) =>
  async ({ world, passport }: Scene): Promise<Attack> => {
    const token = await tokenOf(world, passport);
    return { token, proof: await proofOf(token, { ...passport, ...(keys && { keys }) }, more) };
  };

// At least one attack for each step. The codes, and what else must be refused, are cases of the kit: passport/….
describe('an action is refused', () => {
  it.each<Row>([
    ['with a token that is no text', 'token', 'token-malformed', () => ({ token: {} as string })],
    ['with a token larger than 16 KiB', 'token', 'token-malformed', changed({ more: 'x'.repeat(13_000) })],
    ['if iss is no web address', 'token', 'token-claims', changed({ iss: 'file:///etc/passwd' })],
    ['if the issuer is unknown', 'issuer', 'issuer-unknown', changed({ issuer_id: 'gamma' })],
    [
      'if iss is another trusted issuer',
      'discovery',
      'iss-mismatch',
      changed({ iss: 'https://beta.example' }),
    ],
    ['if the token has the kid of another issuer', 'jwks', 'key-unknown', changed({}, { kid: otherKey.kid })],
    ...[['ES256', 'EdDSA'], ['EdDSA'], { toString: 1, valueOf: 1 }, ''].map(
      (alg): Row => [
        `if the issuer's key has the alg ${JSON.stringify(alg)}`,
        'jwks',
        'key-unusable',
        jwks(({ world }) => [{ ...world.key.jwk, alg }]),
      ],
    ),
    [
      'with a token that another issuer has signed, under the kid of this one',
      'signature',
      'token-signature-invalid',
      async ({ other, passport }) => ({ token: await tokenOf(other, passport, { kid: key.kid }) }),
    ],
    [
      'with a token that says ES256 for a key of Ed25519',
      'signature',
      'token-algorithm',
      spliced(([, b, c]) => `${encoded({ alg: 'ES256', typ: 'passport+jwt', kid: key.kid })}.${b}.${c}`),
    ],
    ['if the token has expired', 'times', 'token-expired', changed({ exp: seconds(-31) })],
    [
      'if the passport is revoked',
      'status',
      'passport-revoked',
      (all) => document(all.passport.statusPath, (found) => ({ ...found, status: 'revoked' }))(all),
    ],
    [
      'if a capability covers it, but no mandate',
      'mandate',
      'mandate-missing',
      changed({ mandate: undefined, capabilities: ['email.send'] }),
    ],
    ['that is no text', 'scope', 'action-malformed', () => ({ action: {} })],
    ['whose payload is null', 'scope', 'payload-malformed', () => ({ payload: null })],
    [
      'if a condition of the mandate is named as a method of objects',
      'mandate-policy',
      'mandate-policy-unknown',
      withMandate({ policy: { toString: 1 } }),
    ],
    ['without a proof', 'proof', 'proof-malformed', () => ({ proof: undefined })],
    ['with the proof of a key of another kind', 'proof', 'proof-algorithm', proof({}, p256)],
    [
      'with the proof of another passport',
      'proof-passport',
      'proof-passport-mismatch',
      proof({ passport: crypto.randomUUID() }),
    ],
    [
      'with the proof of another token',
      'proof-passport',
      'proof-token-mismatch',
      proof({ ath: 'A'.repeat(43) }),
    ],
    ['with the proof of another action', 'proof-action', 'action-mismatch', proof({ action: 'email.read' })],
    [
      'with the proof of another payload',
      'payload',
      'payload-mismatch',
      () => ({ payload: { ...PAYLOAD, to: 'me@example.com' } }),
    ],
    [
      'whose payload is no JSON',
      'payload',
      'payload-malformed',
      () => ({ payload: { ...PAYLOAD, at: new Date() } }),
    ],
    ['for another verifier', 'audience', 'audience-mismatch', proof({ aud: 'https://bank.example' })],
    [
      'with a proof that has expired',
      'proof-times',
      'proof-expired',
      proof({ iat: seconds(-91), exp: seconds(-31) }),
    ],
    ['with a proof for later', 'proof-times', 'proof-not-yet-valid', proof({ nbf: seconds(3600) })],
  ])('%s: step %s, %s', async (_name, step, code, attack) => {
    const all = await scene();
    expectRejected(await verdictOn(all, await attack(all)), code, step);
  });
});

describe('a token', () => {
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
  const redirect = (path: string, status: number) => (url: string) => (all: Scene) => {
    answering(all.world, path, status, { Location: url });
    return {};
  };
  const metadata = (member: string) => (url: string) =>
    document('/metadata', (found) => ({ ...found, [member]: url }));

  it.each<[name: string, code: string, attack: (url: string) => Row[3]]>([
    ['a redirect of the metadata', 'discovery-redirected', redirect('metadata', 302)],
    ['a redirect of the keys', 'jwks-redirected', redirect('jwks', 307)],
    ['a redirect of the status', 'status-redirected', redirect('passports', 301)],
    ['the metadata, for the keys', 'discovery-mismatch', metadata('jwks_uri')],
    ['the metadata, as the issuer', 'discovery-mismatch', metadata('issuer')],
    ['the token, as its issuer', 'iss-mismatch', (url) => changed({ iss: url })],
    ['the token, for the keys', 'token-header', (url) => changed({}, { jku: url, x5u: url })],
    ['the token, as its key', 'key-unknown', (url) => changed({}, { kid: url })],
  ])('by %s is not contacted: %s', async (_name, code, attack) => {
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
      expect((await verdictOn(all, change, { fetch })).reasons[0]?.code).toBe(code);
      expect([...hosts].filter((host) => host !== 'alpha.example')).toEqual([]);
    }
    expect([requests, all.other.log]).toEqual([[], []]);
  });
});

describe('an issuer', () => {
  it('whose metadata have no end is unreachable', async () => {
    const all = await scene();
    all.world.intercept = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const more = () => {
        while (response.write('[1,2,3,'.repeat(1000)));
        response.once('drain', more);
      };
      more();
      return true;
    };
    expectRejected(await verdictOn(all, {}, { timeout: 3 }), 'discovery-unreachable', 'discovery');
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
      updatedAt: '',
      sha256: '',
      hold: [],
      resolve: () => issuer,
      list: () => [issuer],
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

  const byPrincipal = async (all: Scene, more: object = {}): Promise<Attack> => {
    const principalKeys = await agentKeys('P-256');
    const text = await signMandate({
      principalKeys,
      agentKey: await publicJwk(all.passport.keys),
      mandate: { ...(mandate() as object), ...more } as never,
    });
    const principal_jkt = await calculateJwkThumbprint(await publicJwk(principalKeys));
    return changed({ mandate: text, principal_jkt })(all);
  };

  it('by the principal covers its scope', async () => {
    const all = await scene();
    const verdict = await verdictOn(all, await byPrincipal(all));
    expect(verdict.reasons).toEqual([{ code: 'verified', message: expect.any(String) }]);
    expect(verdict.mandate?.mandate_id).toBe('m-1');
  });

  it('by the principal whose exp is no number is malformed', async () => {
    const all = await scene();
    const attack = await byPrincipal(all, { exp: `${seconds(60)}` });
    expectRejected(await verdictOn(all, attack), 'mandate-malformed', 'mandate');
  });
});

describe('a proof', () => {
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
