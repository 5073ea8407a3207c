import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  addPackages,
  compileStrict,
  DEPENDENCIES,
  installAlone,
  pack,
  TYPESCRIPT_SETTINGS,
} from '../support/packed.js';
import { type Outcome, run, writeFiles } from '../support/workspace.js';

let folder: string;

beforeAll(async () => {
  const others = DEPENDENCIES.map((name) => join('node_modules', name));
  const packed = await pack('passports', 'verifier', ...others);
  folder = await installAlone(...packed.map(({ tarball }) => tarball));
});

const node = (...args: string[]): Promise<Outcome> => run(process.execPath, args, folder);

describe('@passport-registry/passports, installed with the verifier', () => {
  it('works in an ES module, with the classes of the verifier', async () => {
    writeFiles(folder, { 'use.mjs': USE });
    expect(await node('use.mjs')).toEqual({ code: 0, stdout: ANSWER, stderr: '' });
  });

  it('works in a CommonJS module, by require', async () => {
    writeFiles(folder, {
      'require.cjs': USE.replaceAll(/import (.*) from (.*);/g, 'const $1 = require($2);'),
    });
    expect(await node('require.cjs')).toEqual({ code: 0, stdout: ANSWER, stderr: '' });
  });

  it('needs Hono and Redis only for its adapters', async () => {
    writeFiles(folder, {
      'adapters.mjs': ['agent', 'documents', 'fetch', 'hono', 'express', 'mcp', 'gate', 'redis']
        .map((path) => `import '@passport-registry/passports/${path}';\n`)
        .join(''),
    });
    expect(await node('adapters.mjs')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  // lint.test.ts finds the same types with the settings of bundlers. The tests of the verifier have CommonJS modules, too.
  it('compiles under strict TypeScript', async () => {
    addPackages(folder, '@types/node', 'undici-types', 'hono');
    writeFiles(folder, { 'module.mts': TYPED });
    expect(await compileStrict(folder, ['module.mts'], TYPESCRIPT_SETTINGS.nodenext)).toBe('');
  });
});

/** A program of a user, for every runtime. */
const USE = `
import { createPassportVerifier } from '@passport-registry/passports';
import { OptionsInvalid } from '@passport-registry/verifier';

try {
  createPassportVerifier({});
} catch (error) {
  console.log(error instanceof OptionsInvalid, error.code);
}
`;
const ANSWER = 'true ERR_OPTIONS_INVALID\n';

const TYPED = `
import { createPassportVerifier } from '@passport-registry/passports';
import { createRegistryClient, type RegistryClient } from '@passport-registry/verifier';
import { requirePassport as forExpress } from '@passport-registry/passports/express';
import { requirePassport as forFetch } from '@passport-registry/passports/fetch';
import { requirePassport as forHono } from '@passport-registry/passports/hono';
import { mcpTokenVerifier } from '@passport-registry/passports/mcp';
import { fileStore } from '@passport-registry/verifier/node';
import { redisReplayStore } from '@passport-registry/passports/redis';

const registry: RegistryClient = createRegistryClient({
  sources: ['https://registry.example'],
  rootKey: { kty: 'OKP', crv: 'Ed25519', x: '' },
  store: fileStore('state.json'),
});
const verifier = createPassportVerifier({ registry, policy: { tiers: ['certified'] }, audience: 'https://x.example' });
const options = { verifier, action: 'email.send' };
export const adapters = [
  forExpress(options),
  forHono(options),
  forFetch(options, async (_request, { passport }) => new Response(passport.principal_id)),
  mcpTokenVerifier,
  redisReplayStore,
];
`;
