import { beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS, codeOf, logReader } from '../../support/log-clients.js';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { testKey } from '../../support/publication.js';
import { DOWN, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';

shortenRetries();

const ACCEPTED = 'accepted';

let registry: LoggedRegistry;
beforeEach(async () => {
  registry = new LoggedRegistry(await testKey());
});

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

  it('keeps to the first of two sources whose logs differ', async () => {
    await registry.publish();
    const fork = registry.fork();
    const own = await registryHost(await registry.publish());
    fork.log.appendOther(4);
    Object.assign(fork, { sequence: registry.sequence, now: registry.now });
    const other = await registryHost(await fork.publish());
    const sources = [own.base, other.base];
    const { client } = await logReader(create, registry, { trustAnchor: registry.anchor(), sources });
    await client.ready();
    own.intercept = DOWN;
    expect(await codeOf(client.refresh())).not.toBe(ACCEPTED);
    expect(client.status()).toMatchObject({
      logSize: 2,
      source: own.base,
      errors: { [other.base]: { code: 'ERR_LOG_INCONSISTENT' } },
    });
  });
});
