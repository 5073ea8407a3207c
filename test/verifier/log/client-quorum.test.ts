import { beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS, logReader, verdictOf } from '../../support/log-clients.js';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { testKey } from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import { type Cosigning, noteSigner } from '../../support/test-log.js';

shortenRetries();

const DAY = 24 * 3600;
const [ACCEPTED, TOO_FEW] = ['accepted', 'ERR_TOO_FEW_COSIGNATURES'];

let registry: LoggedRegistry;
beforeEach(async () => {
  registry = new LoggedRegistry(await testKey());
});

describe.each(CLIENTS)('%s with a quorum', (_name, create) => {
  /** The verdict of a first visitor on a proof with some cosignatures. */
  const verdict = async (cosigned: readonly Cosigning[], options: object = {}) =>
    verdictOf(create, registry, { files: await registry.prove({ cosigned }), ...options });

  it('accepts a list that exactly the quorum has cosigned, and refuses one less', async () => {
    await registry.publish();
    for (const quorum of [1, 2, 3]) {
      const trustAnchor = registry.anchor(quorum);
      expect(await verdict(registry.cosigning(quorum), { trustAnchor })).toBe(ACCEPTED);
      expect(await verdict(registry.cosigning(quorum - 1), { trustAnchor })).toBe(TOO_FEW);
    }
  });

  it('counts a witness once, also under two names and with several cosignatures', async () => {
    await registry.publish();
    const [one, two] = registry.cosigning(2) as [Cosigning, Cosigning];
    const { pair } = one[0];
    const alias = noteSigner('alias.example', 'witness', pair);
    const { now } = registry;
    expect(await verdict([one, [alias, now]])).toBe(TOO_FEW);
    expect(await verdict([one, one, [one[0], now - 1000], [one[0], now + 1000]])).toBe(TOO_FEW);
    expect(await verdict([one, [alias, now], two])).toBe(ACCEPTED);
    const trustAnchor = registry.anchor(2, [one[0], alias]);
    await expect(verdict([one, [alias, now]], { trustAnchor })).rejects.toMatchObject({
      code: 'ERR_TRUST_ANCHOR_INVALID',
    });
  });

  it('ignores cosignatures by unknown keys, by a key of the same name, and by the key of the log', async () => {
    await registry.publish();
    const [one] = registry.cosigning(1) as [Cosigning];
    const { now, log } = registry;
    const others: Cosigning[] = [
      [noteSigner('stranger.example', 'witness'), now],
      [noteSigner('two.example', 'witness'), now],
      [noteSigner(log.origin, 'witness', log.signer.pair), now],
    ];
    expect(await verdict([one, ...others])).toBe(TOO_FEW);
    expect(await verdict([...others, one, ...registry.cosigning(2).slice(1)])).toBe(ACCEPTED);
  });

  it('refuses a cosignature of another head, with another time, and one that was cut', async () => {
    const older = await registry.publish();
    const newer = await registry.publish({ cosigned: registry.cosigning(1) });
    const line = String(older.get('log/checkpoint'))
      .split('\n')
      .find((one) => one.includes('two.example')) as string;
    const bytes = Buffer.from(line.split(' ')[2] as string, 'base64');
    const own = (await registry.log.head({ cosigned: registry.cosigning(2) })).note.signatures[2];
    const valid = Buffer.from([...Buffer.from(own?.keyId ?? '', 'hex'), ...(own?.signature ?? [])]);
    const later = Buffer.from(valid);
    later.writeUInt8(later.readUInt8(11) ^ 1, 11);
    const withLine = (encoded: Buffer) =>
      new Map(newer).set(
        'log/publication.tlog-proof',
        Buffer.from(
          `${newer.get('log/publication.tlog-proof')}\u2014 two.example ${encoded.toString('base64')}\n`,
        ),
      );
    const verdicts = [bytes, later, valid.subarray(0, -1), valid].map((encoded) =>
      verdictOf(create, registry, { files: withLine(encoded) }),
    );
    expect(await Promise.all(verdicts)).toEqual([TOO_FEW, TOO_FEW, TOO_FEW, ACCEPTED]);
  });

  it('counts cosignatures for 30 days, plus the clock tolerance', async () => {
    const files = await registry.publish();
    const signed = registry.now;
    const verdictAt = (now: number, options: object = {}) =>
      verdictOf(create, registry, { files, now, ...options });
    const limit = signed + 30 * DAY * 1000;
    expect(await verdictAt(limit + 300_000)).toBe(ACCEPTED);
    expect(await verdictAt(limit + 300_001)).toBe(TOO_FEW);
    expect(await verdictAt(limit, { clockTolerance: 0 })).toBe(ACCEPTED);
    expect(await verdictAt(limit + 1, { clockTolerance: 0 })).toBe(TOO_FEW);
  });

  it('does not count cosignatures from the future, beyond the clock tolerance', async () => {
    await registry.publish();
    const { now } = registry;
    expect(await verdict(registry.cosigning(2, now + 300_000))).toBe(ACCEPTED);
    expect(await verdict(registry.cosigning(2, now + 301_000))).toBe(TOO_FEW);
    expect(await verdict(registry.cosigning(2, now + 1000), { clockTolerance: 0 })).toBe(TOO_FEW);
    // An older cosignature of the same witness still counts.
    const both = [...registry.cosigning(2, now + 301_000), ...registry.cosigning(2, now)];
    expect(await verdict(both)).toBe(ACCEPTED);
  });

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
