import {
  createRegistryClient,
  memoryStore,
  type RegistryClientOptions,
  walkRotation,
} from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { codeOf, codesOf } from '../../support/log-clients.js';
import {
  committedTo,
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
import { timeFromNow } from '../../support/times.js';

shortenRetries();

const [root, second, third] = await Promise.all([testKey(), testKey(), testKey('p256')]);
const [thief, online] = await Promise.all([testKey(), testKey()]);
const nameOf = ({ rootKey }: TestKey) => rootKey.thumbprint;

function clientOf(hosts: readonly RegistryHost[], options: Partial<RegistryClientOptions> = {}) {
  const sources = hosts.map(({ base }) => base);
  const { jwk } = root.rootKey;
  return closedAfterTest(createRegistryClient({ sources, rootKey: jwk, refreshInterval: 1000, ...options }));
}

const steps = (...keys: TestKey[]) =>
  Promise.all(keys.slice(1).map((to, index) => rotationStep(keys[index] as TestKey, to)));
/** A list by the last of some root keys, with the rotation that leads there. */
const rotated = async (updatedAt: string, ...keys: TestKey[]): Promise<Files> =>
  withRotation(publish(keys.at(-1) as TestKey, [issuer('a')], { updatedAt }), await steps(...keys));

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
    const behind = await registryHost(publish(root, [issuer('a')], { updatedAt: timeFromNow(-100) }));
    const halfway = await registryHost(await rotated(timeFromNow(-80), root, second));
    const newest = await registryHost(await rotated(timeFromNow(-60), root, second, third));
    const client = clientOf([behind, halfway, newest]);
    await client.ready();
    // Whoever was first: the newer chain was heard of, and the others were left.
    await expect.poll(() => client.status().rootKeys).toEqual([nameOf(third)]);
    expect(client.status().source).toBe(newest.base);
  });

  const committed = async (updatedAt: string, next: TestKey) =>
    withRotation(publish(second, [issuer('a')], { updatedAt }), [
      await rotationStep(root, second, committedTo(next)),
    ]);

  it.each([
    ['successors', [rotated(timeFromNow(-60), root, second), rotated(timeFromNow(-50), root, thief)], second],
    [
      'successors, the thief first',
      [rotated(timeFromNow(-50), root, thief), rotated(timeFromNow(-60), root, second)],
      thief,
    ],
    ['commitments', [committed(timeFromNow(-60), third), committed(timeFromNow(-50), thief)], second],
  ])('refuses both of two valid %s, until a round shows only the first', async (_name, shown, first) => {
    const hosts = await Promise.all(shown.map(async (files) => registryHost(await files)));
    // Both rotations are heard long before a list.
    for (const host of hosts) {
      host.intercept = (path, _request, response) => {
        if (path !== 'issuers.json') return false;
        setTimeout(() => response.end(host.files.get(path)), 500);
        return true;
      };
    }
    const client = clientOf(hosts);
    expect(await codesOf(client.ready())).toEqual(['ERR_ROTATION_FORK', 'ERR_ROTATION_FORK']);
    expect(await codesOf(client.ready())).toEqual(['ERR_ROTATION_FORK', 'ERR_ROTATION_FORK']);
    (hosts[1] as RegistryHost).files = new Map();
    expect(await codesOf(client.ready())).toEqual(['accepted']);
    expect(client.status().rootKeys).toEqual([nameOf(first)]);
  });

  it('refuses only the source with the step of a thief, if the trust anchor commits the key', async () => {
    const thieving = await registryHost(await rotated(timeFromNow(-50), root, thief));
    const honest = await registryHost(await rotated(timeFromNow(-60), root, second));
    const trustAnchor = { root: root.rootKey.jwk, next_roots: [nameOf(second)] };
    const sources = [thieving.base, honest.base];
    const client = closedAfterTest(createRegistryClient({ sources, trustAnchor, refreshInterval: 1000 }));
    expect(await codesOf(client.ready())).toEqual(['accepted']);
    expect(client.status().rootKeys).toEqual([nameOf(second)]);
    await expect.poll(() => client.status().errors[thieving.base]?.code).toBe('ERR_ROTATION_NOT_COMMITTED');
  });

  it('does not go back to the key that has two successors when no source shows either any more', async () => {
    const hosts = await Promise.all([
      registryHost(await rotated(timeFromNow(-60), root, second)),
      registryHost(await rotated(timeFromNow(-50), root, thief)),
    ]);
    for (const host of hosts) host.files.delete('issuers.json');
    const client = clientOf(hosts);
    await client.ready().catch(() => undefined);
    for (const host of hosts) host.files = publish(root, [issuer('a')], { updatedAt: timeFromNow(-40) });
    expect(await codesOf(client.refresh())).toEqual(['ERR_ROTATION_FORK', 'ERR_ROTATION_FORK']);
  });

  it('does not go back to a key that a rotation has led to, either', async () => {
    const hosts = await Promise.all([
      registryHost(await rotated(timeFromNow(-60), root, second)),
      registryHost(await rotated(timeFromNow(-60), root, second)),
    ]);
    const client = clientOf(hosts);
    await client.ready();
    const [one, other] = hosts as [RegistryHost, RegistryHost];
    one.files = rotationAlone(await steps(root, second, third));
    other.files = rotationAlone(await steps(root, second, thief));
    await client.refresh().catch(() => undefined);
    for (const host of hosts) host.files = await rotated(timeFromNow(-40), root, second);
    expect(await codesOf(client.refresh())).toEqual(['ERR_ROTATION_FORK', 'ERR_ROTATION_FORK']);
  });

  it('binds the chain of the accepted list at once: a later fork refuses only its source', async () => {
    const good = await registryHost(
      withRotation(
        await withCheckpoint(publish(second, [issuer('a')], { updatedAt: timeFromNow(-60) }), second, online),
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
    expect(await codesOf(client.refresh())).toEqual(['accepted']);
    await expect.poll(() => hanging.log).toContain('statements.json 200');
    expect(await codesOf(client.refresh())).toEqual(['accepted']);
    expect(client.status().rootKeys).toEqual([nameOf(second)]);
    expect(client.status().freshUntil?.getTime()).toBeGreaterThan(Date.now());
  });
});

describe('a step', () => {
  it('that names an odd signer is refused, without what could steer a terminal', async () => {
    const odd = { ...thief, rootKey: { ...thief.rootKey, thumbprint: '\u001b[2J\nOK' } };
    const rotation = [...(await steps(root, second)), await rotationStep(odd, third)];
    const host = await registryHost(withRotation(publish(third, [issuer('a')]), rotation));
    await expect(clientOf([host]).ready()).rejects.toThrow('"\\u001b[2J\\nOK"');
  });
});

describe('a client that has followed a rotation', () => {
  let host: RegistryHost;
  const store = () => memoryStore();

  it('goes on with the others when one source leaves its chain', async () => {
    const forked = await registryHost(await rotated(timeFromNow(-50), root, thief));
    host = await registryHost(await rotated(timeFromNow(-100), root, second));
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
    const host = await registryHost(await rotated(timeFromNow(-60), second, third));
    const rootKey = [root.rootKey.jwk, second.rootKey.jwk];
    const client = clientOf([host], { store, rootKey });
    await client.ready();
    client.close();
    const offline = clientOf([], { sources: ['http://127.0.0.1:9'], store, rootKey });
    await offline.ready();
    expect(offline.status()).toMatchObject({ source: 'store', rootKeys: [nameOf(third)] });
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
  const withCheckpointBy = (by: TestKey, updatedAt: string) =>
    withCheckpoint(publish(by, [issuer('a')], { updatedAt }), by, online);

  it('ends the freshness of the list, and has the sources asked at once', async () => {
    const behind = await registryHost(await withCheckpointBy(root, timeFromNow(-100)));
    const ahead = await registryHost(
      withRotation(await withCheckpointBy(second, timeFromNow(-50)), await steps(root, second)),
    );
    const release = holdingBack(ahead);
    const client = clientOf([behind, ahead], { timeout: 100 });
    // A source that hangs does not delay the first acceptable answer.
    await client.ready();
    expect(client.status().source).toBe(behind.base);
    release();
    await expect.poll(() => client.status().source).toBe(ahead.base);
    expect(client.status().rootKeys).toEqual([nameOf(second)]);
    expect(client.status().errors[behind.base]?.code).toBe('ERR_PUBLICATION_INVALID');
  });

  it('leaves the list its grace and no more, where no source has a list by the new key', async () => {
    let now = Date.now();
    const behind = await registryHost(await withCheckpointBy(root, timeFromNow(-100)));
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

describe('walkRotation', () => {
  it('follows no step from the future, but within the tolerance for clocks', async () => {
    const now = () => 1_800_000_000_000;
    const walk = async (iat: number, options: object = { now }) => {
      const step = await rotationStep(root, second, { iat });
      return codeOf(walkRotation(root.rootKey, [step], options));
    };
    expect(await walk(1_800_000_300)).toBe('accepted');
    expect(await walk(1_800_000_301)).toBe('ERR_NOT_YET_VALID');
    expect(await walk(1_800_000_030, { now, clockTolerance: 30 })).toBe('accepted');
    expect(await walk(1_800_000_031, { now, clockTolerance: 30 })).toBe('ERR_NOT_YET_VALID');
    expect(await walk(Date.UTC(2100, 0) / 1000, {})).toBe('ERR_NOT_YET_VALID');
  });
});
