import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRegistryClient,
  memoryStore,
  OptionsInvalid,
  openRegistry,
  type RegistryClientOptions,
} from '@passport-registry/verifier';
import { fileStore, openRegistry as openPath } from '@passport-registry/verifier/node';
import { describe, expect, it } from 'vitest';
import {
  issuer,
  publish,
  rotationStep,
  testKey,
  withCheckpoint,
  withRotation,
} from '../../support/publication.js';
import { registryHost } from '../../support/registry-host.js';
import { together } from '../../support/statements.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

const root = await testKey();

function thrownBy(options: unknown): OptionsInvalid {
  try {
    createRegistryClient(options as RegistryClientOptions).close();
  } catch (error) {
    if (error instanceof OptionsInvalid) return error;
    throw error;
  }
  throw new Error('the options were accepted');
}

describe('the options of a client are checked at once', () => {
  const sources = ['https://registry.example'];

  it.each<[string, string | undefined, unknown]>([
    ['nothing', undefined, undefined],
    ['a text', undefined, 'https://registry.example'],
    ['an array', undefined, sources],
    ['an empty object', 'sources', {}],
    ['no root key', 'rootKey', { sources }],
  ])('%s', (_name, option, options) => {
    const error = thrownBy(options);
    expect(error.code).toBe('ERR_OPTIONS_INVALID');
    expect(error.option).toBe(option);
    expect(error.message).toMatch(/^createRegistryClient: /);
  });

  it.each<[string, unknown]>([
    ['sources', 'https://registry.example'],
    ['sources', []],
    ['sources', ['registry.example']],
    ['sources', ['ftp://registry.example']],
    ['sources', ['file:///registry']],
    ['sources', [undefined]],
    ['sources', ['https://registry.example/?']],
    ['sources', ['https://registry.example/?a=b']],
    ['sources', ['https://registry.example/#a']],
    ['sources', ['https://someone@registry.example']],
    ['sources', ['https://:hunter2@registry.example']],
    ['sources', ['https://registry.example', 7]],
    ['rootKey', 'key.jwk'],
    ['rootKey', ['key.jwk']],
    ['rootKey', null],
    ...['grace', 'clockTolerance', 'refreshInterval', 'timeout'].flatMap((option) =>
      [-1, Number.NaN, '60', null].map((value): [string, unknown] => [option, value]),
    ),
    ['refreshInterval', 0],
    ['refreshInterval', Number.POSITIVE_INFINITY],
    ['timeout', 0],
    ['maxBytes', 0],
    ['maxBytes', 1.5],
    ['store', 'state.json'],
    ['store', {}],
    ['store', { load: async () => undefined }],
    ['onEvent', 'log'],
    ['fetch', {}],
    ['now', 0],
  ])('%s: %j', (option, value) => {
    const error = thrownBy({ sources, rootKey: root.rootKey.jwk, [option]: value });
    expect(error.option).toBe(option);
    expect(error.message).toMatch(new RegExp(`^createRegistryClient: ${option}: must be `));
    expect(error.message).not.toContain('hunter2');
  });

  it.each([[[]], [{}], [[{}]], [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }], [{ kty: 'RSA' }]])(
    'a root key that is none: %j',
    (rootKey) => {
      const options = { sources, rootKey } as unknown as RegistryClientOptions;
      expect(() => createRegistryClient(options)).toThrow(
        expect.objectContaining({ code: 'ERR_ROOT_KEY_INVALID' }),
      );
    },
  );

  it.each(['source', 'rootkey', 'cache'])('an unknown %s is told, with all that there are', (option) => {
    const error = thrownBy({ sources, rootKey: root.rootKey.jwk, [option]: 1 });
    expect(error.option).toBe(option);
    expect(error.message).toContain('sources, rootKey, trustAnchor, refreshInterval');
  });

  it.each<[string, Partial<RegistryClientOptions>]>([
    ['0 seconds where that makes sense', { grace: 0, clockTolerance: 0 }],
    ['a grace period without end', { grace: Number.POSITIVE_INFINITY }],
    ['a deadline longer than timers go', { timeout: 1e9 }],
    ['members that are undefined', { store: undefined, grace: undefined } as never],
    ['a store', { store: memoryStore() }],
  ])('%s is good', async (_name, options) => {
    const host = await registryHost(
      await withCheckpoint(publish(root, [issuer('a')]), root, await testKey()),
    );
    const client = createRegistryClient({ sources: [host.base], rootKey: root.rootKey.jwk, ...options });
    await client.ready();
    expect(client.status().freshUntil?.getTime()).toBeGreaterThan(0);
    client.close();
  });
});

describe('a copy', () => {
  const options = () => ({ rootKey: root.rootKey.jwk, maxAge: 3600 });

  it.each<[string, unknown]>([
    ['maxAge', undefined],
    ['maxAge', -1],
    ['maxAge', '3600'],
    ['rootKey', undefined],
    ['clockTolerance', Number.NaN],
    ['now', 5],
    ['max_age', 3600],
  ])('is not opened with %s: %j', async (option, value) => {
    const files = { get: async () => undefined };
    await expect(openRegistry(files, { ...options(), [option]: value } as never)).rejects.toMatchObject({
      code: 'ERR_OPTIONS_INVALID',
      option,
    });
  });

  it.each([[undefined], ['bundle.json'], [null], [7], [{ version: 2 }]])(
    'is files or a bundle, not %j',
    async (copy) => {
      await expect(openRegistry(copy as never, options())).rejects.toMatchObject({
        code: 'ERR_BUNDLE_INVALID',
      });
    },
  );

  it('is a folder, or the file that fileStore has written', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'bundle.json');
    const [next, online] = await Promise.all([testKey(), testKey()]);
    const moved = withRotation(publish(next, [issuer('a')]), [await rotationStep(root, next)]);
    const files = await withCheckpoint(moved, next, online);
    const client = createRegistryClient({
      sources: [(await registryHost(files)).base],
      rootKey: root.rootKey.jwk,
      store: fileStore(file),
    });
    await client.ready();
    client.close();
    expect((await openPath(file, options())).resolve('a')?.issuer_id).toBe('a');
    writeFiles(join(folder, 'tree'), Object.fromEntries(together(files)));
    expect((await openPath(join(folder, 'tree'), options())).resolve('a')?.issuer_id).toBe('a');
    writeFileSync(file, 'x');
    await expect(openPath(file, options())).rejects.toMatchObject({ code: 'ERR_BUNDLE_INVALID' });
    await expect(openPath(join(folder, 'nowhere'), options())).rejects.toMatchObject({
      code: 'ERR_SOURCE_STATUS',
    });
    writeFiles(join(folder, 'odd'), { 'statements.json/a': '' });
    await expect(openPath(join(folder, 'odd'), options())).rejects.toMatchObject({
      code: 'ERR_SOURCE_CONTENT',
    });
  });
});
