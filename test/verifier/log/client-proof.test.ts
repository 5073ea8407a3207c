import { beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS, logReader } from '../../support/log-clients.js';
import { altered, LoggedRegistry, PROOF } from '../../support/logged-registry.js';
import { testKey } from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';

shortenRetries();

let registry: LoggedRegistry;
beforeEach(async () => {
  registry = new LoggedRegistry(await testKey());
});

describe.each(CLIENTS)('%s', (_name, create) => {
  it('does not read the log if the trust anchor does not name it', async () => {
    const files = altered(await registry.publish(), PROOF, undefined);
    const trustAnchor = { root: registry.root.rootKey.jwk };
    const reader = await logReader(create, registry, { trustAnchor });
    expect(await reader.read(files)).toBe('accepted');
    expect(reader.host.log.filter((line) => line.startsWith('log/'))).toEqual([]);
    expect(reader.client.status()).toMatchObject({ cosignedBy: [] });
    expect([reader.client.status().logSize, reader.client.status().cosignedAt]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
