import {
  createIssuerLookup,
  createRegistryClient,
  importRootKey,
  memoryStore,
  type NoUsableSource,
  openRegistry,
  type RegistryClient,
  type RegistryClientOptions,
  type TrustAnchor,
  walkRotation,
} from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import {
  at,
  type Files,
  issuer,
  publish,
  rotationStep,
  statement,
  type TestKey,
  testKey,
  withRotation,
} from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { copyIn } from '../../support/sources.js';
import { publishSummed } from '../../support/summed-registry.js';

shortenRetries();

let [root, second, third, spare, thief]: TestKey[] = [];
const key = (one: TestKey | undefined) => one as TestKey;
const nameOf = (one: TestKey | undefined) => key(one).rootKey.thumbprint;

beforeAll(async () => {
  [root, second, third, spare, thief] = await Promise.all(
    Array.from({ length: 5 }, (_, index) => testKey(index === 2 ? 'p256' : 'ed25519')),
  );
});

/** A trust anchor of the first root key. */
const anchorOf = (...next: (TestKey | undefined)[]): TrustAnchor => ({
  root: key(root).rootKey.jwk,
  ...(next.length > 0 && { next_roots: next.map(nameOf) }),
});

/** A step, and the keys to which it commits the next root key. */
type Step = readonly [to: TestKey | undefined, ...next: (TestKey | undefined)[]];

/** The steps that lead from the first root key over others. */
async function stepsTo(steps: readonly Step[]): Promise<string[]> {
  const from = [root, ...steps.map(([to]) => to)];
  return Promise.all(
    steps.map(([to, ...next], at) =>
      rotationStep(key(from[at]), key(to), next.length === 0 ? undefined : next.map(key)),
    ),
  );
}

/** A list by the last of some root keys, with the rotation that leads there. */
const rotated = async (updatedAt: string, ...steps: Step[]): Promise<Files> =>
  withRotation(publish(key(steps.at(-1)?.[0]), [issuer('a')], updatedAt), await stepsTo(steps));

function clientOf(
  hosts: readonly RegistryHost[],
  trustAnchor: TrustAnchor,
  options: Partial<RegistryClientOptions> = {},
) {
  const sources = hosts.map(({ base }) => base);
  return closedAfterTest(createRegistryClient({ sources, trustAnchor, refreshInterval: 1000, ...options }));
}

/** Why each source was refused, or `accepted`. */
async function verdicts(
  client: Pick<RegistryClient, 'ready' | 'refresh'>,
  work: 'ready' | 'refresh' = 'ready',
): Promise<string[]> {
  try {
    await client[work]();
    return ['accepted'];
  } catch (error) {
    return Object.values((error as NoUsableSource).errors).map(({ code }) => code);
  }
}

/** Every way to read a registry with a trust anchor. Each returns `accepted`, or a code. */
const READERS: Record<string, (files: Files, trustAnchor: TrustAnchor) => Promise<string>> = {
  createRegistryClient: async (files, trustAnchor) =>
    (await verdicts(clientOf([await registryHost(files)], trustAnchor)))[0] ?? '',
  createIssuerLookup: async (files, trustAnchor) => {
    const { base } = await registryHost(files);
    const lookup = closedAfterTest(createIssuerLookup({ sources: [base], trustAnchor }));
    const answer = lookup.resolve('a').then(
      () => ['accepted'],
      (error: NoUsableSource) => Object.values(error.errors).map(({ code }) => code),
    );
    return (await answer)[0] ?? '';
  },
  openRegistry: (files, trustAnchor) =>
    openRegistry(copyIn(files), { trustAnchor, maxAge: 3600 }).then(
      () => 'accepted',
      ({ code }) => code,
    ),
  walkRotation: async (files, { root: jwk, next_roots: nextRoots }) => {
    const pinned = { ...(await importRootKey(jwk)), nextRoots };
    return walkRotation(pinned, JSON.parse(files.get('keys/rotation.json')?.toString() ?? '[]')).then(
      () => 'accepted',
      ({ code }) => code,
    );
  },
};

describe.each(Object.entries(READERS))('%s', (_name, read) => {
  /** A registry with a publication statement, which a look-up needs. */
  const summed = async (...steps: Step[]): Promise<Files> =>
    withRotation(await publishSummed(key(steps.at(-1)?.[0] ?? root), [issuer('a')]), await stepsTo(steps));

  it('refuses the step of a thief', async () => {
    expect(await read(await summed([thief]), anchorOf(second))).toBe('ERR_ROTATION_NOT_COMMITTED');
    expect(await read(await summed([thief]), anchorOf(second, third, spare))).toBe(
      'ERR_ROTATION_NOT_COMMITTED',
    );
    expect(await read(await summed([thief]), anchorOf())).toBe('accepted');
  });

  it('follows a step to any of the committed keys', async () => {
    expect(await read(await summed(), anchorOf(second))).toBe('accepted');
    for (const next of [second, third, spare]) {
      expect(await read(await summed([next]), anchorOf(second, third, spare))).toBe('accepted');
    }
  });

  it('follows a chain of three commitments, and refuses a step that leaves it', async () => {
    const chain: Step[] = [
      [second, third, spare],
      [third, spare],
    ];
    expect(await read(await summed(...chain, [spare]), anchorOf(second))).toBe('accepted');
    expect(await read(await summed(...chain, [thief]), anchorOf(second))).toBe('ERR_ROTATION_NOT_COMMITTED');
    expect(await read(await summed([second, third], [spare]), anchorOf(second))).toBe(
      'ERR_ROTATION_NOT_COMMITTED',
    );
    // A step that commits to nothing lets the next one lead anywhere.
    expect(await read(await summed([second], [spare]), anchorOf(second))).toBe('accepted');
  });

  it('obeys the first commitment that a rotation shows, without one in the trust anchor', async () => {
    expect(await read(await summed([second, third], [third]), anchorOf())).toBe('accepted');
    expect(await read(await summed([second, third], [thief]), anchorOf())).toBe('ERR_ROTATION_NOT_COMMITTED');
  });
});

describe('the claim next_roots of a step', () => {
  const walk = async (next_roots: unknown) => {
    const claims = { iat: 1, next_root: key(second).rootKey.jwk, next_roots };
    const step = await statement(key(root), 'registry-root-rotation+jwt', claims);
    return walkRotation(key(root).rootKey, [step]);
  };
  const others = ['A', 'E', 'I', 'M'].map((last) => `${'A'.repeat(42)}${last}`);

  it.each([1, 3])('may have %i thumbprints', async (count) => {
    expect((await walk(others.slice(0, count))).nextRoots).toEqual(others.slice(0, count));
  });

  it.each<[string, unknown]>([
    ['no thumbprint', []],
    ['four thumbprints', others],
    ['a thumbprint twice', [others[0], others[0]]],
    ['a thumbprint alone', others[0]],
    ['null', null],
    ['an object', { 0: others[0] }],
    ['a short thumbprint', [others[0]?.slice(1)]],
    ['padding', [`${others[0]}=`]],
    ['unused bits', [`${'A'.repeat(42)}B`]],
    ['a number', [1]],
  ])('is refused with %s', async (_name, value) => {
    await expect(walk(value)).rejects.toMatchObject({ code: 'ERR_ROTATION_INVALID' });
  });

  it.each([
    ['the key itself', () => nameOf(second)],
    ['the outgoing key', () => nameOf(root)],
  ])('may not contain %s', async (_name, past) => {
    await expect(walk([others[0], past()])).rejects.toMatchObject({
      code: 'ERR_ROTATION_INVALID',
      message: expect.stringContaining(past()),
    });
  });

  it('says in words which keys may follow, and which one does', async () => {
    const rotation = await stepsTo([[second, third, spare], [thief]]);
    const [one, next] = [nameOf(third), nameOf(spare)].sort();
    await expect(walkRotation(key(root).rootKey, rotation)).rejects.toThrow(
      `the root key ${nameOf(second)} may be followed only by ${one} or ${next}, not by ${nameOf(thief)}`,
    );
  });
});

describe('the first commitment seen under a root key', () => {
  it('binds: a source with another one is refused, and the list is kept', async () => {
    const host = await registryHost(await rotated(at(-60), [second, third]));
    const client = clientOf([host], anchorOf());
    expect(await verdicts(client)).toEqual(['accepted']);
    host.files = await rotated(at(-50), [second, thief]);
    expect(await verdicts(client, 'refresh')).toEqual(['ERR_ROTATION_FORK']);
    host.files = await rotated(at(-50), [second, thief], [thief]);
    expect(await verdicts(client, 'refresh')).toEqual(['ERR_ROTATION_FORK']);
    // The step alone, without the one that would show another commitment.
    host.files = withRotation(publish(key(thief), [issuer('a')], at(-40)), [
      await rotationStep(key(second), key(thief)),
    ]);
    expect(await verdicts(client, 'refresh')).toEqual(['ERR_ROTATION_NOT_COMMITTED']);
    expect(client.resolve('a')?.issuer_id).toBe('a');
    host.files = await rotated(at(-30), [second, third], [third]);
    expect(await verdicts(client, 'refresh')).toEqual(['accepted']);
    expect(client.status().rootKeys).toEqual([nameOf(third)]);
  });

  it('is neither added to a step that had none, nor removed', async () => {
    for (const [first, later] of [
      [[second], [second, third]],
      [[second, third], [second]],
    ] satisfies [Step, Step][]) {
      const host = await registryHost(await rotated(at(-60), first));
      const client = clientOf([host], anchorOf());
      expect(await verdicts(client)).toEqual(['accepted']);
      host.files = await rotated(at(-50), later);
      expect(await verdicts(client, 'refresh')).toEqual(['ERR_ROTATION_FORK']);
    }
  });

  it('has no order', async () => {
    const host = await registryHost(await rotated(at(-60), [second, third, spare]));
    const client = clientOf([host], anchorOf());
    expect(await verdicts(client)).toEqual(['accepted']);
    host.files = await rotated(at(-50), [second, spare, third]);
    expect(await verdicts(client, 'refresh')).toEqual(['accepted']);
  });

  it('survives a restart with a store', async () => {
    const store = memoryStore();
    const host = await registryHost(await rotated(at(-60), [second, third]));
    const first = clientOf([host], anchorOf(), { store });
    expect(await verdicts(first)).toEqual(['accepted']);
    first.close();
    host.files = await rotated(at(-50), [second, thief], [thief]);
    const restarted = clientOf([host], anchorOf(), { store });
    await restarted.ready();
    expect(await verdicts(restarted, 'refresh')).toEqual(['ERR_ROTATION_FORK']);
    expect(restarted.status().rootKeys).toEqual([nameOf(second)]);
    host.files = withRotation(publish(key(thief), [issuer('a')], at(-40)), [
      await rotationStep(key(second), key(thief)),
    ]);
    expect(await verdicts(restarted, 'refresh')).toEqual(['ERR_ROTATION_NOT_COMMITTED']);
  });

  it('is unknown to a client without the store, and known to one with a trust anchor', async () => {
    const host = await registryHost(await rotated(at(-50), [second, thief], [thief]));
    expect(await verdicts(clientOf([host], anchorOf()))).toEqual(['accepted']);
    const trustAnchor: TrustAnchor = { root: key(second).rootKey.jwk, next_roots: [nameOf(third)] };
    expect(await verdicts(clientOf([host], trustAnchor))).toEqual(['ERR_ROTATION_NOT_COMMITTED']);
  });

  it.each(['the one', 'the other'])(
    'is a fork if two sources show different ones, %s first, until a round shows one',
    async (first) => {
      const hosts = [
        await registryHost(await rotated(at(-60), [second, third])),
        await registryHost(await rotated(at(-50), [second, thief])),
      ];
      // Both rotations are heard long before a list.
      for (const host of hosts) {
        host.intercept = (path, _request, response) => {
          if (path !== 'issuers.json') return false;
          setTimeout(() => response.end(host.files.get(path)), 500);
          return true;
        };
      }
      const client = clientOf(first === 'the one' ? hosts : [...hosts].reverse(), anchorOf());
      expect(await verdicts(client)).toEqual(['ERR_ROTATION_FORK', 'ERR_ROTATION_FORK']);
      expect(client.status().errors[hosts[0]?.base ?? '']?.message).toContain(
        `${nameOf(second)} with next_roots`,
      );
      (hosts[1] as RegistryHost).files = new Map();
      expect(await verdicts(client)).toEqual(['accepted']);
      expect(client.status().rootKeys).toEqual([nameOf(second)]);
    },
  );

  it('refuses only the source with the step of a thief, if the trust anchor commits the key', async () => {
    const hosts = [
      await registryHost(await rotated(at(-50), [thief])),
      await registryHost(await rotated(at(-60), [second])),
    ];
    const client = clientOf(hosts, anchorOf(second));
    expect(await verdicts(client)).toEqual(['accepted']);
    expect(client.status().rootKeys).toEqual([nameOf(second)]);
    await expect
      .poll(() => client.status().errors[hosts[0]?.base ?? '']?.code)
      .toBe('ERR_ROTATION_NOT_COMMITTED');
  });
});

describe('the content of a JWK', () => {
  it('commits to nothing: only trust anchors and steps do', async () => {
    const jwk = { ...key(root).rootKey.jwk, next_roots: [nameOf(second)] };
    expect((await importRootKey(jwk)).nextRoots).toBeUndefined();
    expect(() =>
      createRegistryClient({ sources: ['https://a.example'], trustAnchor: { root: jwk } }),
    ).toThrow('root has the unknown member "next_roots"');
  });
});

describe('a step from the future', () => {
  const TOLERANCE = 300;
  const step = (iat: number) =>
    statement(key(root), 'registry-root-rotation+jwt', { iat, next_root: key(second).rootKey.jwk });

  it('is not followed by walkRotation, but within the tolerance for clocks', async () => {
    const now = () => 1_800_000_000_000;
    const walk = async (iat: number, options: object = { now }) =>
      walkRotation(key(root).rootKey, [await step(iat)], options).then(
        ({ thumbprint }) => thumbprint,
        ({ code }) => code,
      );
    const next = key(second).rootKey.thumbprint;
    expect(await walk(1_800_000_000 + TOLERANCE)).toBe(next);
    expect(await walk(1_800_000_000 + TOLERANCE + 1)).toBe('ERR_NOT_YET_VALID');
    expect(await walk(1_800_000_030, { now, clockTolerance: 30 })).toBe(next);
    expect(await walk(1_800_000_031, { now, clockTolerance: 30 })).toBe('ERR_NOT_YET_VALID');
    expect(await walk(Date.UTC(2100, 0) / 1000, {})).toBe('ERR_NOT_YET_VALID');
  });

  it.each(Object.keys(READERS))('is not followed by %s', async (name) => {
    const files = await publishSummed(key(second), [issuer('a')]);
    const rotated = withRotation(files, [await step(Date.UTC(2100, 0) / 1000)]);
    expect(await READERS[name]?.(rotated, { root: key(root).rootKey.jwk } as TrustAnchor)).toBe(
      'ERR_NOT_YET_VALID',
    );
  });
});

describe('the step that leads to the pinned key', () => {
  const NOT_THUMBPRINTS = [[], null, ['x'], 7];

  it.each(Object.keys(READERS))('is before it, so %s ignores its next_roots', async (name) => {
    for (const next_roots of NOT_THUMBPRINTS) {
      const claims = { iat: 1, next_root: key(second).rootKey.jwk, next_roots };
      const step = await statement(key(root), 'registry-root-rotation+jwt', claims);
      const files = withRotation(await publishSummed(key(second), [issuer('a')]), [step]);
      const read = (from: TestKey | undefined) =>
        READERS[name]?.(files, { root: key(from).rootKey.jwk } as TrustAnchor);
      expect([next_roots, await read(second)]).toEqual([next_roots, 'accepted']);
      // From the key before, the step is followed, and refused.
      expect([next_roots, await read(root)]).toEqual([next_roots, 'ERR_ROTATION_INVALID']);
    }
  });
});
