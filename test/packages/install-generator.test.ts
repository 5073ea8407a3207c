import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  addPackages,
  compileStrict,
  installAlone,
  PACKAGES,
  pack,
  TYPESCRIPT_SETTINGS,
} from '../support/packed.js';
import { EXAMPLE_RECORDS } from '../support/paths.js';
import { run, writeFiles } from '../support/workspace.js';

let folder: string;

beforeAll(async () => {
  const [packed] = await pack('.');
  folder = await installAlone(packed?.tarball ?? '');
  cpSync(EXAMPLE_RECORDS, join(folder, 'issuers'), { recursive: true });
});

const node = (...args: string[]) => run(process.execPath, args, folder);

describe('passport-registry, installed from one tarball with no package registry in reach', () => {
  it('brings the verifier and the passports along', () => {
    const within = join(folder, 'node_modules/passport-registry/node_modules');
    for (const name of [PACKAGES.verifier, PACKAGES.passports])
      expect(existsSync(join(within, name, 'build/index.js'))).toBe(true);
    expect(existsSync(join(folder, 'node_modules/@passport-registry'))).toBe(false);
  });

  it('runs by npx', async () => {
    // What npx runs. It takes longer to start than the program.
    const program = join(folder, 'node_modules/.bin/passport-registry');
    for (const command of [
      ['npx', 'passport-registry', 'check'],
      [program, 'build'],
      [program, 'verify', 'dist'],
    ]) {
      const [name = '', ...args] = command;
      const { code, stdout, stderr } = await run(name, args, folder);
      expect(code, stdout + stderr).toBe(0);
    }
    expect(existsSync(join(folder, 'dist/issuers.json'))).toBe(true);
  });

  it('works in an ES module', async () => {
    writeFiles(folder, { 'use.mjs': (await transform(USE, { loader: 'ts' })).code });
    const { stdout, stderr } = await node('use.mjs');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([true, 'http://', 'KeyRejected']);
  });

  it('works in a CommonJS module, by require and by import()', async () => {
    writeFiles(folder, {
      'require.cjs': `const { build } = require('passport-registry');
const { startSandbox } = require('passport-registry/sandbox');
import('passport-registry').then((module) => console.log(module.build === build, typeof startSandbox));`,
    });
    expect(await node('require.cjs')).toEqual({ code: 0, stdout: 'true function\n', stderr: '' });
  });

  it('has one set of classes: its library and its sandbox use the verifier inside the package', () => {
    const within = join(folder, 'node_modules/passport-registry/build/bundle');
    for (const bundle of ['index.js', 'sandbox.js']) {
      const text = readFileSync(join(within, bundle), 'utf8');
      expect(text).toContain('from"@passport-registry/verifier/core"');
      expect(text).not.toMatch(/RegistryError = class|class RegistryError/);
    }
  });

  // In an ES module, node16 and nodenext find the same files. The tests of the verifier have CommonJS modules, too.
  it.each(['node16', 'bundler'] as const)('compiles under strict TypeScript, %s', async (name) => {
    addPackages(folder, '@types/node', 'undici-types');
    writeFiles(folder, { 'use.mts': USE });
    expect(await compileStrict(folder, ['use.mts'], TYPESCRIPT_SETTINGS[name])).toBe('');
  });
});

/** A program of a user. */
const USE = `
import { build, CHECKS, folderSource, GeneratorError, verifyTree } from 'passport-registry';
import { startSandbox } from 'passport-registry/sandbox';

const report = await verifyTree(folderSource('dist'), undefined);
const sandbox = await startSandbox({ operatorToken: 'a-token-for-this-test' });
await sandbox.close();
const refused = await build({ issuers: 'issuers', out: 'x', signer: { production: true, directory: '.' } }).catch(
  (error: GeneratorError) => error.constructor.name,
);
console.log(JSON.stringify([report.ok && CHECKS.length > 0, sandbox.address.slice(0, 7), refused]));
`;
