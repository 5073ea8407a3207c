import {
  createRegistryClient,
  memoryStore,
  type NoUsableSource,
  openRegistry,
  type RegistryClient,
  type RegistryClientOptions,
} from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import {
  at,
  checkpoint,
  type Files,
  issuer,
  publish,
  rotationStep,
  statement,
  type TestKey,
  testKey,
  withCheckpoint,
  withOnlineKey,
  withRotation,
} from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { copyIn } from '../../support/sources.js';
import { storedMembers, together } from '../../support/statements.js';

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
  it('refuses a list by a root key that the rotation has left', async () => {
    const host = await registryHost(
      withRotation(publish(key(root), [issuer('a')]), await steps(root, second)),
    );
    expect(await verdicts(clientOf([host]))).toEqual(['ERR_PUBLICATION_INVALID']);
    const copy = copyIn(host.files);
    await expect(openRegistry(copy, { rootKey: key(root).rootKey.jwk, maxAge: 3600 })).rejects.toMatchObject({
      code: 'ERR_PUBLICATION_INVALID',
    });
  });

  it('reads the rotation before it decides, even when all else holds', async () => {
    const rotation = Buffer.from(JSON.stringify(['not a step']));
    const host = await registryHost(publish(key(root), [issuer('a')]).set('keys/rotation.json', rotation));
    expect(await verdicts(clientOf([host]))).toEqual(['ERR_ROTATION_INVALID']);
  });

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
  const step = (number: unknown) =>
    statement(key(root), 'registry-root-rotation+jwt', {
      iat: 1,
      next_root: key(second).rootKey.jwk,
      ...(number !== undefined && { step: number }),
    });
  it.each<[unknown, string]>([
    [1, 'accepted'],
    [undefined, 'accepted'],
    [0, 'ERR_ROTATION_INVALID'],
    [2, 'ERR_ROTATION_INVALID'],
    ['1', 'ERR_ROTATION_INVALID'],
  ])('that says that it is number %j: %s', async (number, verdict) => {
    const files = withRotation(publish(key(second), [issuer('a')]), [await step(number)]);
    expect(await verdicts(clientOf([await registryHost(files)]))).toEqual([verdict]);
  });

  it('that names an odd signer is refused, without what could steer a terminal', async () => {
    const odd = { ...key(thief), rootKey: { ...key(thief).rootKey, thumbprint: '\u001b[2J\nOK' } };
    const rotation = [...(await steps(root, second)), await rotationStep(odd, key(third))];
    const host = await registryHost(withRotation(publish(key(third), [issuer('a')]), rotation));
    await expect(clientOf([host]).ready()).rejects.toThrow('is signed by "\\u001b[2J\\nOK"');
  });

  it('that is ahead of time is refused', async () => {
    const jwt = await statement(key(root), 'registry-root-rotation+jwt', {
      iat: Math.floor(Date.now() / 1000) + 3600,
      next_root: key(second).rootKey.jwk,
    });
    const files = withRotation(publish(key(second), [issuer('a')]), [jwt]);
    expect(await verdicts(clientOf([await registryHost(files)]))).toEqual(['ERR_NOT_YET_VALID']);
  });
});

describe('a client that has followed a rotation', () => {
  let host: RegistryHost;
  const store = () => memoryStore();
  const moved = async (options: Partial<RegistryClientOptions> = {}) => {
    host = await registryHost(await rotated(at(-100), root, second));
    const client = clientOf([host], options);
    await client.ready();
    return client;
  };

  it.each<[string, string, () => Promise<Files>]>([
    ['a step back', 'ERR_ROTATION_LOOP', async () => rotated(at(-50), root, second, root)],
    [
      'a step back alone',
      'ERR_ROTATION_LOOP',
      async () => withRotation(publish(key(root), [issuer('a')], at(-50)), await steps(second, root)),
    ],
    ['another way to the key', 'ERR_ROTATION_GAP', async () => rotated(at(-50), thief, second)],
    ['no rotation', 'ERR_PUBLICATION_INVALID', async () => publish(key(root), [issuer('a')], at(-50))],
    [
      'an empty rotation',
      'ERR_PUBLICATION_INVALID',
      async () => withRotation(publish(key(root), [issuer('a')], at(-50)), []),
    ],
    ['another successor', 'ERR_ROTATION_FORK', async () => rotated(at(-50), root, thief)],
    [
      'a longer chain of another successor',
      'ERR_ROTATION_FORK',
      async () => rotated(at(-50), root, thief, third),
    ],
  ])('refuses %s: %s, also after a restart', async (_name, code, make) => {
    const kept = store();
    const client = await moved({ store: kept });
    host.files = await make();
    expect(await verdicts(client, 'refresh')).toEqual([code]);
    expect(client.status().rootKeys).toEqual([key(second).rootKey.thumbprint]);
    client.close();
    const restarted = clientOf([host], { store: kept });
    await restarted.ready();
    expect(await verdicts(restarted, 'refresh')).toEqual([code]);
    expect(restarted.status().rootKeys).toEqual([key(second).rootKey.thumbprint]);
  });

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

  it('goes on from there', async () => {
    const client = await moved();
    host.files = await rotated(at(-50), root, second, third);
    await client.refresh();
    expect(client.status().rootKeys).toEqual([key(third).rootKey.thumbprint]);
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
    expect(() => client.list()).toThrow('has not been fresh since');
  });
});

describe('a rotation without a list by its last key', () => {
  it('survives a restart: the list by the key before guards against rollbacks, and is not used', async () => {
    const behind = await registryHost(publish(key(root), [issuer('a')], at(-100)));
    const hollow = await registryHost();
    const store = memoryStore();
    const client = clientOf([behind, hollow], { store });
    await client.ready();
    hollow.files = rotationAlone(await steps(root, second));
    await client.refresh().catch(() => undefined);
    await expect.poll(async () => storedMembers(await store.load()).rotation).toHaveLength(1);
    client.close();

    behind.files = publish(key(root), [issuer('b')], at(-50));
    const restarted = clientOf([behind], { store });
    expect(await verdicts(restarted)).toEqual(['ERR_PUBLICATION_INVALID']);
    expect(() => restarted.list()).toThrow('has not been fresh since');
    behind.files = await rotated(at(-300), root, second);
    expect(await verdicts(restarted, 'refresh')).toEqual(['ERR_LIST_ROLLED_BACK']);
    behind.files = await rotated(at(-40), root, second);
    expect(await verdicts(restarted, 'refresh')).toEqual(['accepted']);
    expect(restarted.resolve('a')?.issuer_id).toBe('a');
  });
});

describe('an online key', () => {
  const seconds = Math.floor(Date.now() / 1000);
  const files = (updatedAt: string, names: TestKey | undefined, exp = seconds + 3600) =>
    withOnlineKey(publish(key(root), [issuer('a')], updatedAt), key(root), key(names), { exp });
  const sealedBy = async (named: Files, signer: TestKey | undefined, iat: number) =>
    new Map(named).set('checkpoint.jwt', Buffer.from(await checkpoint(named, key(signer), { iat })));

  it('that was replaced signs nothing more, also for whoever comes back later', async () => {
    const store = memoryStore();
    const host = await registryHost(await sealedBy(files(at(-100), online), online, seconds - 90));
    const client = clientOf([host], { store });
    await client.ready();
    const newer = files(at(-50), second);
    host.files = await sealedBy(newer, second, seconds - 40);
    expect(await verdicts(client, 'refresh')).toEqual(['accepted']);
    host.files = await sealedBy(newer, online, seconds - 30);
    expect(await verdicts(client, 'refresh')).toEqual(['ERR_CHECKPOINT_INVALID']);
    client.close();
    // The publication that names the key has been replaced, too.
    host.files = await sealedBy(files(at(-100), online), online, seconds - 20);
    const restarted = clientOf([host], { store });
    await restarted.ready();
    expect(await verdicts(restarted, 'refresh')).toEqual(['ERR_PUBLICATION_ROLLED_BACK']);
  });

  it.each<[string, number, string]>([
    ['at its end', seconds - 100, 'accepted'],
    ['a second after it', seconds - 99, 'ERR_CHECKPOINT_INVALID'],
  ])('dates no checkpoint after its time, live and offline: %s', async (_name, iat, verdict) => {
    const tree = await sealedBy(files(at(-600), online, seconds - 100), online, iat);
    expect(await verdicts(clientOf([await registryHost(tree)]))).toEqual([verdict]);
    const copy = copyIn(tree);
    const opened = openRegistry(copy, { rootKey: key(root).rootKey.jwk, maxAge: 3600 });
    expect(
      await opened.then(
        () => 'accepted',
        ({ code }) => code,
      ),
    ).toBe(verdict);
  });

  it('whose time ended a year ago dates no copy later than that', async () => {
    const year = 365 * 24 * 3600;
    const named = files(at(-year - 1000), online, seconds - year);
    const copyOf = async (iat: number) => {
      const claims = { iat, exp: iat + 3600 };
      const tree: Files = new Map(named).set(
        'checkpoint.jwt',
        Buffer.from(await checkpoint(named, key(online), claims)),
      );
      return copyIn(tree);
    };
    const open = async (maxAge: number, iat: number) =>
      openRegistry(await copyOf(iat), { rootKey: key(root).rootKey.jwk, maxAge });
    // Whoever has stolen the online key signs today.
    await expect(open(10 * year, seconds)).rejects.toMatchObject({ code: 'ERR_CHECKPOINT_INVALID' });
    await expect(open(year / 2, seconds - year)).rejects.toMatchObject({ code: 'ERR_LIST_EXPIRED' });
    expect((await open(2 * year, seconds - year)).resolve('a')?.issuer_id).toBe('a');
  });
});
