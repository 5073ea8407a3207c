import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as verifier from '@passport-registry/verifier';
import * as verifierForNode from '@passport-registry/verifier/node';
import { describe, expect, it } from 'vitest';
import * as generator from '../build/index.js';
import { ROOT } from './support/paths.js';
import { cleanEnvironment } from './support/workspace.js';

describe('what the packages export', () => {
  it('the generator', () => {
    expect(Object.keys(generator).sort()).toEqual([
      'CHECKS',
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
      'BundleInvalid',
      'CheckpointExpired',
      'CheckpointInvalid',
      'CheckpointMismatch',
      'CheckpointMissing',
      'DelegationExpired',
      'DelegationInvalid',
      'GRAMMAR',
      'ISSUER_FIELDS',
      'ListExpired',
      'ListMalformed',
      'ListNonconforming',
      'ListNotCanonical',
      'ListRolledBack',
      'ListUnsorted',
      'NoUsableSource',
      'NotCanonicalizable',
      'NotYetValid',
      'PolicyInvalid',
      'REQUIRED_ISSUER_FIELDS',
      'RegistryError',
      'RegistryNotReady',
      'RegistryStale',
      'RootKeyInvalid',
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
      'assertCanonical',
      'assertIssuer',
      'assertIssuerRegistry',
      'assertSorted',
      'assertTrustPolicy',
      'canonicalBytes',
      'createRegistryClient',
      'decide',
      'encodeSignature',
      'importRootKey',
      'isDateTime',
      'isUpdatedAt',
      'keyValueStore',
      'memoryStore',
      'openRegistry',
      'parseList',
      'readList',
      'sha256Hex',
      'verifyList',
      'verifySignature',
      'walkRotation',
    ]);
    expect(Object.keys(verifierForNode).sort()).toEqual(['fileStore', 'openRegistry']);
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

  it('the generator: its program, its schemas, no sources and no tests', () => {
    const files = packed([]);
    expect(files).toContain('build/cli/main.js');
    expect(files).toContain('schemas/issuer.schema.json');
    expect(
      files.filter((path) => !/^(build\/|schemas\/.*\.json$|package\.json$|README\.md$|LICENSE$)/.test(path)),
    ).toEqual([]);
    expect(files.filter((path) => /test|tsbuildinfo|\.pem|dist\//.test(path))).toEqual([]);
  });

  it('the verifier: itself', () => {
    const files = packed(['--workspace', 'verifier']);
    expect(files).toContain('build/index.js');
    expect(files).toContain('build/index.d.ts');
    expect(files.filter((path) => !/^(build\/|package\.json$|README\.md$|LICENSE$)/.test(path))).toEqual([]);
  });
});

describe('the lock file', () => {
  it('names no host', () => {
    expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "http/);
  });
});
