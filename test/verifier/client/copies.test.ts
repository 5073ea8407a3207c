import { openRegistry } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { checkpoint, type Files, issuer, publish, testKey } from '../../support/publication.js';
import { copyIn } from '../../support/sources.js';
import { timeFromNow } from '../../support/times.js';

const LISTED = Math.floor(Date.now() / 1000 - 24 * 3600) * 1000;
/** Seconds. */
const [AGE, TOLERANCE] = [3600, 20];
/** The last instant at which a copy is not too old. */
const LAST = LISTED + (AGE + TOLERANCE) * 1000;

const TIMES = { iat: LISTED / 1000, exp: LISTED / 1000 + 24 * 3600 };

/** Opens a copy at some time. Returns `accepted`, or a code. */
function open(files: Files, trust: object, now: number): Promise<string> {
  const options = { ...trust, maxAge: AGE, clockTolerance: TOLERANCE, now: () => now };
  return openRegistry(copyIn(files), options as never).then(
    () => 'accepted',
    ({ code }) => code,
  );
}

describe('the maximum age of a copy', () => {
  it('counts from its checkpoint, to the millisecond', async () => {
    const root = await testKey();
    const files = publish(root, [issuer('alpha')], { updatedAt: timeFromNow(-20 * 24 * 3600) });
    files.set('checkpoint.jwt', Buffer.from(await checkpoint(files, root, TIMES)));
    const trust = { rootKey: root.rootKey.jwk };
    expect(await open(files, trust, LAST)).toBe('accepted');
    expect(await open(files, trust, LAST + 1)).toBe('ERR_LIST_EXPIRED');
  });

  it('counts from the oldest cosignature of the quorum, to the millisecond', async () => {
    const world = new LoggedRegistry(await testKey());
    world.now = LISTED;
    world.cosignedAt = LISTED - 1000;
    await world.publish();
    const trust = { trustAnchor: world.anchor(2) };
    expect(await open(world.files, trust, LAST - 1000)).toBe('accepted');
    expect(await open(world.files, trust, LAST - 999)).toBe('ERR_LIST_EXPIRED');
  });
});

describe('a copy without a network', () => {
  const DAY = 24 * 3600;

  it('passes the same checks, within an explicit age', async () => {
    const [root, other] = [await testKey(), await testKey()];
    const copy = copyIn(publish(root, [issuer('a')], { updatedAt: timeFromNow(-3 * DAY) }));
    const codeOf = (options: object) =>
      openRegistry(copy, { rootKey: root.rootKey.jwk, ...options } as never).then(
        (registry) => registry.resolve('a')?.issuer_id,
        ({ code }) => code,
      );
    expect(await codeOf({ maxAge: 4 * DAY })).toBe('a');
    expect(await codeOf({ maxAge: 2 * DAY })).toBe('ERR_LIST_EXPIRED');
    expect(await codeOf({ maxAge: 4 * DAY, rootKey: other.rootKey.jwk })).toBe('ERR_PUBLICATION_INVALID');
    expect(await codeOf({})).toBe('ERR_OPTIONS_INVALID');
  });

  it('grows old while it is in use', async () => {
    const root = await testKey();
    let now = Date.now();
    const copy = copyIn(publish(root, [issuer('a')]));
    const registry = await openRegistry(copy, { rootKey: root.rootKey.jwk, maxAge: DAY, now: () => now });
    now += 2 * DAY * 1000;
    expect(() => registry.decide('a', { tiers: ['certified'] })).toThrow(
      expect.objectContaining({ code: 'ERR_REGISTRY_STALE' }),
    );
  });
});
