import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as passportsRoot from '@passport-registry/passports';
import * as agent from '@passport-registry/passports/agent';
import * as documents from '@passport-registry/passports/documents';
import * as express from '@passport-registry/passports/express';
import * as fastify from '@passport-registry/passports/fastify';
import * as fetchHandler from '@passport-registry/passports/fetch';
import * as gate from '@passport-registry/passports/gate';
import * as hono from '@passport-registry/passports/hono';
import * as mcp from '@passport-registry/passports/mcp';
import * as redis from '@passport-registry/passports/redis';
import * as verifier from '@passport-registry/verifier';
import * as http from '@passport-registry/verifier/http';
import * as verifierForNode from '@passport-registry/verifier/node';
import * as generator from 'passport-registry';
import * as sandbox from 'passport-registry/sandbox';
import { describe, expect, it } from 'vitest';
import { DEPENDENCIES, PACKAGES, pack } from '../support/packed.js';
import { ROOT } from '../support/paths.js';
import { RELEASE_JOBS } from '../support/release.js';

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

/** Returns the files below a folder of the checkout, by their paths in the checkout. */
function filesBelow(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  const paths = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return paths.map((path) => join(folder, path)).filter((path) => statSync(join(ROOT, path)).isFile());
}

describe('what the packages ship', async () => {
  const [generator, ...libraries] = await pack('.', 'verifier', 'passports');
  if (generator === undefined) throw new Error('npm packed no generator');
  const [verifier, passports] = libraries;
  const own = generator.files.filter((path) => !path.startsWith('node_modules/'));
  const bundled = generator.files.filter((path) => path.startsWith('node_modules/'));

  it('the generator: programs, types, schemas, the page, documents and templates', () => {
    expect(own).toEqual(
      expect.arrayContaining([
        ...['build/cli/main.js', 'build/bundle/index.js', 'build/bundle/sandbox.js'],
        ...['build/bundle/licences.txt', 'build/generator/index.d.ts', 'build/sandbox/index.d.ts'],
        ...filesBelow('build/website'),
        ...filesBelow('schemas').filter((path) => path.endsWith('.json')),
        ...filesBelow('cli/scaffold/template'),
        ...filesBelow('docs/hosting'),
        ...filesBelow('docs/protocol'),
        ...filesBelow('docs/operators'),
        ...filesBelow('docs/verifiers'),
        ...['docs/operators.md', 'docs/issuers.md', 'docs/mirrors.md'],
        ...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'package.json'],
      ]),
    );
  });

  it('the generator: no sources, no tests, and no types that its exports do not reach', () => {
    const kinds = [
      /^build\/(cli\/main\.js|bundle\/[\w-]+\.js|bundle\/licences\.txt|.*\.d\.ts)$/,
      /^build\/website\/([\w-]+\.\w+|assets\/(registry|parts\/\w+)\.js|assets\/licences\.txt)$/,
      /^(schemas\/[\w.-]+\.json|docs\/((operators|protocol|verifiers)\/)?[\w-]+\.md|docs\/hosting\/[\w.-]+|cli\/scaffold\/template\/.+)$/,
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md)$/,
    ];
    expect(own.filter((path) => !kinds.some((kind) => kind.test(path)))).toEqual([]);
    const unreached = /^build\/((cli|conformance|custody|observers)\/.*|sandbox\/demo)\.d\.ts$/;
    expect(own.filter((path) => unreached.test(path))).toEqual([]);
  });

  it('the generator: the verifier, the passports and their dependencies, and nothing else', () => {
    const packages = bundled.map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
    expect([...new Set(packages)].sort()).toEqual(
      [PACKAGES.verifier, PACKAGES.passports, ...DEPENDENCIES].sort(),
    );
    for (const [name, { files = [] } = {}] of [
      [PACKAGES.verifier, verifier],
      [PACKAGES.passports, passports],
    ] as const) {
      const within = `node_modules/${name}/`;
      const copy = bundled.filter((path) => path.startsWith(within)).map((path) => path.slice(within.length));
      expect(copy.sort()).toEqual([...files].sort());
    }
  });

  it.each(libraries)('the verifier and the passports: their build, README.md and LICENSE', ({ files }) => {
    expect(files).toEqual(
      expect.arrayContaining(['build/index.js', 'build/index.d.ts', 'README.md', 'LICENSE', 'package.json']),
    );
    const kinds = /^(build\/.*\.js|build\/.*\.d\.ts|package\.json|README\.md|LICENSE)$/;
    expect(files.filter((path) => !kinds.test(path))).toEqual([]);
  });

  it('modules and types that name no map, because no map is shipped', () => {
    for (const [folder, one] of Object.entries({ verifier, passports }))
      for (const path of one?.files.filter((file) => file.startsWith('build/')) ?? [])
        expect(readFileSync(join(ROOT, folder, path), 'utf8')).not.toContain('sourceMappingURL');
    for (const path of own.filter((file) => /\.(d\.ts|js)$/.test(file)))
      expect(readFileSync(join(ROOT, path), 'utf8')).not.toMatch(/^\/\/# sourceMappingURL/m);
  });

  it('at most 7.5 MB, 0.6 MB and 0.27 MB, unpacked', () => {
    expect(generator.unpackedSize).toBeLessThan(7_500_000);
    expect(verifier?.unpackedSize).toBeLessThan(600_000);
    expect(passports?.unpackedSize).toBeLessThan(270_000);
  });
});

describe('the manifests', () => {
  const [generator, verifier, passports] = ['.', 'verifier', 'passports'].map((folder) =>
    readJson(`${folder}/package.json`),
  );

  it('have the names of the list, which the release publishes', () => {
    const named = Object.keys(PACKAGES).map((folder) => [folder, readJson(`${folder}/package.json`).name]);
    expect(Object.fromEntries(named)).toEqual(PACKAGES);
    expect(Object.keys(PACKAGES)).toEqual(['.', ...generator.workspaces]);
    const published = RELEASE_JOBS['publish']?.steps?.flatMap(({ run = '' }) =>
      [...run.matchAll(/^publish (\S+)/gm)].map(([, name]) => name),
    );
    expect(published).toEqual([PACKAGES.verifier, PACKAGES.passports, PACKAGES['.']]);
  });

  it('have one version, and the generator contains exactly these libraries', () => {
    const { version } = generator;
    expect([verifier.version, passports.version]).toEqual([version, version]);
    const both = { [PACKAGES.passports]: version, [PACKAGES.verifier]: version };
    expect(generator.dependencies).toEqual(both);
    expect(generator.bundleDependencies).toEqual(Object.keys(both));
  });

  it('let the passports depend on the verifier, and the verifier on nothing of ours', () => {
    expect(Object.keys(verifier.dependencies)).toEqual(['@noble/hashes']);
    expect(passports.dependencies).toEqual({
      [PACKAGES.verifier]: generator.version,
      jose: generator.devDependencies.jose,
    });
  });

  it('run no scripts when a user installs a package', () => {
    // npm asks users to approve packages with these scripts. `prepare` is one of them for tarballs and git addresses.
    for (const { scripts } of [generator, verifier, passports])
      for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
        expect(scripts).not.toHaveProperty(script);
  });

  it('compile before they are packed, and in the clone that npm makes of a git address', () => {
    const compile = 'npm run --silent compile';
    expect(generator.scripts).toMatchObject({ prepack: compile, dependencies: compile });
    expect(verifier.scripts.prepack).toBe('tsc --build . node');
    expect(passports.scripts.prepack).toBe('tsc --build .');
  });

  it('are published for everyone, with provenance', () => {
    for (const { publishConfig } of [generator, verifier, passports])
      expect(publishConfig).toEqual({ access: 'public', provenance: true });
  });
});

describe('the lock file', () => {
  const { packages } = readJson('package-lock.json');

  it('names no host', () => {
    expect(JSON.stringify(packages)).not.toMatch(/"resolved":"http/);
  });

  it('has the packages that ship besides those of this repository', () => {
    const needed = Object.entries<{ dev?: true; devOptional?: true; link?: true }>(packages)
      .filter(
        ([path, { dev, devOptional, link }]) => /^node_modules/.test(path) && !dev && !devOptional && !link,
      )
      .map(([path]) => path.replace('node_modules/', ''));
    expect(needed.sort()).toEqual(DEPENDENCIES);
  });
});

describe('what the packages export', () => {
  it('the generator', () => {
    expect(Object.keys(generator).sort()).toEqual([
      'AlreadyPublished',
      'CHECKS',
      'ConfigurationRejected',
      'GeneratorError',
      'IoFailed',
      'KeyRejected',
      'RULES',
      'RecordsRejected',
      'RequestRejected',
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
      'ListNonconforming',
      'NoUsableSource',
      'OptionsInvalid',
      'RegistryError',
      'RegistryStale',
      'STATUSES',
      'SourceRedirected',
      'TIERS',
      'aboutOf',
      'assertTrustAnchor',
      'assertTrustPolicy',
      'connectTo',
      'coversPlace',
      'createIssuerLookup',
      'createRegistryClient',
      'decide',
      'importRootKey',
      'keyValueStore',
      'memoryStore',
      'openRegistry',
      'sha256Hex',
      'verifyList',
      'verifySignature',
      'walkRotation',
    ]);
    expect(Object.keys(verifierForNode).sort()).toEqual(['fileStore', 'openRegistry']);
    expect(Object.keys(http).sort()).toEqual([
      'LimitExceeded',
      'Repeats',
      'askAgain',
      'boundedFetch',
      'inTime',
      'isLoopback',
      'isPublicAddress',
      'isPublicHost',
      'openFile',
      'patientFetch',
      'readLimited',
    ]);
  });

  it('the passports', () => {
    expect(Object.keys(passportsRoot).sort()).toEqual([
      'AGENT_TYPES',
      'PASSPORT_REASONS',
      'PassportClient',
      'PassportError',
      'VERDICT_CHECKS',
      'coversAction',
      'createPassportVerifier',
      'memoryReplayStore',
    ]);
    expect(Object.keys(documents).sort()).toEqual([
      'DocumentRefused',
      'findKeyFault',
      'findMetadataFaults',
      'parseDocument',
      'readKeySet',
    ]);
    expect(Object.keys(agent).sort()).toEqual([
      'IssuerRefused',
      'MANDATE_TYPE',
      'NONCE_TYPE',
      'PassportError',
      'mintPassport',
      'obtainPassport',
      'publicJwk',
      'readForeignJws',
      'requestNonce',
      'signAction',
      'signMandate',
      'signNonce',
    ]);
  });

  it('the adapters of passports', () => {
    for (const adapter of [express, fastify, fetchHandler, hono]) {
      expect(Object.keys(adapter).sort()).toEqual(['PROOF_HEADER', 'requirePassport']);
    }
    expect(Object.keys(mcp)).toEqual(['mcpTokenVerifier']);
    expect(Object.keys(gate).sort()).toEqual(['GATEWAYS', 'createGate']);
    expect(Object.keys(redis)).toEqual(['redisReplayStore']);
  });

  it('the sandbox issuer', () => {
    expect(Object.keys(sandbox).sort()).toEqual(['startSandbox']);
  });
});
