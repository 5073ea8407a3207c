import {
  createIssuerLookup,
  createRegistryClient,
  type RegistryClientOptions,
} from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { codeOf } from '../../support/log-clients.js';
import {
  type Files,
  issuer,
  publish,
  rotationStep,
  testKey,
  withCheckpoint,
  withRotation,
} from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { sha256 } from '../../support/sha256.js';
import { shortenRetries } from '../../support/short-retries.js';
import { proofPaths } from '../../support/sums.js';
import { timeFromNow } from '../../support/times.js';

shortenRetries();

const [root, online, stranger] = await Promise.all([testKey(), testKey(), testKey()]);

const clientOf = (host: RegistryHost, options: Partial<RegistryClientOptions> = {}) =>
  closedAfterTest(
    createRegistryClient({
      sources: [host.base],
      rootKey: root.rootKey.jwk,
      refreshInterval: 1000,
      timeout: 60,
      ...options,
    }),
  );
const lookupOf = (host: RegistryHost) =>
  closedAfterTest(
    createIssuerLookup({ sources: [host.base], rootKey: root.rootKey.jwk, refreshInterval: 1000 }),
  );
const published = async (updatedAt = timeFromNow(-60), key = root, id = 'a') =>
  withCheckpoint(publish(key, [issuer(id)], { updatedAt }), key, online);
const without = (files: Files, path: string): Files => new Map([...files].filter(([name]) => name !== path));
const listPathOf = (files: Files) => `lists/${sha256(files.get('issuers.json') as Buffer)}.json`;

/** The requests since the last call, sorted. */
const asked = ({ log }: RegistryHost) => log.splice(0).sort();
describe('the requests', () => {
  it('of a first load are two, of a refresh one, and of a new list one more', async () => {
    const host = await registryHost(await published());
    const client = clientOf(host);
    await client.ready();
    expect(asked(host)).toEqual(['issuers.json 200', 'statements.json 200']);
    await client.refresh();
    expect(asked(host)).toEqual(['statements.json 304']);
    host.files = await published(timeFromNow(-30), root, 'b');
    await client.refresh();
    expect(asked(host)).toEqual([`${listPathOf(host.files)} 200`, 'statements.json 200']);
  });

  it('of a first load with a rotation are two as well', async () => {
    const step = await rotationStep(root, stranger);
    const host = await registryHost(withRotation(await published(timeFromNow(-60), stranger), [step]));
    await clientOf(host).ready();
    expect(asked(host)).toEqual(['issuers.json 200', 'statements.json 200']);
  });

  it('of a look-up are the statements, the sums and the record', async () => {
    for (const levels of [0, 1]) {
      const host = await registryHost(publish(root, [issuer('a')], { levels }));
      const lookup = lookupOf(host);
      expect((await lookup.resolve('a'))?.issuer_id).toBe('a');
      const proof = proofPaths('a', levels).map((path) => `${path} 200`);
      expect(asked(host)).toEqual([...proof, 'statements.json 200'].sort());
      expect(proof).toHaveLength(levels + 2);
      await lookup.refresh();
      await lookup.resolve('a');
      expect(asked(host)).toEqual(['statements.json 304']);
    }
  });
});

describe('the list', () => {
  it('is asked for past caches, with its hash as the query, where a cache has nothing or an old answer', async () => {
    const files = await published();
    const path = listPathOf(files);
    for (const stale of [undefined, '{"issuers":[]}']) {
      const host = await registryHost(without(files, 'issuers.json'));
      host.intercept = (asked, _request, response) => {
        if (asked !== path) return false;
        response.writeHead(stale === undefined ? 404 : 200).end(stale);
        return true;
      };
      await clientOf(host).ready();
      const status = stale === undefined ? 404 : 200;
      expect(asked(host).filter((line) => line.startsWith('lists/'))).toEqual([
        `${path} ${status}`,
        `${path}?${path.slice('lists/'.length, -'.json'.length)} 200`,
      ]);
    }
  });
});

describe('a source without statements.json', () => {
  it('is asked for the file again at the next refresh, where it was gone for a moment', async () => {
    const files = await published();
    const host = await registryHost(files);
    const client = clientOf(host);
    await client.ready();
    host.files = new Map();
    expect(await codeOf(client.refresh())).toBe('ERR_SOURCE_STATUS');
    expect(client.resolve('a')?.issuer_id).toBe('a');
    host.files = files;
    asked(host);
    await client.refresh();
    const [line = '', ...others] = asked(host);
    expect(line).toMatch(/^statements\.json\?\w+ 200$/);
    expect(others).toEqual([]);
  });

  it('knows the file without the query, if a host does not know it with one', async () => {
    const host = await registryHost(await published());
    const client = clientOf(host);
    await client.ready();
    const { files } = host;
    host.files = new Map();
    await codeOf(client.refresh());
    host.files = files;
    host.intercept = (path, _request, response) => {
      if (!path.includes('?')) return false;
      response.writeHead(404).end();
      return true;
    };
    asked(host);
    await client.refresh();
    expect(asked(host).map((line) => line.replace(/\?\w+/, '?'))).toEqual([
      'statements.json 200',
      'statements.json? 404',
    ]);
  });
});

describe('a request for statements.json', () => {
  it('is not followed by another after the end of a client, whatever fetch does', async () => {
    const host = await registryHost(await published());
    const calls: string[] = [];
    const client = clientOf(host, {
      fetch: (input, init) => {
        calls.push(String(input));
        if (String(input).endsWith('statements.json')) setTimeout(() => client.close(), 5);
        const { signal: _ignored, ...others } = init ?? {};
        return String(input).endsWith('statements.json')
          ? new Promise(() => undefined)
          : fetch(input, others);
      },
    });
    await expect(client.ready()).rejects.toMatchObject({ code: 'ERR_REGISTRY_CLOSED' });
    const before = calls.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(calls.length).toBe(before);
  });
});
