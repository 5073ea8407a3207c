import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as verifier from '@passport-registry/verifier';
import * as express from '@passport-registry/verifier/express';
import * as fastify from '@passport-registry/verifier/fastify';
import * as fetchHandler from '@passport-registry/verifier/fetch';
import * as hono from '@passport-registry/verifier/hono';
import * as mcp from '@passport-registry/verifier/mcp';
import * as verifierForNode from '@passport-registry/verifier/node';
import * as redis from '@passport-registry/verifier/redis';
import * as generator from 'passport-registry';
import * as sandbox from 'passport-registry/sandbox';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_RECORDS, ROOT } from './support/paths.js';
import { cleanEnvironment, run, temporaryFolder, writeFiles } from './support/workspace.js';

describe('what the packages export', () => {
  it('the generator', () => {
    expect(Object.keys(generator).sort()).toEqual([
      'CHECKS',
      'ConfigurationRejected',
      'GeneratorError',
      'IoFailed',
      'KeyRejected',
      'RULES',
      'RecordsRejected',
      'TreeRejected',
      'UsageError',
      'build',
      'folderSource',
      'httpSource',
      'loadRecords',
      'memorySource',
      'verifyTree',
    ]);
  });

  it('the verifier', () => {
    expect(Object.keys(verifier).sort()).toEqual([
      'AGENT_TYPES',
      'AddressInvalid',
      'AgentKeyInvalid',
      'BundleInvalid',
      'CheckpointExpired',
      'CheckpointInvalid',
      'CheckpointMismatch',
      'CheckpointMissing',
      'CheckpointRolledBack',
      'DelegationExpired',
      'DelegationInvalid',
      'DelegationRolledBack',
      'GRAMMAR',
      'ISSUER_FIELDS',
      'IssuerAnswerInvalid',
      'IssuerRefused',
      'ListExpired',
      'ListMalformed',
      'ListNonconforming',
      'ListNotCanonical',
      'ListRolledBack',
      'ListUnsorted',
      'NoUsableSource',
      'NotCanonicalizable',
      'NotYetValid',
      'OptionsInvalid',
      'PASSPORT_REASONS',
      'PassportClient',
      'PolicyInvalid',
      'REQUIRED_ISSUER_FIELDS',
      'RegistryClosed',
      'RegistryError',
      'RegistryNotReady',
      'RegistryStale',
      'RootKeyInvalid',
      'RotationFork',
      'RotationGap',
      'RotationInvalid',
      'RotationLoop',
      'RotationSignature',
      'STATUSES',
      'SignatureInvalid',
      'SignatureMalformed',
      'SourceContent',
      'SourceRedirected',
      'SourceStatus',
      'SourceTimeout',
      'SourceTooLarge',
      'SourceTruncated',
      'SourceUnreachable',
      'TIERS',
      'VERDICT_CHECKS',
      'assertCanonical',
      'assertIssuer',
      'assertIssuerRegistry',
      'assertSorted',
      'assertTrustPolicy',
      'canonicalBytes',
      'connectTo',
      'coversAction',
      'createPassportVerifier',
      'createRegistryClient',
      'decide',
      'encodeSignature',
      'importRootKey',
      'isDateTime',
      'isUpdatedAt',
      'keyValueStore',
      'memoryReplayStore',
      'memoryStore',
      'mintPassport',
      'obtainPassport',
      'openRegistry',
      'parseList',
      'publicJwk',
      'readList',
      'requestNonce',
      'sha256Hex',
      'signAction',
      'signMandate',
      'signNonce',
      'verifyList',
      'verifySignature',
      'walkRotation',
    ]);
    expect(Object.keys(verifierForNode).sort()).toEqual(['fileStore', 'openRegistry']);
  });

  it("the verifier's adapters", () => {
    for (const adapter of [express, fastify, fetchHandler, hono]) {
      expect(Object.keys(adapter).sort()).toEqual(['PROOF_HEADER', 'requirePassport']);
    }
    expect(Object.keys(mcp)).toEqual(['mcpTokenVerifier']);
    expect(Object.keys(redis)).toEqual(['redisReplayStore']);
  });

  it('the sandbox issuer', () => {
    expect(Object.keys(sandbox).sort()).toEqual(['startSandbox']);
  });
});

describe('what the packages ship', () => {
  const packed = (args: string[]): string[] => {
    const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', ...args], {
      cwd: ROOT,
      env: cleanEnvironment(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return JSON.parse(output)[0].files.map(({ path }: { path: string }) => path);
  };

  it('the generator: bundles, types and schemas, but no sources and no tests', () => {
    const files = packed([]);
    expect(files).toEqual(
      expect.arrayContaining([
        ...[
          'build/cli/main.js',
          'build/bundle/index.js',
          'build/bundle/sandbox.js',
          'build/bundle/licences.txt',
        ],
        ...['build/index.d.ts', 'build/sandbox/index.d.ts', 'build/website/registry.js'],
        'schemas/issuer.schema.json',
      ]),
    );
    const kinds = [
      /^build\/(cli\/main\.js|bundle\/[\w-]+\.js|bundle\/licences\.txt|website\/[\w-]+\.\w+|.*\.d\.ts)$/,
      /^(schemas\/[\w.-]+\.json|package\.json|README\.md|LICENSE)$/,
    ];
    expect(files.filter((path) => !kinds.some((kind) => kind.test(path)))).toEqual([]);
  });

  it('the licences of all bundled packages', () => {
    const licences = readFileSync(join(ROOT, 'build/bundle/licences.txt'), 'utf8');
    for (const name of ['commander', 'yaml', 'hono', 'jose', 'serve-handler', 'iso-3166']) {
      expect(licences).toMatch(new RegExp(`^${name}\n\n\\S`, 'm'));
    }
  });

  it('the verifier: only its build', () => {
    const files = packed(['--workspace', 'verifier']);
    expect(files).toContain('build/index.js');
    expect(files).toContain('build/index.d.ts');
    expect(files.filter((path) => !/^(build\/|package\.json$|README\.md$|LICENSE$)/.test(path))).toEqual([]);
  });
});

describe('an installation', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  /** The folders of the packages that an installation needs besides the two of this repository. */
  const needed = Object.entries<{ dev?: true; devOptional?: true; link?: true }>(packages)
    .filter(
      ([folder, { dev, devOptional, link }]) => /^node_modules/.test(folder) && !dev && !devOptional && !link,
    )
    .map(([folder]) => folder);

  it('needs three packages besides the two of this repository', () => {
    expect(needed.sort()).toEqual([
      'node_modules/@noble/hashes',
      'node_modules/canonicalize',
      'node_modules/jose',
    ]);
  });

  it('works, with the command line, the exports and their types', async () => {
    const folder = temporaryFolder();
    const npm = (...args: string[]) => run('npm', [...args, '--ignore-scripts', '--offline'], folder);
    const own = [ROOT, join(ROOT, 'verifier')];
    await npm('pack', ...own, ...needed.map((path) => join(ROOT, path)));
    const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    writeFiles(folder, { 'package.json': '{ "type": "module" }', 'use.ts': CONSUMER });
    const { code, stderr } = await npm(
      'install',
      '--no-audit',
      '--no-fund',
      ...archives.map((name) => `./${name}`),
    );
    expect(code, stderr).toBe(0);
    cpSync(EXAMPLE_RECORDS, join(folder, 'issuers'), { recursive: true });
    const program = 'node_modules/.bin/passport-registry';
    for (const args of [['--version'], ['validate'], ['build'], ['verify', 'dist']]) {
      const outcome = await run(process.execPath, [program, ...args], folder);
      expect(outcome.code, outcome.stderr).toBe(0);
    }
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--types', 'node'];
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), 'use.ts'];
    const compiled = await run(process.execPath, [compiler, ...options, ...types], folder);
    expect(compiled.stdout + compiled.stderr).toBe('');
    const used = await run(process.execPath, ['use.js'], folder);
    expect(used.stderr).toBe('');
    expect(JSON.parse(used.stdout)).toEqual([true, 'http://', 'KeyRejected']);
  });
});

/** A program of a user who has installed both packages. */
const CONSUMER = `
import { openRegistry } from '@passport-registry/verifier/node';
import { build, folderSource, GeneratorError, verifyTree } from 'passport-registry';
import { startSandbox } from 'passport-registry/sandbox';

const report = await verifyTree(folderSource('dist'), undefined);
const sandbox = await startSandbox({ operatorToken: 'a-token-for-this-test' });
await sandbox.close();
const refused = await build({ issuers: 'issuers', out: 'x', signer: { production: true, directory: '.' } }).catch(
  (error: GeneratorError) => error.constructor.name,
);
console.log(JSON.stringify([report.ok && typeof openRegistry === 'function', sandbox.address.slice(0, 7), refused]));
`;

describe('the lock file', () => {
  it('names no host', () => {
    expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "http/);
  });
});
