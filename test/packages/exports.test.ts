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
      'RequestRejected',
      'SharedKeyRejected',
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
      'LogInconsistent',
      'NoUsableSource',
      'NotCanonicalizable',
      'NotLogged',
      'NotYetValid',
      'OperationsExpired',
      'OperationsInvalid',
      'OptionsInvalid',
      'PASSPORT_REASONS',
      'PassportClient',
      'PolicyInvalid',
      'PublicationExpired',
      'PublicationInvalid',
      'PublicationMismatch',
      'PublicationMissing',
      'PublicationRolledBack',
      'REQUIRED_ISSUER_FIELDS',
      'RecordInvalid',
      'RegistryClosed',
      'RegistryError',
      'RegistryNotReady',
      'RegistryStale',
      'RootKeyInvalid',
      'RotationFork',
      'RotationGap',
      'RotationInvalid',
      'RotationLoop',
      'RotationNotCommitted',
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
      'SumsInvalid',
      'SumsMismatch',
      'TIERS',
      'TooFewCosignatures',
      'TrustAnchorInvalid',
      'VERDICT_CHECKS',
      'assertCanonical',
      'assertIssuer',
      'assertIssuerRegistry',
      'assertSorted',
      'assertTrustAnchor',
      'assertTrustPolicy',
      'canonicalBytes',
      'connectTo',
      'coversAction',
      'createIssuerLookup',
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
      'verifyHistoryProof',
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
