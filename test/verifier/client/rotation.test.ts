import {
  createRegistryClient,
  memoryStore,
  type NoUsableSource,
  type RegistryClient,
  type RegistryClientOptions,
} from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import {
  at,
  type Files,
  issuer,
  publish,
  rotationStep,
  type TestKey,
  testKey,
  withCheckpoint,
  withRotation,
} from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { together } from '../../support/statements.js';

shortenRetries();

let [root, second, third, thief, online]: TestKey[] = [];
const key = (one: TestKey | undefined) => one as TestKey;

beforeAll(async () => {
  [root, second, third, thief, online] = await Promise.all(Array.from({ length: 5 }, () => testKey()));
});

function clientOf(hosts: readonly RegistryHost[], options: Partial<RegistryClientOptions> = {}) {
  const sources = hosts.map(({ base }) => base);
  const { jwk } = key(root).rootKey;
  return closedAfterTest(createRegistryClient({ sources, rootKey: jwk, refreshInterval: 1000, ...options }));
}

/** Why each source was refused, or `accepted`. */
async function verdicts(client: RegistryClient, work: 'ready' | 'refresh' = 'ready'): Promise<string[]> {
  try {
    await client[work]();
    return ['accepted'];
  } catch (error) {
    return Object.values((error as NoUsableSource).errors).map(({ code }) => code);
  }
}

const steps = (...keys: (TestKey | undefined)[]) =>
  Promise.all(keys.slice(1).map((to, index) => rotationStep(key(keys[index]), key(to))));
/** A list by the last of some root keys, with the rotation that leads there. */
const rotated = async (updatedAt: string, ...keys: (TestKey | undefined)[]): Promise<Files> =>
  withRotation(publish(key(keys.at(-1)), [issuer('a')], updatedAt), await steps(...keys));

/** A source that shows a rotation, and nothing else that is valid. */
const rotationAlone = (rotation: readonly string[]): Files => {
  const nothing = Buffer.from('nothing');
  const statements = [
    ['publication.jwt', nothing],
    ['checkpoint.jwt', nothing],
  ] as const;
  return withRotation(new Map(statements), rotation);
};

describe('a first visitor', () => {
  it('follows the longest chain of all sources: one without it, or with less of it, is refused', async () => {
    const behind = await registryHost(publish(key(root), [issuer('a')], at(-100)));
    const halfway = await registryHost(await rotated(at(-80), root, second));
    const newest = await registryHost(await rotated(at(-60), root, second, third));
    const client = clientOf([behind, halfway, newest]);
    await client.ready();
    // Whoever was first: the newer chain was heard of, and the others were left.
    await expect.poll(() => client.status().rootKeys).toEqual([key(third).rootKey.thumbprint]);
    expect(client.status().source).toBe(newest.base);
  });

  it.each(['the one', 'the other'])(
    'refuses both of two valid successors of one key, %s first, until a round shows only one',
    async (first) => {
      const hosts = [
        await registryHost(await rotated(at(-60), root, second)),
        await registryHost(await rotated(at(-50), root, thief)),
      ];
      // Both rotations are heard long before a list.
      for (const host of hosts) {
        host.intercept = (path, _request, response) => {
          if (path !== 'issuers.json') return false;
          setTimeout(() => response.end(host.files.get(path)), 500);
          return true;
        };
      }
      const client = clientOf(first === 'the one' ? hosts : [...hosts].reverse());
      expect(await verdicts(client)).toEqual(['ERR_ROTATION_FORK', 'ERR_ROTATION_FORK']);
      expect(await verdicts(client)).toEqual(['ERR_ROTATION_FORK', 'ERR_ROTATION_FORK']);
      (hosts[1] as RegistryHost).files = new Map();
      expect(await verdicts(client)).toEqual(['accepted']);
      expect(client.status().rootKeys).toEqual([key(second).rootKey.thumbprint]);
    },
  );

  it('does not go back to the key that has two successors when no source shows either any more', async () => {
    const hosts = await Promise.all([
      registryHost(await rotated(at(-60), root, second)),
      registryHost(await rotated(at(-50), root, thief)),
    ]);
    for (const host of hosts) host.files.delete('issuers.json');
    const client = clientOf(hosts);
    await client.ready().catch(() => undefined);
    for (const host of hosts) host.files = publish(key(root), [issuer('a')], at(-40));
    expect(await verdicts(client, 'refresh')).toEqual(['ERR_ROTATION_FORK', 'ERR_ROTATION_FORK']);
  });

  it('does not go back to a key that a rotation has led to, either', async () => {
    const hosts = await Promise.all([
      registryHost(await rotated(at(-60), root, second)),
      registryHost(await rotated(at(-60), root, second)),
    ]);
    const client = clientOf(hosts);
    await client.ready();
    const [one, other] = hosts as [RegistryHost, RegistryHost];
    one.files = rotationAlone(await steps(root, second, third));
    other.files = rotationAlone(await steps(root, second, thief));
    await client.refresh().catch(() => undefined);
    for (const host of hosts) host.files = await rotated(at(-40), root, second);
    expect(await verdicts(client, 'refresh')).toEqual(['ERR_ROTATION_FORK', 'ERR_ROTATION_FORK']);
  });

  it('binds the chain of the accepted list at once: a later fork refuses only its source', async () => {
    const good = await registryHost(
      withRotation(
        await withCheckpoint(publish(key(second), [issuer('a')], at(-60)), key(second), key(online)),
        await steps(root, second),
      ),
    );
    const hanging = await registryHost();
    hanging.intercept = () => true;
    const client = clientOf([good, hanging]);
    await client.ready();
    // The first round has not ended: one source has not shown its rotation.
    hanging.files = rotationAlone(await steps(root, thief));
    hanging.intercept = () => false;
    expect(await verdicts(client, 'refresh')).toEqual(['accepted']);
    await expect.poll(() => hanging.log).toContain('statements.json 200');
    expect(await verdicts(client, 'refresh')).toEqual(['accepted']);
    expect(client.status().rootKeys).toEqual([key(second).rootKey.thumbprint]);
    expect(client.status().freshUntil?.getTime()).toBeGreaterThan(Date.now());
  });
});

describe('a step', () => {
  it('that names an odd signer is refused, without what could steer a terminal', async () => {
    const odd = { ...key(thief), rootKey: { ...key(thief).rootKey, thumbprint: '\u001b[2J\nOK' } };
    const rotation = [...(await steps(root, second)), await rotationStep(odd, key(third))];
    const host = await registryHost(withRotation(publish(key(third), [issuer('a')]), rotation));
    await expect(clientOf([host]).ready()).rejects.toThrow('"\\u001b[2J\\nOK"');
  });
});

describe('a client that has followed a rotation', () => {
  let host: RegistryHost;
  const store = () => memoryStore();

  it('goes on with the others when one source leaves its chain', async () => {
    const forked = await registryHost(await rotated(at(-50), root, thief));
    host = await registryHost(await rotated(at(-100), root, second));
    const kept = store();
    await clientOf([host], { store: kept }).ready();
    const client = clientOf([forked, host], { store: kept });
    await client.ready();
    await client.refresh();
    expect(client.status().source).toBe(host.base);
    expect(client.status().errors[forked.base]?.code).toBe('ERR_ROTATION_FORK');
  });
});

describe('a client that has pinned two root keys', () => {
  it('saves the rotation of the key that signed, so that a restart needs no source', async () => {
    const store = memoryStore();
    const host = await registryHost(await rotated(at(-60), second, third));
    const rootKey = [key(root).rootKey.jwk, key(second).rootKey.jwk];
    const client = clientOf([host], { store, rootKey });
    await client.ready();
    client.close();
    const offline = clientOf([], { sources: ['http://127.0.0.1:9'], store, rootKey });
    await offline.ready();
    expect(offline.status()).toMatchObject({ source: 'store', rootKeys: [key(third).rootKey.thumbprint] });
  });
});

describe('a longer chain that arrives after the decision', () => {
  /** A host that answers for its rotation once it is let go. */
  const holdingBack = (host: RegistryHost): (() => void) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    host.intercept = (path, _request, response) => {
      if (path !== 'statements.json') return false;
      held.then(() => response.end(together(host.files).get(path)));
      return true;
    };
    return release;
  };
  const withCheckpointBy = (by: TestKey | undefined, updatedAt: string) =>
    withCheckpoint(publish(key(by), [issuer('a')], updatedAt), key(by), key(online));

  it('ends the freshness of the list, and has the sources asked at once', async () => {
    const behind = await registryHost(await withCheckpointBy(root, at(-100)));
    const ahead = await registryHost(
      withRotation(await withCheckpointBy(second, at(-50)), await steps(root, second)),
    );
    const release = holdingBack(ahead);
    const client = clientOf([behind, ahead], { timeout: 100 });
    // A source that hangs does not delay the first acceptable answer.
    await client.ready();
    expect(client.status().source).toBe(behind.base);
    release();
    await expect.poll(() => client.status().source).toBe(ahead.base);
    expect(client.status().rootKeys).toEqual([key(second).rootKey.thumbprint]);
    expect(client.status().errors[behind.base]?.code).toBe('ERR_PUBLICATION_INVALID');
  });

  it('leaves the list its grace and no more, where no source has a list by the new key', async () => {
    let now = Date.now();
    const behind = await registryHost(await withCheckpointBy(root, at(-100)));
    const hollow = await registryHost(rotationAlone(await steps(root, second)));
    const release = holdingBack(hollow);
    const client = clientOf([behind, hollow], {
      timeout: 100,
      now: () => now,
      grace: 600,
      clockTolerance: 0,
    });
    await client.ready();
    expect(client.status().freshUntil?.getTime()).toBeGreaterThan(now);
    release();
    await expect.poll(() => client.status().freshUntil?.getTime()).toBe(now);
    expect(client.list()).toHaveLength(1);
    now += 601_000;
    expect(() => client.list()).toThrow(expect.objectContaining({ code: 'ERR_REGISTRY_STALE' }));
  });
});
