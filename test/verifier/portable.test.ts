import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';

const built = join(ROOT, 'verifier', 'build');
const modules = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.js'),
);

describe('the verifier runs wherever there is fetch and WebCrypto', () => {
  it('imports its two dependencies and itself, and nothing else', () => {
    const imported = new Set<string>();
    for (const name of modules) {
      const text = readFileSync(join(built, name), 'utf8');
      expect(text).not.toMatch(/^[^*]*\bimport\(/m);
      for (const [, from] of text.matchAll(/^(?:import|export|\}) .*from '([^']+)';$/gm)) {
        if (from !== undefined && !from.startsWith('.')) imported.add(from);
      }
    }
    expect([...imported].sort()).toEqual(['canonicalize', 'jose']);
  });

  it('lists in its package what it imports and what it publishes', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'verifier', 'package.json'), 'utf8'));
    expect(Object.keys(manifest.dependencies).sort()).toEqual(['canonicalize', 'jose']);
    expect(Object.keys(manifest.exports)).toEqual(['.', './package.json']);
  });

  it('verifies where Node’s own globals are gone', () => {
    const program = `
      const { exit } = process;
      const { log } = console;
      for (const name of ['process', 'Buffer', 'global', 'setImmediate', 'require']) delete globalThis[name];
      const { importRootKey, verifySignature } = await import('@passport-registry/verifier');
      const x = 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw';
      const rootKey = await importRootKey({ kty: 'OKP', crv: 'Ed25519', x });
      const signature = 'kqAJqfDUyrhyDoILX2QlQKKye1QWUD-Ps3YiI-vbadoIWsHkPhWZbkWPNhPQ8R2MOHsurrQwKu6wDSkWErsMAA';
      await verifySignature(Uint8Array.of(0x72), signature, rootKey);
      log(typeof process, typeof Buffer);
      exit(0);
    `;
    const args = ['--input-type=module', '--eval', program];
    expect(execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })).toBe(
      'undefined undefined\n',
    );
  });
});
