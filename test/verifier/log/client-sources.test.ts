import type { AnchoredLookupOptions } from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { CLIENTS, type CreateClient, codeOf, logReader } from '../../support/log-clients.js';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { type Files, testKey } from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { together } from '../../support/statements.js';

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
  it('reads a source again, past caches, if its tiles are still those of the publication before', async () => {
    const reader = await logReader(create, registry, { trustAnchor: registry.anchor() });
    registry.log.appendOther(2);
    await reader.read(await registry.publish());
    const asked: string[] = [];
    reader.host.intercept = (path, _request, response) => {
      asked.push(path);
      const isOld = path.startsWith('log/tile/') && !asked.some((one) => one.startsWith('statements.json?'));
      if (isOld) response.writeHead(404).end();
      return isOld;
    };
    expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
    expect(asked.filter((path) => path.startsWith('statements.json?'))).toHaveLength(1);
    expect(reader.client.status().logSize).toBe(4);
    expect(reader.events.filter(({ type }) => type === 'source-failed')).toEqual([]);
  });

  it('goes on with a cache that keeps the statements of before: they belong together', async () => {
    const reader = await logReader(create, registry);
    const older = await registry.publish();
    await reader.read(older);
    const cached = together(older).get('statements.json');
    reader.host.intercept = (path, _request, response) => {
      if (path !== 'statements.json') return false;
      response.end(cached);
      return true;
    };
    expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
    expect(reader.client.status().logSize).toBe(1);
    reader.host.intercept = () => false;
    expect(await reader.read(registry.files)).toBe(ACCEPTED);
    expect(reader.client.status().logSize).toBe(2);
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
    const second = await registry.publish();
    const hosts = [await registryHost(second), await registryHost(first)] as const;
    const client = clientOf(create, hosts, { trustAnchor: registry.anchor(quorum) });
    await client.ready();
    const [origin, mirror] = hosts;
    origin.intercept = down;
    const refusals = async () => {
      expect(await codeOf(client.refresh())).toBe('ERR_SOURCE_STATUS');
      return client.status().errors[mirror.base]?.code;
    };
    expect(await refusals()).toBe('ERR_PUBLICATION_ROLLED_BACK');
    mirror.files = second;
    expect(await codeOf(client.refresh())).toBe(ACCEPTED);
    origin.intercept = () => false;
    origin.files = await registry.publish();
    expect(await codeOf(client.refresh())).toBe(ACCEPTED);
    origin.intercept = down;
    expect(await refusals()).toBe('ERR_PUBLICATION_ROLLED_BACK');
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
      ['lying', 'ERR_PUBLICATION_ROLLED_BACK'],
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
