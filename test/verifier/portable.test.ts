import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { describeInChromium, open } from '../support/browser.js';
import { importsOf, minifiedBundle, verifierBundle } from '../support/bundle.js';
import { PACKAGES } from '../support/packed.js';
import { ROOT } from '../support/paths.js';
import { issuer, publish, testKey, withCheckpoint } from '../support/publication.js';
import { registryHost } from '../support/registry-host.js';
import { testSandbox } from '../support/sandbox.js';
import { listen } from '../support/serving.js';

const PLAYGROUND = issuer('playground', {
  discovery_uri: 'https://playground.example/.well-known/openid-configuration',
  jwks_uri: 'https://playground.example/.well-known/jwks.json',
});

const root = await testKey();

describe('the verifier runs wherever there is fetch and WebCrypto', () => {
  it('imports one package, and nothing else', () => {
    expect(importsOf('verifier')).toEqual(['@noble/hashes/sha2.js']);
  });

  it('lists in its package what it imports and what it publishes', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'verifier', 'package.json'), 'utf8'));
    expect(Object.keys(manifest.dependencies)).toEqual(['@noble/hashes']);
    expect(Object.keys(manifest.exports)).toEqual([
      ...['.', './core', './printable', './http', './node', './package.json'],
    ]);
  });

  it.each([
    // Without the code that reads whole lists.
    [
      'createIssuerLookup',
      26_200,
      /\/list\/(?:list|canonical)\.js|\/publication\/(?:publication|follow-changes)\.js/,
    ],
    ['createRegistryClient', 28_500, /\/sums\/proof\.js/],
    // Without the code that asks sources, or that changes a list.
    [
      'openRegistry',
      19_300,
      /\/client\/machine\.js|\/http\/|\/sums\/sums-tree\.js|\/publication\/(?:follow|rebuild)-/,
    ],
  ])('bundles %s without what it does not need, in at most %i bytes', async (name, maxBytes, unneeded) => {
    const { script, modules } = await minifiedBundle(PACKAGES.verifier, name);
    const others = /node_modules\/jose\/|^passports\/|\/audit\//;
    expect(modules.length).toBeGreaterThan(30);
    expect(modules.filter((path) => unneeded.test(path) || others.test(path))).toEqual([]);
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(maxBytes);
  });

  it.each(['index.js', 'core/index.js', 'http/index.js'])(
    'is free of Node.js in the bundle of %s',
    async (entry) => {
      const bundle = await verifierBundle(`verifier/build/${entry}`);
      expect(bundle).not.toMatch(/node:|\brequire\(|\bprocess\.|\bBuffer\b|\b__dirname\b|\bsetImmediate\b/);
      expect(bundle).not.toMatch(/^import /m);
    },
  );

  it('verifies in a context that has fetch and WebCrypto and little else, as edge runtimes are', async () => {
    const host = await registryHost(
      await withCheckpoint(publish(root, [issuer('a'), PLAYGROUND]), root, await testKey('p256')),
    );
    const context = createContext({
      fetch,
      crypto,
      AbortController,
      AbortSignal,
      TextEncoder,
      TextDecoder,
      URL,
      Headers,
      setTimeout,
      clearTimeout,
      CryptoKey,
      structuredClone,
      atob,
      btoa,
      Uint8Array,
      ArrayBuffer,
      Date,
      Request,
      Response,
    });
    runInContext(await verifierBundle(), context);
    const { address } = await testSandbox();
    Object.assign(context, {
      options: { sources: [host.base], rootKey: root.rootKey.jwk },
      hosts: { 'https://playground.example': address },
    });
    expect(await runInContext(`(${PASSPORT_FLOW})(verifier, options, hosts)`, context)).toBe(
      'verified,action-replayed',
    );
    const program = `(async () => {
      const registry = verifier.createRegistryClient(options);
      await registry.ready();
      const { accepted } = registry.decide('a', { tiers: ['certified'] });
      registry.close();
      return [accepted, registry.status().treeSha256 !== undefined, typeof process, typeof Buffer].join();
    })()`;
    expect(await runInContext(program, context)).toBe('true,true,undefined,undefined');
  });
});

describeInChromium('the verifier in Chromium', () => {
  it.each(['ed25519', 'p256'] as const)(
    'verifies a registry of another origin with a root key of %s',
    async (type) => {
      const key = await testKey(type);
      const host = await registryHost(
        await withCheckpoint(publish(key, [issuer('a'), PLAYGROUND]), key, root),
      );
      const methods = new Set<string | undefined>();
      host.intercept = (_path, request, response) => {
        methods.add(request.method);
        response.setHeader('Access-Control-Allow-Origin', '*');
        return false;
      };
      const bundle = await verifierBundle();
      const page = await listen((request, response) => {
        const script = request.url === '/verifier.js';
        response.writeHead(200, { 'Content-Type': script ? 'text/javascript' : 'text/html' });
        response.end(script ? bundle : '<!doctype html><script src="/verifier.js"></script>');
      });
      const { page: tab } = await open(page);
      const outcome = await tab.evaluate(
        `(${IN_THE_PAGE})(${JSON.stringify([host.base, JSON.stringify(key.rootKey.jwk)])})`,
      );
      expect(outcome).toEqual(['true', 'unchanged', 'ERR_PUBLICATION_INVALID', 'store']);
      const { address } = await testSandbox();
      const options = { sources: [host.base], rootKey: key.rootKey.jwk };
      const hosts = { 'https://playground.example': address };
      const flow = `(${PASSPORT_FLOW})(window.verifier, ${JSON.stringify(options)}, ${JSON.stringify(hosts)})`;
      expect(await tab.evaluate(flow)).toBe('verified,action-replayed');
      // A header of ours would have cost a preflight.
      expect([...methods]).toEqual(['GET']);
    },
  );
});

/** As text, since it runs in another world: accepts, refreshes, refuses another key, and restarts from localStorage. */
const IN_THE_PAGE = `async ([base, jwk]) => {
  const { createRegistryClient, keyValueStore } = window.verifier;
  const events = [];
  const options = { sources: [base], rootKey: JSON.parse(jwk), store: keyValueStore(localStorage) };
  const registry = createRegistryClient({ ...options, onEvent: ({ type }) => events.push(type) });
  await registry.ready();
  const { accepted } = registry.decide('a', { tiers: ['certified'] });
  await registry.refresh();
  const { publicKey } = await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify']);
  const { kty, crv, x } = await crypto.subtle.exportKey('jwk', publicKey);
  const stranger = createRegistryClient({ sources: [base], rootKey: { kty, crv, x } });
  const error = await stranger.ready().catch((thrown) => thrown);
  const restarted = createRegistryClient({ ...options, sources: ['http://127.0.0.1:9'] });
  await restarted.ready();
  return [String(accepted), events.at(-1), Object.values(error.errors)[0].code, restarted.status().source];
}`;

/** As text, for the same reason: an agent gets a passport from the sandbox issuer, and its action is verified, once. */
const PASSPORT_FLOW = `async (verifier, options, hosts) => {
  const fetch = verifier.connectTo(hosts);
  const registry = verifier.createRegistryClient(options);
  await registry.ready();
  const audience = 'https://mail.example';
  const gate = verifier.createPassportVerifier({ registry, policy: { tiers: ['certified'] }, audience, fetch });
  const keys = await crypto.subtle.generateKey({ name: 'Ed25519' }, false, ['sign', 'verify']);
  const mandate = { scope: ['email.*'], expires_at: new Date(Date.now() + 60000).toISOString() };
  const { token } = await verifier.obtainPassport({
    issuer: 'https://playground.example',
    keys,
    agent: {
      principal_id: 'a', realm_id: 'b', agent_type: 'ai-assistant', capabilities: [], subdelegation_mode: 'none', mandate,
    },
    fetch,
  });
  const payload = { to: 'you@example.com' };
  const proof = await verifier.signAction({ token, keys, audience, action: 'email.send', payload });
  const request = { token, action: 'email.send', payload, proof };
  const verdicts = [await gate.verifyAction(request), await gate.verifyAction(request)];
  registry.close();
  return verdicts.map(({ reasons }) => reasons[0].code).join();
}`;
