import {
  createIssuerLookup,
  type IssuerLookup,
  type IssuerLookupOptions,
  type RegistryEvent,
} from '@passport-registry/verifier';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { altered } from '../../support/altered.js';
import { closedAfterTest } from '../../support/clients.js';
import { type Files, issuer, publish, testKey } from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { sha256 } from '../../support/sha256.js';
import { shortenRetries } from '../../support/short-retries.js';
import { together } from '../../support/statements.js';
import { placeOf, proofPaths } from '../../support/sums.js';
import { timeFromNow } from '../../support/times.js';

shortenRetries();

const root = await testKey();

function lookupOf(hosts: readonly RegistryHost[], options: Partial<IssuerLookupOptions> = {}): IssuerLookup {
  const sources = hosts.map(({ base }) => base);
  const { jwk } = root.rootKey;
  return closedAfterTest(createIssuerLookup({ sources, rootKey: jwk, timeout: 60, ...options }));
}

const IDS = Array.from({ length: 40 }, (_one, index) => `issuer-${index}`);
const issuers = (revoked?: string) =>
  IDS.map((id) => issuer(id, { status: id === revoked ? 'revoked' : 'active' }));
const ID = 'issuer-1';
/** A second issuer in another leaf, whatever the number of levels. */
const OTHER = IDS.find((id) => placeOf(id)[0] !== placeOf(ID)[0]) as string;

describe('caches and publications', () => {
  it.each(['cold', 'with the statement before'])(
    'a cache that keeps old statements is passed by: a look-up, %s',
    async (kind) => {
      const older = publish(root, issuers(), { levels: 1, updatedAt: timeFromNow(-90) });
      const newer = publish(root, issuers(ID), { levels: 1 });
      const host = await registryHost(older);
      const lookup = lookupOf([host]);
      if (kind !== 'cold') await lookup.resolve(OTHER);
      host.files = newer;
      host.intercept = (path, _request, response) => {
        if (path !== 'statements.json') return false;
        response.writeHead(200).end(together(older).get(path));
        return true;
      };
      host.log.length = 0;
      expect((await lookup.resolve(ID))?.status).toBe('revoked');
      const statements = host.log.filter((line) => line.startsWith('statements.json'));
      expect(statements.filter((line) => line.startsWith('statements.json?'))).toHaveLength(1);
    },
  );

  it('a file that stays wrong is requested twice more, and no more', async () => {
    const host = await registryHost(publish(root, issuers(), { levels: 1 }));
    const [, leaf = ''] = proofPaths(ID, 1);
    const expected = sha256(host.files.get(leaf) as Buffer);
    host.intercept = (path, _request, response) => {
      if (!path.startsWith(leaf)) return false;
      response.writeHead(200).end('old');
      return true;
    };
    await expect(lookupOf([host]).resolve(ID)).rejects.toMatchObject({
      errors: { [host.base]: { code: 'ERR_SUMS_MISMATCH' } },
    });
    expect(host.log.filter((line) => line.startsWith(leaf))).toEqual([
      `${leaf} 200`,
      `${leaf}?${expected} 200`,
      `${leaf}?${expected} 200`,
    ]);
  });

  it('a publication between two look-ups is noticed by its files, and its statement is fetched', async () => {
    const host = await registryHost(publish(root, issuers(), { levels: 1, updatedAt: timeFromNow(-90) }));
    const lookup = lookupOf([host]);
    await lookup.resolve(OTHER);
    host.files = publish(root, issuers(ID), { levels: 1 });
    expect((await lookup.resolve(ID))?.status).toBe('revoked');
  });
});

describe('mirrors', () => {
  /** The test decides what time passes for a client, so it does not matter how long this machine takes. */
  function stopClock(): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
  }
  /** Waits until a host is asked for some file. */
  const whenAsked = (host: RegistryHost, isWanted: (path: string) => boolean) =>
    new Promise<void>((resolve) => {
      const { intercept } = host;
      host.intercept = (path, ...request) => {
        if (isWanted(path)) resolve();
        return intercept(path, ...request);
      };
    });
  const mirrors = async (count: number, files: Files) =>
    Promise.all(Array.from({ length: count }, () => registryHost(files)));

  it('that mix two publications are left for one that does not', async () => {
    const older = publish(root, issuers(), { levels: 1, updatedAt: timeFromNow(-90) });
    const newer = publish(root, issuers(ID), { levels: 1 });
    const [mixed, good] = (await mirrors(2, newer)) as [RegistryHost, RegistryHost];
    mixed.files = altered(newer, `issuers/${ID}`, older.get(`issuers/${ID}`));
    const events: RegistryEvent[] = [];
    const lookup = lookupOf([mixed, good], { onEvent: (event) => events.push(event) });
    expect((await lookup.resolve(ID))?.status).toBe('revoked');
    expect(lookup.status().errors[mixed.base]?.code).toBe('ERR_SUMS_MISMATCH');
    expect(events).toContainEqual(expect.objectContaining({ type: 'source-failed', source: mixed.base }));
  });

  it('may deliver the proof for the statement of another', async () => {
    const files = publish(root, issuers(), { levels: 1 });
    const [first, second] = (await mirrors(2, files)) as [RegistryHost, RegistryHost];
    first.files = new Map([...files].filter(([path]) => !/^(?:sums|issuers)\//.test(path)));
    second.files = new Map([...files].filter(([path]) => /^(?:sums|issuers)\//.test(path)));
    const lookup = lookupOf([first, second]);
    expect((await lookup.resolve(ID))?.issuer_id).toBe(ID);
    expect(lookup.status().source).toBe(first.base);
  });

  it('that hang, drip or fail are left after a third of the deadline', async () => {
    const files = publish(root, issuers(), { levels: 1 });
    const [hanging, dripping, failing, good] = (await mirrors(4, files)) as RegistryHost[];
    const isProof = (path: string) => /^(?:sums|issuers)\//.test(path);
    (hanging as RegistryHost).intercept = isProof;
    (failing as RegistryHost).intercept = (path, _request, response) => {
      if (isProof(path)) response.writeHead(500).end();
      return isProof(path);
    };
    (dripping as RegistryHost).intercept = (path, _request, response) => {
      if (!isProof(path)) return false;
      response.writeHead(200);
      const timer = setInterval(() => response.write('0'), 50);
      response.once('close', () => clearInterval(timer));
      return true;
    };
    const hosts = [hanging, dripping, failing, good] as RegistryHost[];
    stopClock();
    const slow = [hanging, dripping] as RegistryHost[];
    const asked = slow.map((host) => whenAsked(host, isProof));
    const lookup = lookupOf(hosts, { timeout: 3 });
    const record = lookup.resolve(ID);
    for (const [at, host] of slow.entries()) {
      await asked[at];
      expect(lookup.status().errors[host.base]).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    // No more time passes for the client, so the others have not waited for more than a third each.
    expect((await record)?.issuer_id).toBe(ID);
    expect(lookup.status().errors[(hanging as RegistryHost).base]?.code).toBe('ERR_SOURCE_TIMEOUT');
  });

  it('that never answer one request keep nobody from the file, however many look-ups wait for it', async () => {
    const host = await registryHost(publish(root, issuers(), { levels: 1 }));
    let requests = 0;
    // Only the first request hangs.
    host.intercept = (path) => path === 'sums/root' && ++requests === 1;
    stopClock();
    const lookup = lookupOf([host], { timeout: 3 });
    await lookup.ready();
    const waiting = [lookup.resolve(ID)];
    await vi.waitFor(() => expect(requests).toBe(1));
    await vi.advanceTimersByTimeAsync(900);
    waiting.push(lookup.resolve(ID));
    await vi.advanceTimersByTimeAsync(100);
    // The request is slow now. The look-up that has joined it waits on, and another joins it no more.
    expect((await lookup.resolve(ID))?.issuer_id).toBe(ID);
    expect(requests).toBe(2);
    const settled = Promise.allSettled(waiting);
    await vi.advanceTimersByTimeAsync(3_000);
    await settled;
  });

  it('that all hang end at the deadline', async () => {
    const host = await registryHost(publish(root, issuers(), { levels: 1 }));
    host.intercept = (path) => path.startsWith('sums/');
    await expect(lookupOf([host], { timeout: 0.5 }).resolve(ID)).rejects.toMatchObject({
      errors: { [host.base]: { code: 'ERR_SOURCE_TIMEOUT' } },
    });
  });
});
