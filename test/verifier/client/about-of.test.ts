import { aboutOf, createIssuerLookup, createRegistryClient } from '@passport-registry/verifier';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { type Files, issuer, publish, testKey } from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { sha256 } from '../../support/sha256.js';
import '../../support/short-retries.js';

const root = await testKey();

/** A publication in which `a` has a name and `b` has a reason. */
async function named(name = 'Alpha Bank', sequence = 1): Promise<Files> {
  const about = Buffer.from(
    canonicalBytes({ issuers: { a: { name }, b: { status_reason: 'its key leaked' } } }),
  );
  const issuers = [issuer('a'), issuer('b', { status: 'revoked' }), issuer('c')];
  const files = publish(root, issuers, { sequence, claims: { about_sha256: sha256(about) } });
  return new Map(files).set('about.json', about);
}

const without = (files: Files): Files => new Map([...files].filter(([path]) => path !== 'about.json'));
const requests = ({ log }: RegistryHost) => log.filter((path) => path.startsWith('about.json')).length;

const OPENERS = { createRegistryClient, createIssuerLookup } as const;

describe.each(Object.keys(OPENERS) as (keyof typeof OPENERS)[])('aboutOf with %s', (name) => {
  async function opened(...hosts: readonly RegistryHost[]) {
    const options = { sources: hosts.map(({ base }) => base), rootKey: root.rootKey.jwk, timeout: 60 };
    const client = closedAfterTest(OPENERS[name](options));
    await client.ready();
    return client;
  }

  it('has the name and the reason of an issuer, and says when an issuer has none', async () => {
    const client = await opened(await registryHost(await named()));
    expect(await aboutOf(client, 'a')).toEqual({ name: 'Alpha Bank' });
    expect(await aboutOf(client, 'b')).toEqual({ status_reason: 'its key leaked' });
    expect(await aboutOf(client, 'c')).toEqual({});
    expect(await aboutOf(client, '__proto__')).toEqual({});
  });

  it('requests the file when it is first asked for, and once', async () => {
    const host = await registryHost(await named());
    const client = await opened(host);
    expect(requests(host)).toBe(0);
    await Promise.all(['a', 'b', 'c'].map((id) => aboutOf(client, id)));
    await aboutOf(client, 'a');
    await client.refresh();
    await aboutOf(client, 'a');
    expect(requests(host)).toBe(1);
  });

  it('knows that there are none if the statement names no file', async () => {
    const host = await registryHost(publish(root, [issuer('a')]));
    const client = await opened(host);
    expect(await aboutOf(client, 'a')).toEqual({});
    expect(requests(host)).toBe(0);
  });

  it.each<[string, (files: Files) => Files]>([
    ['is missing', without],
    [
      'has another hash',
      (files) => new Map(files).set('about.json', Buffer.from('{"issuers":{"a":{"name":"B"}}}')),
    ],
  ])(
    'does not know the name if the file %s, and asks the next source and again later',
    async (_what, change) => {
      const good = await named();
      const host = await registryHost(change(good));
      const client = await opened(host);
      expect(await aboutOf(client, 'a')).toBeUndefined();
      // Names are for people: the registry is as well as before.
      expect(client.status().errors).toEqual({});
      host.files = good;
      expect(await aboutOf(client, 'a')).toEqual({ name: 'Alpha Bank' });
      const other = await opened(await registryHost(change(good)), await registryHost(good));
      expect(await aboutOf(other, 'a')).toEqual({ name: 'Alpha Bank' });
    },
  );

  it('does not know the name if the root key has signed a text that turns around', async () => {
    const client = await opened(await registryHost(await named('knaB \u202eahplA')));
    expect(await aboutOf(client, 'a')).toBeUndefined();
  });

  it('follows a publication with other names', async () => {
    const host = await registryHost(await named());
    const client = await opened(host);
    expect(await aboutOf(client, 'a')).toEqual({ name: 'Alpha Bank' });
    host.files = await named('Alpha Trust', 2);
    await client.refresh();
    expect(await aboutOf(client, 'a')).toEqual({ name: 'Alpha Trust' });
  });

  it('answers nothing once it is closed', async () => {
    const client = await opened(await registryHost(await named()));
    client.close();
    await expect(aboutOf(client, 'a')).rejects.toMatchObject({ code: 'ERR_REGISTRY_CLOSED' });
  });
});
