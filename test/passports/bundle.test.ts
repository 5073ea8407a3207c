import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importsOf, minifiedBundle, verifierBundle } from '../support/bundle.js';
import { PACKAGES } from '../support/packed.js';
import { ROOT } from '../support/paths.js';

describe('the passports run wherever there is fetch and WebCrypto', () => {
  it('import the verifier by its doors, and jose', () => {
    const doors = ['', '/core', '/http', '/printable'].map((door) => PACKAGES.verifier + door);
    expect(importsOf('passports')).toEqual([...doors, 'jose']);
  });

  it('list in their package what they import and what they publish', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'passports', 'package.json'), 'utf8'));
    expect(Object.keys(manifest.dependencies)).toEqual([PACKAGES.verifier, 'jose']);
    expect(Object.keys(manifest.exports)).toEqual([
      ...[
        '.',
        './agent',
        './documents',
        './fetch',
        './hono',
        './express',
        './fastify',
        './mcp',
        './gate',
        './redis',
      ],
      './package.json',
    ]);
  });

  it.each([
    // Without the code that loads a list, and without that of agents.
    ['', 'createPassportVerifier', 19_400],
    ['', 'PassportClient', 16_500],
    // Without the code that verifies.
    ['/agent', 'signAction', 9_600],
  ])('bundle %s %s without what it does not need, in at most %i bytes', async (door, name, maxBytes) => {
    const { script, modules } = await minifiedBundle(PACKAGES.passports + door, name);
    const unneeded = door === '/agent' ? /\/verification\/|\/issuer\// : /node_modules\/jose\/|\/agent\//;
    const others = /^verifier\/build\/(?:client|core\/(?:audit|log|publication|sums|statements))\//;
    expect(modules.length).toBeGreaterThan(10);
    expect(modules.filter((path) => unneeded.test(path) || others.test(path))).toEqual([]);
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(maxBytes);
  });

  it.each([
    ...['index.js', 'agent/index.js', 'documents/index.js', 'gate/index.js', 'replay/redis-replay-store.js'],
    ...['fetch', 'hono', 'express', 'fastify', 'mcp'].map((adapter) => `middleware/${adapter}.js`),
  ])('are free of Node.js in the bundle of %s', async (entry) => {
    const bundle = await verifierBundle(`passports/build/${entry}`);
    expect(bundle).not.toMatch(/node:|\brequire\(|\bprocess\.|\bBuffer\b|\b__dirname\b|\bsetImmediate\b/);
    expect(bundle).not.toMatch(/^import /m);
  });
});
