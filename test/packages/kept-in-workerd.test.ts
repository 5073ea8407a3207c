import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../support/components.js';
import { afterEachTest } from '../support/endings.js';
import { agentKeys, issuerKey, issuerWorld, passportOf, tokenOf } from '../support/passport-world.js';
import { ROOT } from '../support/paths.js';
import { publish, testKey } from '../support/publication.js';
import { registryHost } from '../support/registry-host.js';
import { timeFromNow } from '../support/times.js';

/** A worker that keeps its clients between requests. A path says what a request does. */
const WORKER = `
import { createIssuerLookup, createRegistryClient } from ${JSON.stringify(join(ROOT, 'verifier/build/index.js'))};
import { createPassportVerifier } from ${JSON.stringify(join(ROOT, 'passports/build/index.js'))};
let client, lookup, verifier, asked;
const requests = {
  '/ready': async () => client.ready(),
  '/begin': () => void client.refresh().catch(() => undefined),
  '/refresh': async () => client.refresh(),
  '/decide': async () => client.resolve('alpha').status,
  '/look-up': async () => (await lookup.resolve('alpha')).status,
  '/begin-look-up': () => void lookup.resolve('alpha').catch(() => undefined),
  '/passport': async (token) => \`\${(await verifier.verifyPassport(token)).accepted}\`,
  '/begin-passport': (token) =>
    new Promise((resolve) => {
      asked = resolve;
      verifier.verifyPassport(token);
    }),
};
export default {
  async fetch(request, { source, key, token, issuer, address }) {
    const options = { sources: [source], rootKey: JSON.parse(key), timeout: 2, refreshInterval: 1 };
    client ??= createRegistryClient({ ...options, refreshInterval: 1000 });
    lookup ??= createIssuerLookup(options);
    verifier ??= createPassportVerifier({
      registry: lookup,
      policy: { tiers: ['certified'] },
      audience: 'https://mail.example',
      timeout: 2,
      fetch: (url, init) => {
        asked?.();
        return fetch(String(url).replace(issuer, address), init);
      },
    });
    try {
      return new Response(await requests[new URL(request.url).pathname](token));
    } catch (error) {
      return new Response(error.code);
    }
  },
};`;

describeWith(['wrangler'], 'a client that a worker keeps between requests', () => {
  async function world() {
    const root = await testKey();
    const alpha = await issuerWorld('alpha', await issuerKey(), { tier: 'certified' });
    const host = await registryHost(publish(root, [alpha.record], { updatedAt: timeFromNow(-120) }));
    const newer = publish(root, [{ ...alpha.record, status: 'suspended' }], { updatedAt: timeFromNow(-60) });
    const stdin = { contents: WORKER, resolveDir: ROOT };
    const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false });
    const global = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim();
    const { Miniflare } = createRequire(join(global, 'wrangler/package.json'))('miniflare');
    const worker = new Miniflare({
      modules: true,
      script: outputFiles[0]?.text,
      compatibilityDate: '2025-09-01',
      // It warns of the requests that are lost.
      handleRuntimeStdio: (out: Readable, errors: Readable) => [out.resume(), errors.resume()],
      bindings: {
        source: host.base,
        key: JSON.stringify(root.rootKey.jwk),
        token: await tokenOf(alpha, await passportOf(alpha, await agentKeys())),
        issuer: alpha.url,
        address: alpha.address,
      },
    });
    // Requests that have been lost do not let it end well.
    afterEachTest(() => worker.dispose().catch(() => undefined));
    const answerTo = async (path: string): Promise<string> =>
      (await worker.dispatchFetch(`https://worker.example${path}`)).text();
    /** Sends requests until one is answered so. Who waits for lost work gets no answer. */
    const until = (path: string, answer: string) =>
      vi.waitUntil(async () => (await Promise.race([answerTo(path), setTimeout(1000)])) === answer, {
        timeout: 60_000,
      });
    return { alpha, host, newer, answerTo, until };
  }

  it('refreshes in any of them', async () => {
    const { host, newer, answerTo, until } = await world();
    await until('/ready', '');
    expect([await answerTo('/decide'), await answerTo('/look-up')]).toEqual(['active', 'active']);
    host.files = newer;
    await until('/refresh', '');
    expect(await answerTo('/decide')).toBe('suspended');
    await until('/look-up', 'suspended');
  });

  it('refreshes again after a request that ended before its refresh', async () => {
    const { host, newer, answerTo, until } = await world();
    await until('/ready', '');
    let held = 0;
    host.intercept = () => {
      held += 1;
      return true;
    };
    await Promise.all([answerTo('/begin'), answerTo('/begin-look-up')]);
    await vi.waitUntil(() => held === 2, { timeout: 60_000 });
    host.intercept = () => false;
    host.files = newer;
    await until('/refresh', '');
    expect(await answerTo('/decide')).toBe('suspended');
    await until('/look-up', 'suspended');
  });

  it('asks an issuer again after a request that ended before its answer', async () => {
    const { alpha, answerTo, until } = await world();
    alpha.intercept = () => true;
    await until('/look-up', 'active');
    await answerTo('/begin-passport');
    alpha.intercept = () => false;
    await until('/passport', 'true');
  });
});
