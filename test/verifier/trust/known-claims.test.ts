import type { RegistryError } from '@passport-registry/verifier';
import {
  ANY_TIME,
  readRotation,
  STATEMENT_CLAIMS,
  STATEMENT_TYPES,
  type StatementType,
  verifyCheckpoint,
  verifyPublicationStatement,
  walkSteps,
} from '@passport-registry/verifier/core';
import { expect, it } from 'vitest';
import { noteSigner } from '../../support/note-keys.js';
import { statement, testKey } from '../../support/publication.js';

const [root, next] = await Promise.all([testKey(), testKey()]);

const HASH = '0'.repeat(64);
const LIST = { updated_at: '2026-11-01T00:00:00Z', sha256: HASH, size: 1 };
const LOG = noteSigner('registry.example/log', 'log');

/** All claims of a statement, with valid values. */
const validClaims = (): Record<StatementType, Record<string, unknown>> => ({
  'registry-checkpoint+jwt': { publication: HASH, tree_sha256: HASH, hold: ['alpha'] },
  'registry-root-rotation+jwt': { next_root: next.rootKey.jwk, next_roots: ['A'.repeat(43)], step: 1 },
  'registry-publication+jwt': {
    ...LIST,
    sequence: 2,
    previous: [HASH],
    issuers: 0,
    sums_sha256: HASH,
    levels: 0,
    log: { origin: LOG.key.name, vkey: LOG.vkey },
    about_sha256: HASH,
    online: { keys: [next.rootKey.jwk], exp: 2, hold: true },
  },
});

/** Verifies a statement. Returns the code of the error, or undefined. */
async function codeOf(type: StatementType, claims: object): Promise<string | undefined> {
  const jwt = await statement(root, type, { iat: 1, nbf: 1, exp: 2, ...claims });
  const { rootKey } = root;
  const signers = { rootKey, online: undefined };
  const verify: Record<StatementType, () => Promise<unknown>> = {
    'registry-checkpoint+jwt': () => verifyCheckpoint(jwt, signers, ANY_TIME),
    'registry-root-rotation+jwt': async () => walkSteps([rootKey], readRotation([jwt]), undefined),
    'registry-publication+jwt': () => verifyPublicationStatement(jwt, rootKey, ANY_TIME),
  };
  return verify[type]().then(
    () => undefined,
    ({ code }: RegistryError) => code,
  );
}

it.each(STATEMENT_TYPES)('%s: its reader reads each claim that counts as known', async (type) => {
  const claims = validClaims()[type];
  expect(Object.keys(claims).sort()).toEqual([...STATEMENT_CLAIMS[type]].sort());
  expect(await codeOf(type, claims)).toBeUndefined();
  // Notices for people, which verifiers ignore.
  const notices = ['next_root_thumbprint', 'about_sha256'];
  for (const claim of Object.keys(claims).filter((name) => !notices.includes(name)))
    expect([claim, await codeOf(type, { ...claims, [claim]: {} })]).toEqual([
      claim,
      expect.stringMatching(/^ERR_\w+_INVALID$/),
    ]);
});
