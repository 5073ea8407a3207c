import { gzipSync } from 'node:zlib';
import { createRegistryClient, NoUsableSource } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { issuer, publish, testKey } from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';

shortenRetries();

const root = await testKey();

/** What a fresh client says of a host: the code of the one source's error, or `accepted`. */
async function verdict(host: RegistryHost): Promise<string> {
  const client = createRegistryClient({
    sources: [host.base],
    rootKey: root.rootKey.jwk,
    timeout: 60,
    maxBytes: 100_000,
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

describe('a host', () => {
  it('that breaks off in the middle of the list is told as that', async () => {
    const host = await registryHost(publish(root, [issuer('a')]));
    host.intercept = (path, _request, response) => {
      if (!path.startsWith('lists/')) return false;
      response.writeHead(200, { 'Content-Length': '5000' }).write('{"issuers":[');
      setTimeout(() => response.destroy(), 50);
      return true;
    };
    host.files.delete('issuers.json');
    expect(await verdict(host)).toBe('ERR_SOURCE_TRUNCATED');
  });

  it('may compress; what it sends is bounded as it comes out', async () => {
    const host = await registryHost(publish(root, [issuer('a')]));
    let body = gzipSync(host.files.get('issuers.json') as Buffer);
    host.intercept = (path, _request, response) => {
      if (path !== 'issuers.json' && !path.startsWith('lists/')) return false;
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(body);
      return true;
    };
    expect(await verdict(host)).toBe('accepted');
    body = gzipSync(Buffer.alloc(50_000_000));
    expect(body.length).toBeLessThan(100_000);
    expect(await verdict(host)).toBe('ERR_PUBLICATION_MISMATCH');
  });
});
