import { gzipSync } from 'node:zlib';
import {
  createRegistryClient,
  NoUsableSource,
  type RegistryClientOptions,
  type RegistryErrorCode,
} from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { at, issuer, publish, type TestKey, testKey } from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';

shortenRetries();

let root: TestKey;
beforeAll(async () => {
  root = await testKey();
});

/** What a fresh client says of a host: the code of the one source's error, or `accepted`. */
async function verdict(host: RegistryHost, options: Partial<RegistryClientOptions> = {}): Promise<string> {
  const client = createRegistryClient({
    sources: [host.base],
    rootKey: root.rootKey.jwk,
    timeout: 60,
    maxBytes: 100_000,
    ...options,
  });
  try {
    await client.ready();
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(NoUsableSource);
    // Nothing that failed may be read afterwards.
    expect(() => client.list()).toThrow();
    return (error as NoUsableSource).errors[host.base]?.code ?? '';
  } finally {
    client.close();
  }
}

const moment = at(-60);
const good = () => publish(root, [issuer('a'), issuer('b')], moment);

describe('a host', () => {
  type Manner = RegistryHost['intercept'];
  const isList = (path: string) => path === 'issuers.json' || path.startsWith('lists/');
  const onList =
    (answer: (response: Parameters<Manner>[2]) => void): Manner =>
    (path, _request, response) => {
      if (!isList(path)) return false;
      answer(response);
      return true;
    };
  it.each<[string, RegistryErrorCode, Manner]>([
    [
      'that breaks off in the middle of the list',
      'ERR_SOURCE_TRUNCATED',
      onList((response) => {
        response.writeHead(200, { 'Content-Length': '5000' }).write('{"issuers":[');
        setTimeout(() => response.destroy(), 50);
      }),
    ],
    [
      'that never stops sending',
      'ERR_PUBLICATION_MISMATCH',
      onList((response) => {
        response.writeHead(200);
        const send = () => {
          while (!response.destroyed && response.write('x'.repeat(10_000)));
          if (!response.destroyed) response.once('drain', send);
        };
        send();
      }),
    ],
    [
      'that sends a byte at a time',
      'ERR_SOURCE_TIMEOUT',
      onList((response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'), 50);
        response.once('close', () => clearInterval(timer));
      }),
    ],
    ['that never answers', 'ERR_SOURCE_TIMEOUT', onList(() => undefined)],
  ])('%s: %s', async (_name, code, intercept) => {
    const host = await registryHost(good());
    host.intercept = intercept;
    expect(await verdict(host, code === 'ERR_SOURCE_TIMEOUT' ? { timeout: 1 } : {})).toBe(code);
  });

  it('may compress; what it sends is bounded as it comes out', async () => {
    const host = await registryHost(good());
    let body = gzipSync(host.files.get('issuers.json') as Buffer);
    host.intercept = (path, _request, response) => {
      if (!isList(path)) return false;
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(body);
      return true;
    };
    expect(await verdict(host)).toBe('accepted');
    body = gzipSync(Buffer.alloc(50_000_000));
    expect(body.length).toBeLessThan(100_000);
    expect(await verdict(host)).toBe('ERR_PUBLICATION_MISMATCH');
  });
});
