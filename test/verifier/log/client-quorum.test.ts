import { beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS, logReader } from '../../support/log-clients.js';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { testKey } from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import type { Cosigning } from '../../support/test-log.js';

shortenRetries();

const DAY = 24 * 3600;
const [ACCEPTED, TOO_FEW] = ['accepted', 'ERR_TOO_FEW_COSIGNATURES'];

let registry: LoggedRegistry;
beforeEach(async () => {
  registry = new LoggedRegistry(await testKey());
});

describe.each(CLIENTS)('%s with a quorum', (_name, create) => {
  it('is fresh until the oldest cosignature of the quorum is 30 days old', async () => {
    await registry.publish();
    const reader = await logReader(create, registry);
    const { now } = registry;
    const [one, two, three] = registry.witnesses as [Cosigning[0], Cosigning[0], Cosigning[0]];
    const files = await registry.prove({
      cosigned: [
        [one, now - 3_000_000],
        [two, now - 1_000_000],
        [three, now - 2_000_000],
      ],
    });
    expect(await reader.read(files)).toBe(ACCEPTED);
    expect(reader.client.status()).toMatchObject({
      logSize: 1,
      cosignedBy: ['two.example', 'three.example'],
      cosignedAt: new Date(now - 2_000_000),
      freshUntil: new Date(now - 2_000_000 + 30 * DAY * 1000),
    });
  });

  it('keeps its list when witnesses go away, until the limit of age and the grace period', async () => {
    const first = await registry.publish();
    const reader = await logReader(create, registry, { grace: 3600, clockTolerance: 0 });
    expect(await reader.read(first)).toBe(ACCEPTED);
    const { updatedAt } = reader.client;
    const freshUntil = registry.now + 30 * DAY * 1000;
    const second = await registry.publish({ cosigned: registry.cosigning(1) });
    for (const now of [registry.now, freshUntil, freshUntil + 3_600_000]) {
      reader.now = now;
      expect(await reader.read(second)).toBe(TOO_FEW);
      expect(reader.client.updatedAt).toBe(updatedAt);
      expect(reader.client.status()).toMatchObject({ logSize: 1, freshUntil: new Date(freshUntil) });
    }
    reader.now = freshUntil + 3_600_001;
    expect(() => reader.client.updatedAt).toThrow(expect.objectContaining({ code: 'ERR_REGISTRY_STALE' }));
    const third = await registry.publish({ cosigned: registry.cosigning(2) });
    reader.now = undefined;
    expect(await reader.read(third)).toBe(ACCEPTED);
    expect(reader.client.updatedAt > updatedAt).toBe(true);
  });

  it('stays fresh as witnesses cosign an unchanged head anew, and is not aged by a source with old cosignatures', async () => {
    const reader = await logReader(create, registry);
    const old = await registry.publish();
    const { now } = registry;
    registry.now += DAY * 1000;
    const renewed = await registry.prove({ cosigned: registry.cosigning(2) });
    expect(await reader.read(renewed)).toBe(ACCEPTED);
    const status = reader.client.status();
    expect(status.cosignedAt).toEqual(new Date(now + DAY * 1000));
    expect(await reader.read(old)).toBe(ACCEPTED);
    expect(reader.client.status()).toMatchObject({
      cosignedAt: status.cosignedAt,
      freshUntil: status.freshUntil,
    });
  });

  it('says which witnesses have cosigned if they are too few', async () => {
    const reader = await logReader(create, registry);
    await reader.read(await registry.publish({ cosigned: registry.cosigning(1) }));
    expect(reader.client.status().errors[reader.host.base]).toMatchObject({
      code: 'ERR_TOO_FEW_COSIGNATURES',
      message: expect.stringMatching(/: one\.example$/),
    });
  });
});
