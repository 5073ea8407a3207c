import {
  createIssuerLookup,
  createRegistryClient,
  memoryStore,
  type NoUsableSource,
  type RegistryClientOptions,
} from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import {
  at,
  type Files,
  issuer,
  publish,
  rotationStep,
  type TestKey,
  testKey,
  withCheckpoint,
  withRotation,
  withStatements,
} from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { publishSummed } from '../../support/summed-registry.js';

shortenRetries();

let root: TestKey;
let online: TestKey;
let stranger: TestKey;
beforeAll(async () => {
  [root, online, stranger] = await Promise.all([testKey(), testKey(), testKey()]);
});

const clientOf = (host: RegistryHost, options: Partial<RegistryClientOptions> = {}) =>
  closedAfterTest(
    createRegistryClient({
      sources: [host.base],
      rootKey: root.rootKey.jwk,
      refreshInterval: 1000,
      ...options,
    }),
  );
const published = async (updatedAt = at(-60), key = root) =>
  withCheckpoint(publish(key, [issuer('a')], updatedAt), key, online);
const KIB = 1024;

/** The requests since the last call, sorted. */
const asked = ({ log }: RegistryHost) => log.splice(0).sort();

describe('one file with all statements', () => {
  it('makes a first load of two requests, and a refresh of one', async () => {
    const host = await registryHost(withStatements(await published()));
    const client = clientOf(host);
    await client.ready();
    expect(asked(host)).toEqual(['issuers.json 200', 'statements.json 200']);
    await client.refresh();
    expect(asked(host)).toEqual(['statements.json 304']);
    host.files = withStatements(await published(at(-30)));
    await client.refresh();
    // Without a publication statement, a client cannot follow the changes.
    expect(asked(host)).toEqual([expect.stringMatching(/^lists\//), 'statements.json 200']);
  });

  it('makes a look-up of one request more than its proof has', async () => {
    const host = await registryHost(withStatements(await publishSummed(root, [issuer('a')], { levels: 1 })));
    const lookup = closedAfterTest(
      createIssuerLookup({ sources: [host.base], rootKey: root.rootKey.jwk, refreshInterval: 1000 }),
    );
    expect((await lookup.resolve('a'))?.issuer_id).toBe('a');
    expect(asked(host).filter((line) => !/^(?:sums|issuers)\//.test(line))).toEqual(['statements.json 200']);
  });

  it('brings the rotation, too', async () => {
    const step = await rotationStep(root, stranger);
    const files = withRotation(await published(at(-60), stranger), [step]);
    const host = await registryHost(withStatements(files));
    await clientOf(host).ready();
    expect(asked(host)).toEqual(['issuers.json 200', 'statements.json 200']);
  });

  it('is asked for once where a host does not have it', async () => {
    const host = await registryHost(await published());
    const client = clientOf(host);
    await client.ready();
    expect(asked(host)).toContain('statements.json 404');
    await client.refresh();
    expect(asked(host).filter((line) => line.startsWith('statements'))).toEqual([]);
  });
});

describe('a host that replaces its statements', () => {
  it('is asked for the file again, although the file was gone for a moment', async () => {
    const files = withStatements(await published());
    const host = await registryHost(files);
    const client = clientOf(host);
    await client.ready();
    host.files = new Map([...files].filter(([path]) => path !== 'statements.json'));
    await client.refresh();
    expect(client.status().errors).toEqual({});
    host.files = files;
    asked(host);
    await client.refresh();
    expect(asked(host).map((line) => line.split(' ')[0])).toEqual(['statements.json']);
  });
});

describe('one file with all statements is no authority', () => {
  /** Loads a registry whose single files are good. Returns what the client has accepted. */
  async function load(change: (files: Files) => Files): Promise<string | undefined> {
    const host = await registryHost(change(await published()));
    const client = clientOf(host);
    await client.ready();
    return client.resolve('a')?.issuer_id;
  }
  const raw = (text: string | Uint8Array) => (files: Files) =>
    new Map([...files, ['statements.json', Buffer.from(text)]]) as Files;
  const changed = (changes: Readonly<Record<string, unknown>>) => (files: Files) =>
    withStatements(files, changes);

  it.each<[string, (files: Files) => Files]>([
    ['is empty', raw('')],
    ['is not JSON', raw('{')],
    ['is no object', raw('[]')],
    ['is an object without members', raw('{}')],
    ['has a member twice', raw('{"issuers.sig":"x","issuers.sig":"x"}')],
    ['is not UTF-8', raw(Buffer.from('{"issuers.sig":"\xff"}', 'latin1'))],
    ['has a member that is no text', changed({ 'checkpoint.jwt': 1 })],
    ['has a signature that is none', changed({ 'issuers.sig': 'x' })],
    ['has a rotation that is none', changed({ 'keys/rotation.json': '{' })],
    ['has a member above the limit of its file', changed({ 'checkpoint.jwt': 'x'.repeat(16 * KIB + 1) })],
    ['is larger than 512 KiB', (files) => withStatements(files, { padding: 'x'.repeat(512 * KIB) })],
  ])('the single files decide where it %s', async (_name, change) => {
    expect(await load(change)).toBe('a');
  });

  it.each([
    [64 * KIB, 2],
    [64 * KIB + 1, 6],
  ])('the single files decide where a member has more than its limit: %i bytes', async (length, requests) => {
    const proof = { 'log/publication.tlog-proof': 'x'.repeat(length) };
    const host = await registryHost(withStatements(await published(), proof));
    await clientOf(host).ready();
    expect(asked(host)).toHaveLength(requests);
  });

  it('the single files decide where a member is by another key, or of another list', async () => {
    const foreign = await published(at(-60), stranger);
    const older = await published(at(-600));
    for (const other of [foreign, older]) {
      const of = Object.fromEntries(
        ['issuers.sig', 'publication.jwt', 'checkpoint.jwt'].map((path) => [path, String(other.get(path))]),
      );
      expect(await load(changed(of))).toBe('a');
    }
  });

  it('accepts nothing that the single files would not', async () => {
    const foreign = withStatements(await published(at(-60), stranger));
    const client = clientOf(await registryHost(foreign));
    const error: NoUsableSource = await client.ready().then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(Object.values(error.errors).map(({ code }) => code)).toEqual(['ERR_PUBLICATION_INVALID']);
  });

  it('does not hide a newer publication behind an older one that was accepted before', async () => {
    const [older, newer] = [await published(at(-600)), await published(at(-60))];
    const host = await registryHost(withStatements(newer));
    const store = memoryStore();
    await clientOf(host, { store }).ready();
    // The file is from before, and the rest is not.
    host.files = new Map([
      ...newer,
      ['statements.json', withStatements(older).get('statements.json') as Buffer],
    ]);
    const client = clientOf(host, { store });
    await client.refresh();
    expect(client.status().errors).toEqual({});
    expect(client.resolve('a')?.issuer_id).toBe('a');
  });

  it('passes by members that a later version adds', async () => {
    const host = await registryHost(withStatements(await published(), { 'later.jwt': 'x' }));
    await clientOf(host).ready();
    expect(asked(host)).toEqual(['issuers.json 200', 'statements.json 200']);
  });

  it('may have 512 KiB', async () => {
    const files = await published();
    const size = withStatements(files, { padding: '' }).get('statements.json')?.length ?? 0;
    const full = withStatements(files, { padding: 'x'.repeat(512 * KIB - size) });
    expect(full.get('statements.json')?.length).toBe(512 * KIB);
    const host = await registryHost(full);
    await clientOf(host).ready();
    expect(asked(host)).toEqual(['issuers.json 200', 'statements.json 200']);
  });

  it('does not keep a look-up from a newer proof, if a cache has an older one of it', async () => {
    const [older, newer] = await Promise.all([
      publishSummed(root, [issuer('a')], { levels: 1, updatedAt: at(-600) }),
      publishSummed(root, [issuer('a', { status: 'suspended' })], {
        levels: 1,
        updatedAt: at(-60),
        sequence: 2,
      }),
    ]);
    const old = withStatements(older).get('statements.json') as Buffer;
    const host = await registryHost(new Map([...newer, ['statements.json', old]]));
    const lookup = closedAfterTest(
      createIssuerLookup({ sources: [host.base], rootKey: root.rootKey.jwk, refreshInterval: 1000 }),
    );
    expect((await lookup.resolve('a'))?.status).toBe('suspended');
  });

  it('does not cost a source that never sends it', async () => {
    const host = await registryHost(withStatements(await published()));
    host.intercept = (path) => path === 'statements.json';
    const client = clientOf(host, { timeout: 2 });
    await client.ready();
    await client.refresh();
    expect(client.resolve('a')?.issuer_id).toBe('a');
    expect(client.status().errors).toEqual({});
  });

  it('does not let the list be downloaded twice', async () => {
    const host = await registryHost(withStatements(await published(), { 'issuers.sig': 'x' }));
    await clientOf(host).ready();
    expect(asked(host).filter((line) => line.startsWith('issuers.json'))).toEqual(['issuers.json 200']);
  });

  it('is not followed by a request after the end of a client, whatever fetch does', async () => {
    const host = await registryHost(withStatements(await published()));
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
