import {
  createIssuerLookup,
  createRegistryClient,
  importRootKey,
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

let [root, second, third, thief]: TestKey[] = [];
const key = (one: TestKey | undefined) => one as TestKey;
const nameOf = (one: TestKey | undefined) => key(one).rootKey.thumbprint;

beforeAll(async () => {
  [root, second, third, thief] = await Promise.all(
    Array.from({ length: 4 }, (_, index) => testKey(index === 2 ? 'p256' : 'ed25519')),
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

describe('the first commitment seen under a root key', () => {
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
