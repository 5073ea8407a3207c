import {
  createIssuerLookup,
  createRegistryClient,
  type NoUsableSource,
  openRegistry,
} from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { type Files, issuer, testKey } from '../../support/publication.js';
import { registryHost } from '../../support/registry-host.js';
import { publishSummed } from '../../support/summed-registry.js';

const LISTED = Date.parse('2026-03-01T10:00:00Z');
/** Seconds. */
const [AGE, TOLERANCE] = [3600, 20];
/** The last instant at which a list is not too old. */
const LAST = LISTED + (AGE + TOLERANCE) * 1000;

/** Reads a registry at some time. Returns `accepted`, or a code. */
type Read = (files: Files, trust: object, now: number) => Promise<string>;

const optionsAt = (now: number) => ({ maxAge: AGE, clockTolerance: TOLERANCE, now: () => now });
const codeOf = (error: NoUsableSource) => Object.values(error.errors ?? {})[0]?.code ?? error.code;
const READERS: Record<string, Read> = {
  'a client': async (files, trust, now) => {
    const sources = [(await registryHost(files)).base];
    const client = closedAfterTest(
      createRegistryClient({ sources, ...trust, ...optionsAt(now), requireCheckpoint: false } as never),
    );
    return client.ready().then(() => 'accepted', codeOf);
  },
  'a look-up': async (files, trust, now) => {
    const sources = [(await registryHost(files)).base];
    const lookup = closedAfterTest(createIssuerLookup({ sources, ...trust, ...optionsAt(now) } as never));
    return lookup.resolve('alpha').then(() => 'accepted', codeOf);
  },
  'an open copy': (files, trust, now) =>
    openRegistry({ get: async (path) => files.get(path) }, { ...trust, ...optionsAt(now) } as never).then(
      () => 'accepted',
      codeOf,
    ),
};

describe.each(Object.entries(READERS))('the maximum age, in %s', (_name, read) => {
  it('counts from the date of a list without a checkpoint, to the millisecond', async () => {
    const root = await testKey();
    const files = await publishSummed(root, [issuer('alpha')], { updatedAt: '2026-03-01T10:00:00Z' });
    const trust = { rootKey: root.rootKey.jwk };
    expect(await read(files, trust, LAST)).toBe('accepted');
    expect(await read(files, trust, LAST + 1)).toBe('ERR_LIST_EXPIRED');
  });

  it('counts from the oldest cosignature of the quorum, to the millisecond', async () => {
    const world = new LoggedRegistry(await testKey());
    world.now = LISTED;
    world.cosignedAt = LISTED - 1000;
    await world.publish();
    const trust = { trustAnchor: world.anchor(2) };
    expect(await read(world.files, trust, LAST - 1000)).toBe('accepted');
    expect(await read(world.files, trust, LAST - 999)).toMatch(/^ERR_(TOO_FEW_COSIGNATURES|LIST_EXPIRED)$/);
  });
});
