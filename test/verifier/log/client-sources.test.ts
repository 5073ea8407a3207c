import type { AnchoredLookupOptions } from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { CLIENTS, type CreateClient, codeOf, logReader } from '../../support/log-clients.js';
import { LoggedRegistry, PROOF } from '../../support/logged-registry.js';
import { type Files, testKey } from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';

shortenRetries();

const ACCEPTED = 'accepted';

let registry: LoggedRegistry;
beforeEach(async () => {
  registry = new LoggedRegistry(await testKey());
});

/** Creates a client of several hosts. */
function clientOf(create: CreateClient, hosts: readonly RegistryHost[], options: object = {}) {
  const sources = hosts.map(({ base }) => base);
  const client = create({
    ...{ trustAnchor: registry.anchor(2), sources, refreshInterval: 1e6, timeout: 60 },
    now: () => registry.now,
    ...options,
  } as AnchoredLookupOptions);
  return closedAfterTest(client);
}

const down: RegistryHost['intercept'] = (_path, _request, response) => {
  response.writeHead(503).end();
  return true;
};

describe.each(CLIENTS)('%s', (_name, create) => {
  it.each([
    ['the statement', 'publication.jwt'],
    ['the proof', PROOF],
  ])('reads a source again if %s is still that of the publication before', async (_what, path) => {
    const older = await registry.publish();
    const reader = await logReader(create, registry);
    await reader.read(older);
    let isOld = true;
    reader.host.intercept = (asked, _request, response) => {
      if (!isOld || !asked.startsWith(path)) return false;
      isOld = false;
      response.end(older.get(path));
      return true;
    };
    expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
    expect([isOld, reader.client.status().logSize]).toEqual([false, 2]);
    expect(reader.events.filter(({ type }) => type === 'source-failed')).toEqual([]);
  });

  it('bypasses a cache that keeps an old proof', async () => {
    const reader = await logReader(create, registry);
    await reader.read(await registry.publish());
    let cached = registry.files.get(PROOF);
    reader.host.intercept = (asked, _request, response) => {
      const isCached = asked === PROOF && cached !== undefined;
      if (isCached) response.end(cached);
      return isCached;
    };
    // The cached proof is of another publication.
    expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
    const smaller = registry.files.get(PROOF);
    cached = undefined;
    expect(await reader.read(await registry.logNote())).toBe(ACCEPTED);
    // The cached proof is of the same publication, in a smaller log.
    cached = smaller;
    expect(await reader.read(registry.files)).toBe(ACCEPTED);
    expect(reader.client.status().logSize).toBe(3);
    expect(reader.events.filter(({ type }) => type === 'source-failed')).toEqual([]);
  });

  it('asks another source if one serves a publication that is not logged', async () => {
    const files = await registry.publish();
    const bare = new Map([...files].filter(([path]) => !path.startsWith('log/')));
    const hosts = [await registryHost(bare), await registryHost(files)] as const;
    const client = clientOf(create, hosts);
    await client.ready();
    expect(client.status()).toMatchObject({
      source: hosts[1].base,
      errors: { [hosts[0].base]: { code: 'ERR_NOT_LOGGED' } },
    });
  });

  it.each([
    ['with a quorum', 2],
    ['without witnesses', undefined],
  ])('%s, does not go back to a source that lags', async (_quorum, quorum) => {
    const first = await registry.publish();
    const noted = await registry.logNote();
    const hosts = [await registryHost(noted), await registryHost(first)] as const;
    const client = clientOf(create, hosts, { trustAnchor: registry.anchor(quorum) });
    await client.ready();
    const [origin, mirror] = hosts;
    origin.intercept = down;
    // The same publication, in an older head of the log.
    const refusals = async () => {
      expect(await codeOf(client.refresh())).toBe('ERR_SOURCE_STATUS');
      return client.status().errors[mirror.base]?.code;
    };
    expect(await refusals()).toBe('ERR_LOG_INCONSISTENT');
    mirror.files = noted;
    expect(await codeOf(client.refresh())).toBe(ACCEPTED);
    origin.intercept = () => false;
    origin.files = await registry.publish();
    expect(await codeOf(client.refresh())).toBe(ACCEPTED);
    origin.intercept = down;
    expect(await refusals()).toBe('ERR_LIST_ROLLED_BACK');
    expect(client.status()).toMatchObject({ logSize: 3, source: origin.base });
  });

  describe('two sources whose logs differ', () => {
    let [honest, lying] = [new Map(), new Map()] as [Files, Files];
    beforeEach(async () => {
      await registry.publish();
      const fork = registry.fork();
      honest = await registry.publish({ cosigned: registry.cosigning(2) });
      fork.log.appendOther(4);
      fork.sequence += 1;
      fork.now += 60_000;
      // One witness is in concert with the liar.
      lying = await fork.publish({ cosigned: fork.cosigning(3).slice(2) });
    });

    it.each([0, 1])(
      'with a quorum, uses the one that as many witnesses have cosigned: source %d',
      async (at) => {
        const own = await registryHost(honest);
        const other = await registryHost(lying);
        const client = clientOf(create, at === 0 ? [own, other] : [other, own]);
        await client.ready();
        own.intercept = down;
        expect(await codeOf(client.refresh())).not.toBe(ACCEPTED);
        expect(client.status()).toMatchObject({
          ...{ logSize: 2, source: own.base },
          errors: { [other.base]: { code: 'ERR_TOO_FEW_COSIGNATURES' } },
        });
      },
    );

    it.each([
      ['honest', 'ERR_LOG_INCONSISTENT'],
      ['lying', 'ERR_LIST_ROLLED_BACK'],
    ])('without witnesses, keeps to the one that it has seen first: the %s one', async (first, code) => {
      const [own, other] = [await registryHost(), await registryHost()];
      const client = clientOf(create, [own, other], { trustAnchor: registry.anchor() });
      [own.files, other.files] = first === 'honest' ? [honest, lying] : [lying, honest];
      await client.ready();
      const { logSize } = client.status();
      own.intercept = down;
      expect(await codeOf(client.refresh())).not.toBe(ACCEPTED);
      expect(client.status()).toMatchObject({
        ...{ logSize, source: own.base },
        errors: { [other.base]: { code } },
      });
    });
  });
});
