import { beforeAll, describe, expect, it } from 'vitest';
import { addPackages, compileStrict, installAlone, pack, TYPESCRIPT_SETTINGS } from '../support/packed.js';
import { type Outcome, run, writeFiles } from '../support/workspace.js';

let folder: string;

beforeAll(async () => {
  const packed = await pack('verifier', 'node_modules/@noble/hashes');
  folder = await installAlone(...packed.map(({ tarball }) => tarball));
});

const node = (...args: string[]): Promise<Outcome> => run(process.execPath, args, folder);

describe('@passport-registry/verifier, installed alone', () => {
  it('works in an ES module', async () => {
    writeFiles(folder, { 'use.mjs': USE });
    expect(await node('use.mjs')).toEqual({ code: 0, stdout: ANSWER, stderr: '' });
  });

  it('works in a CommonJS module, by require and by import()', async () => {
    const { require, dynamicImport } = COMMONJS;
    writeFiles(folder, { 'require.cjs': require, 'import.cjs': dynamicImport });
    for (const file of ['require.cjs', 'import.cjs'])
      expect(await node(file)).toEqual({ code: 0, stdout: ANSWER, stderr: '' });
    // Node.js older than 20.19 and 22.12, and every Node.js with this option, has import() only.
    const older = '--no-experimental-require-module';
    expect(await node(older, 'import.cjs')).toEqual({ code: 0, stdout: ANSWER, stderr: '' });
    expect((await node(older, 'require.cjs')).stderr).toContain('ERR_REQUIRE_ESM');
  });

  it('has the same classes for require and import()', async () => {
    writeFiles(folder, {
      'classes.cjs': `const { RegistryError } = require('@passport-registry/verifier');
import('@passport-registry/verifier').then((module) => console.log(module.RegistryError === RegistryError));`,
    });
    expect((await node('classes.cjs')).stdout).toBe('true\n');
  });

  it('has a path for files and paths for publishers and auditors', async () => {
    writeFiles(folder, {
      'paths.mjs': ['node', 'core', 'http']
        .map((path) => `import '@passport-registry/verifier/${path}';\n`)
        .join(''),
    });
    expect(await node('paths.mjs')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

// lint.test.ts finds the same types with the settings of bundlers.
describe('its types, under strict TypeScript', () => {
  beforeAll(() => {
    addPackages(folder, '@types/node', 'undici-types');
    writeFiles(folder, {
      'module.mts': TYPED,
      'commonjs.cts': `import { createRegistryClient } from '@passport-registry/verifier';
export const create = createRegistryClient;\n`,
      'dynamic.cts': `import type { RegistryClient } from '@passport-registry/verifier' with { 'resolution-mode': 'import' };
export async function load(): Promise<RegistryClient> {
  const { createRegistryClient } = await import('@passport-registry/verifier');
  return createRegistryClient({ sources: ['https://registry.example'], rootKey: { kty: 'OKP', crv: 'Ed25519', x: '' } });
}\n`,
    });
  });

  const files = ['module.mts', 'dynamic.cts', 'commonjs.cts'];

  it('nodenext: in ES modules, and in CommonJS modules by import and import()', async () => {
    expect(await compileStrict(folder, files, TYPESCRIPT_SETTINGS.nodenext)).toBe('');
  });

  it('node16: in ES modules, and in CommonJS modules only by import()', async () => {
    const output = await compileStrict(folder, files, TYPESCRIPT_SETTINGS.node16);
    expect(output).toMatch(/^commonjs\.cts\(1,\d+\): error TS1479: .*\n$/);
  });
});

/** A program of a user, for every runtime. */
const USE = `
import { createRegistryClient } from '@passport-registry/verifier';

try {
  createRegistryClient({ sources: [], rootKey: {} });
} catch (error) {
  console.log(error.code);
}
`;
const ANSWER = 'ERR_OPTIONS_INVALID\n';

/** The same program in CommonJS. */
const COMMONJS = {
  require: USE.replace(/import (.*) from (.*);/, 'const $1 = require($2);'),
  dynamicImport: `(async () => {${USE.replace(/import (.*) from (.*);/, 'const $1 = await import($2);')}})();`,
};

const TYPED = `
import { createRegistryClient, type Decision, type RegistryClient } from '@passport-registry/verifier';
import { fileStore } from '@passport-registry/verifier/node';

const registry: RegistryClient = createRegistryClient({
  sources: ['https://registry.example'],
  rootKey: { kty: 'OKP', crv: 'Ed25519', x: '' },
  store: fileStore('state.json'),
});
export const decision: Decision = registry.decide('aurora-bank', { tiers: ['certified'] });
`;
