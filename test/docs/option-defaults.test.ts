import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PassportVerifierOptions } from '@passport-registry/passports';
import {
  createIssuerLookup,
  createRegistryClient,
  type IssuerLookup,
  type NoUsableSource,
} from '@passport-registry/verifier';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { closedAfterTest } from '../support/clients.js';
import {
  AUDIENCE,
  agentKeys,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  jws,
  passportOf,
  seconds,
  type TestPassport,
  tokenOf,
  verifierOf,
} from '../support/passport-world.js';
import { ROOT } from '../support/paths.js';
import { checkpoint, type Files, issuer, stated, type TestKey, testKey } from '../support/publication.js';
import { together } from '../support/statements.js';
import { publishSummed } from '../support/summed-registry.js';

const UNITS: Readonly<Record<string, number>> = { '': 1, days: 86_400, KiB: 2 ** 10, MiB: 2 ** 20 };

/** Returns the defaults in a table of docs/verifiers/options.md, as functions take them. Only those that are numbers. */
function defaultsBelow(heading: string): Readonly<Record<string, number>> {
  const text = readFileSync(join(ROOT, 'docs/verifiers/options.md'), 'utf8');
  const section = text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const rows = [...section.matchAll(/^\| (`.*?`) \| (.*?) \|/gm)].flatMap(([, names = '', values = '']) => {
    const given = values.split(', ');
    return names
      .split(', ')
      .map((name, index): [string, string] => [name.replaceAll('`', ''), given[index] ?? '']);
  });
  const numbers = rows.flatMap(([name, value]): [string, number][] => {
    const [, number, unit = ''] = /^(\d+)(?: (\w+))?$/.exec(value) ?? [];
    return number === undefined ? [] : [[name, Number(number) * (UNITS[unit] ?? Number.NaN)]];
  });
  return Object.fromEntries(numbers);
}

/** A response whose body never ends, and how much of it was read, to the byte. */
function endlessBody(limit: number) {
  const block = new Uint8Array(2 ** 20);
  let read = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const size = Math.min(block.length, Math.max(1, limit - read));
    controller.enqueue(block.subarray(0, size));
    read += size;
  };
  const response = () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
  return { response, read: () => read };
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A `fetch` that never answers, and its first call. Only the time of a test passes. */
function silence() {
  let call = () => {};
  const called = new Promise<void>((resolve) => {
    call = resolve;
  });
  const fetch = () => {
    call();
    return new Promise<never>(() => undefined);
  };
  return { fetch, called };
}

/** Returns after how many seconds a call ends whose `fetch` never answers. */
async function endOf(call: Promise<unknown>, { called }: ReturnType<typeof silence>): Promise<number> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  call.then(end, end);
  await called;
  for (let second = 1; second < 60; second++) {
    await vi.advanceTimersByTimeAsync(1000);
    if (isOver) return second;
  }
  return Number.POSITIVE_INFINITY;
}

describe('the defaults of a client in docs/verifiers/options.md', () => {
  const defaults = defaultsBelow('Options');
  const { clockTolerance = 0, grace = 0, refreshInterval = 0 } = defaults;
  const LISTED = Date.parse('2026-03-01T10:00:00Z');
  const DAY = 86_400;
  const EXPIRES = LISTED + DAY * 1000;
  let root: TestKey;
  let files: Files;
  let requests: string[];
  let isDown: boolean;
  let now: number;

  beforeAll(async () => {
    root = await testKey();
    files = await publishSummed(root, [issuer('alpha')], { updatedAt: '2026-03-01T10:00:00Z' });
    const times = { iat: LISTED / 1000, exp: EXPIRES / 1000 };
    files.set('checkpoint.jwt', Buffer.from(await checkpoint(files, root, times)));
  });

  beforeEach(() => {
    [requests, isDown, now] = [[], false, LISTED];
  });

  const fetchFiles: typeof fetch = async (input) => {
    const path = new URL(String(input)).pathname.slice(1);
    requests.push(path);
    const body = isDown ? undefined : together(files).get(path);
    return new Response(body?.toString() ?? null, { status: body === undefined ? 404 : 200 });
  };
  const trust = () => ({ sources: ['https://registry.example'], rootKey: root.rootKey.jwk });
  const lookUp = (options: object = {}) =>
    closedAfterTest(createIssuerLookup({ ...trust(), fetch: fetchFiles, now: () => now, ...options }));
  /** Returns `found`, or the code of the error. */
  const ask = (lookup: IssuerLookup) =>
    lookup.resolve('alpha').then(
      () => 'found',
      (error: NoUsableSource) => Object.values(error.errors ?? {})[0]?.code ?? error.code,
    );

  it('are all compared here', () => {
    const compared = ['clockTolerance', 'grace', 'maxBytes', 'refreshInterval', 'timeout'];
    expect(Object.keys(defaults).sort()).toEqual(compared);
  });

  it('clockTolerance: until when a checkpoint is accepted', async () => {
    now = EXPIRES + clockTolerance * 1000 - 1;
    expect(await ask(lookUp())).toBe('found');
    now++;
    expect(await ask(lookUp())).toBe('ERR_CHECKPOINT_EXPIRED');
  });

  it('grace: how long a list is used that is no longer fresh', async () => {
    const lookup = lookUp({ clockTolerance: 0 });
    expect(await ask(lookup)).toBe('found');
    isDown = true;
    now = EXPIRES + grace * 1000;
    expect(await ask(lookup)).toBe('found');
    now++;
    expect(await ask(lookup)).toBe('ERR_REGISTRY_STALE');
  });

  it('refreshInterval: when a source is asked again', async () => {
    const lookup = lookUp();
    await ask(lookup);
    const before = requests.length;
    // A fifth of the interval is random.
    now = LISTED + refreshInterval * 800 - 1;
    await ask(lookup);
    expect(requests.length).toBe(before);
    now = LISTED + refreshInterval * 1000;
    await ask(lookup);
    expect(requests.length).toBeGreaterThan(before);
  });

  it('timeout: when a source has not answered in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const silent = silence();
    expect(await endOf(lookUp({ fetch: silent.fetch }).ready(), silent)).toBe(defaults['timeout']);
  });

  it('maxBytes: how much of a list is read', async () => {
    const { maxBytes = 0 } = defaults;
    const list = endlessBody(maxBytes);
    const named = stated(files, root, { size: 2 * maxBytes });
    const times = { iat: LISTED / 1000, exp: EXPIRES / 1000 };
    named.set('checkpoint.jwt', Buffer.from(await checkpoint(named, root, times)));
    const fetchList: typeof fetch = async (input) => {
      const path = new URL(String(input)).pathname.slice(1);
      if (path.startsWith('lists/')) return list.response();
      const body = path === 'issuers.json' ? undefined : together(named).get(path);
      return new Response(body?.toString() ?? null, { status: body === undefined ? 404 : 200 });
    };
    const client = closedAfterTest(
      createRegistryClient({ ...trust(), fetch: fetchList, now: () => LISTED, timeout: 60 }),
    );
    await expect(client.ready()).rejects.toMatchObject({
      errors: { 'https://registry.example': { code: 'ERR_SOURCE_TOO_LARGE' } },
    });
    expect(list.read()).toBe(maxBytes + 1);
  });
});

describe('the defaults of a passport verifier in docs/verifiers/options.md', () => {
  const defaults = defaultsBelow('Options of a passport verifier');
  let world: IssuerWorld;
  let passport: TestPassport;
  /** How far the clock is ahead, in seconds. */
  let ahead: number;

  beforeEach(async () => {
    ahead = 0;
    world = await issuerWorld('alpha', await issuerKey());
    passport = await passportOf(world, await agentKeys(), { exp: seconds(3600) });
  });

  /** Returns the code of the verdict on the passport. Each call is some seconds after the first one. */
  async function verdicts(options: Partial<PassportVerifierOptions> = {}) {
    const now = () => Date.now() + ahead * 1000;
    const verifier = await verifierOf([world], { now, ...options });
    const token = await tokenOf(world, passport);
    return async (after = 0) => {
      ahead = after;
      return (await verifier.verifyPassport(token)).reasons[0]?.code;
    };
  }
  const asked = (path: RegExp) => world.log.filter((one) => path.test(one)).length;
  const fail = () => {
    world.intercept = (_request, response) => {
      response.writeHead(500).end();
      return true;
    };
  };

  it('are all compared here', () => {
    const compared = ['clockTolerance', 'cooldown', 'grace', 'maxBytes', 'metadataMaxAge', 'statusMaxAge'];
    expect(Object.keys(defaults).sort()).toEqual([...compared, 'timeout']);
  });

  it.each([
    ['statusMaxAge', /passports/],
    ['metadataMaxAge', /metadata/],
  ])('%s: when an issuer is asked again', async (name, path) => {
    const verdict = await verdicts();
    const age = defaults[name] ?? 0;
    expect(await verdict()).toBe('verified');
    await verdict(age - 2);
    expect(asked(path)).toBe(1);
    await verdict(age);
    expect(asked(path)).toBe(2);
  });

  it('clockTolerance: how long after its end a passport is accepted', async () => {
    const verdict = await verdicts();
    const { clockTolerance = 0 } = defaults;
    expect(await verdict(3600 + clockTolerance - 5)).toBe('verified');
    expect(await verdict(3600 + clockTolerance + 1)).toBe('token-expired');
  });

  it('grace: how long a status is used while the issuer is unreachable', async () => {
    const verdict = await verdicts();
    const { statusMaxAge = 0, grace = 0 } = defaults;
    expect(await verdict()).toBe('verified');
    fail();
    expect(await verdict(statusMaxAge + grace - 2)).toBe('verified');
    expect(await verdict(statusMaxAge + grace)).toBe('status-unreachable');
  });

  it('cooldown: when an issuer is asked again after it has failed', async () => {
    const verdict = await verdicts();
    const { cooldown = 0 } = defaults;
    fail();
    expect(await verdict()).toBe('discovery-unreachable');
    await verdict(cooldown - 2);
    expect(world.log).toHaveLength(1);
    await verdict(cooldown);
    expect(world.log).toHaveLength(2);
  });

  it('timeout: when an issuer has not answered in time', async () => {
    const verdict = await verdicts();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    expect(await verdict()).toBe('discovery-unreachable');
    expect(timeout.mock.lastCall?.[0]).toBe(Number(defaults['timeout']) * 1000);
  });

  it('maxBytes: how much of a response is read', async () => {
    const { maxBytes = 0 } = defaults;
    const metadata = endlessBody(maxBytes);
    const verdict = await verdicts({ fetch: async () => metadata.response() });
    expect(await verdict()).toBe('discovery-unreachable');
    expect(metadata.read()).toBe(maxBytes + 1);
  });

  it('maxAge: how old a token of a profile may be', async () => {
    const profile = defaultsBelow('Options of a token profile');
    expect(Object.keys(profile)).toEqual(['maxAge']);
    const { maxAge = 0 } = profile;
    world.documents.set('/.well-known/openid-configuration', world.documents.get('/metadata'));
    Object.assign(world.record, { discovery_uri: `${world.url}/.well-known/openid-configuration` });
    const claims = { iss: world.url, aud: AUDIENCE, iat: seconds(), exp: seconds(2 * maxAge) };
    const token = await jws(
      claims,
      { alg: 'EdDSA', typ: 'at+jwt', kid: world.key.kid },
      world.key.privateKey,
    );
    const verifier = await verifierOf([world], {
      clockTolerance: 0,
      now: () => Date.now() + ahead * 1000,
      tokenProfiles: { access: { type: 'at+jwt' } },
    });
    const verdict = async (after: number) => {
      ahead = after;
      return (await verifier.verifyToken(token, 'access')).reasons[0]?.code;
    };
    expect(await verdict(maxAge - 5)).toBe('verified');
    expect(await verdict(maxAge + 1)).toBe('token-too-old');
  });
});
