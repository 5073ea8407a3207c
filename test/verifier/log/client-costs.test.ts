import { createIssuerLookup, createRegistryClient } from '@passport-registry/verifier';
import { describe, expect, it, vi } from 'vitest';
import { type CreateClient, type LogReader, logReader } from '../../support/log-clients.js';
import { LoggedRegistry, PROOF } from '../../support/logged-registry.js';
import type { NoteSigner } from '../../support/note-keys.js';
import { issuer, testKey } from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import type { Cosigning } from '../../support/test-log.js';

shortenRetries();

/** What a client costs, as a test compares it. */
interface Costs {
  /** The requests, without the files of single issuers. */
  readonly requests: readonly string[];
  /** The number of signatures that the client has verified. */
  readonly verified: number;
}

/** The log of a registry that publishes 27 times a day for ten years. */
const ENTRIES = 100_000;

const registry = new LoggedRegistry(await testKey());
registry.log.appendOther(ENTRIES - 1);
const first = await registry.publish();
registry.log.appendOther(9);
// No record stays, so the client reads the whole list.
const next = await registry.publish({ issuers: [issuer('gamma')] });

async function costsOf({ host }: LogReader, work: () => Promise<unknown>): Promise<Costs> {
  const verify = vi.spyOn(crypto.subtle, 'verify');
  host.log.length = 0;
  expect(await work()).toBe('accepted');
  const verified = verify.mock.calls.length;
  verify.mockRestore();
  return { requests: [...host.log].sort(), verified };
}

describe.each<[string, CreateClient]>([
  ['a client with the list', createRegistryClient],
  ['a look-up of single issuers', createIssuerLookup],
])('%s, with a log of 100,000 entries and two of three witnesses', (_name, create) => {
  it('reads no more files, but a proof of at most 3 kB, and checks one more signature for the log and each counted witness', async () => {
    expect((first.get(PROOF) as Buffer).length).toBeLessThanOrEqual(3000);
    const without = await logReader(create, registry, { trustAnchor: { root: registry.root.rootKey.jwk } });
    const reader = await logReader(create, registry);
    const before = await costsOf(without, () => without.read(first));
    const costs = await costsOf(reader, () => reader.read(first));
    expect(before.verified).toBe(2);
    expect(without.client.status()).toMatchObject({ cosignedBy: [], cosignedAt: undefined });
    expect(costs).toEqual({
      requests: before.requests,
      verified: before.verified + 1 + 2,
    });
  });

  it('checks one signature of a witness that has cosigned several times, and only the newest as many as the quorum', async () => {
    const reader = await logReader(create, registry);
    const { now } = registry;
    const [one, two, three] = registry.witnesses as [NoteSigner, NoteSigner, NoteSigner];
    const times: Cosigning[] = [
      [three, now - 4000],
      [one, now - 1000],
      [two, now - 3000],
      [one, now],
      [one, now - 2000],
    ];
    const files = await registry.prove({ cosigned: times });
    const { verified } = await costsOf(reader, () => reader.read(files));
    expect(verified).toBe(2 + 1 + 2);
    expect(reader.client.status()).toMatchObject({
      cosignedBy: ['one.example', 'two.example'],
      cosignedAt: new Date(now - 3000),
    });
  });

  it('costs a confirmation that nothing has changed', async () => {
    const reader = await logReader(create, registry);
    await reader.read(first);
    const { requests, verified } = await costsOf(reader, () => reader.read(first));
    expect(requests).toEqual(['statements.json 304']);
    expect(verified).toBe(2 + 1 + 2);
  });

  it('reads no tile when the log has grown', async () => {
    const reader = await logReader(create, registry);
    await reader.read(first);
    const { requests } = await costsOf(reader, () => reader.read(next));
    expect(requests).toContain('statements.json 200');
    expect(requests.filter((line) => line.startsWith('log/'))).toEqual([]);
  });

  it('reads two to four tiles of at most 8 KiB without witnesses, and checks only the signature of the log', async () => {
    const reader = await logReader(create, registry, { trustAnchor: registry.anchor() });
    await reader.read(first);
    const { requests, verified } = await costsOf(reader, () => reader.read(next));
    const read = requests.filter((line) => line.startsWith('log/'));
    expect(read).toEqual(['log/tile/0/390.p/170 200', 'log/tile/1/001.p/134 200', 'log/tile/2/000.p/1 200']);
    expect(verified).toBe(2 + 1);
  });
});
