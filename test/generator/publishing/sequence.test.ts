import { cpSync, readFileSync, rmSync } from 'node:fs';
import {
  createRegistryClient,
  memoryStore,
  type RegistryStore,
  type RootJwk,
  type RootKey,
} from '@passport-registry/verifier';
import { type PublicationStatement, statementHash } from '@passport-registry/verifier/core';
import type { JWTPayload } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PublicationClaims, signingInput } from '../../../build/generator/freshness/statements.js';
import { listBytes, recordsBytes } from '../../../build/generator/list/list.js';
import { formatUpdatedAt } from '../../../build/generator/list/updated-at.js';
import { nextClaims, readStatementInput } from '../../../build/generator/publishing/sign-statement.js';
import { sumsOfList } from '../../../build/generator/tree/sums.js';
import { operatorInCopies } from '../../support/operator.js';
import { issuer, keyIn, statement, testKey } from '../../support/publication.js';
import { plainHost } from '../../support/serving.js';
import { sha256 } from '../../support/sha256.js';
import { keyedWorkspace, writeFiles } from '../../support/workspace.js';

const { at, dist, refused, good, record, claims } = operatorInCopies(() => keyedWorkspace(['alpha'], 'next'));

const published = () => claims('publication');
const change = (id = 'beta') => record(id);

describe('the next publication statement', () => {
  const records = recordsBytes([issuer('alpha')]);
  const sums = sumsOfList({ records }, 0);
  /** The claims of the next statement about a list of one second of the year. */
  const nextAfter = (previous: PublicationStatement | undefined, rootKey: RootKey, second = 1) => {
    const list = listBytes(records, formatUpdatedAt(Date.UTC(2026, 0, 1) + second * 1000));
    const of = { sha256: sha256(list.list), sums, about: undefined, log: undefined, online: undefined };
    return nextClaims({ list, ...of, signedAt: Date.parse(list.updatedAt) }, rootKey, previous);
  };
  const stated = (claims: PublicationClaims, rootKey: RootKey) =>
    readStatementInput(signingInput(rootKey, 'registry-publication+jwt', claims));

  let rootKey: RootKey;
  let other: RootKey;
  let first: PublicationClaims;
  beforeAll(async () => {
    ({ rootKey } = await testKey());
    ({ rootKey: other } = await testKey());
    first = nextAfter(undefined, rootKey) as PublicationClaims;
  });

  it('is the first one, or is not needed for the same list', () => {
    expect(first).toMatchObject({ sequence: 1 });
    expect(first).not.toHaveProperty('previous');
    expect(nextAfter(stated(first, rootKey), rootKey)).toBeUndefined();
  });

  it.each([
    ['the same key', 1, 2],
    ['the same key', 2 ** 52 + 1, 2 ** 52 + 2],
    ['the same key', Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER],
    ['the next key', 1, 2],
    ['the next key', 2 ** 52, 2 ** 52 + 1],
    ['the next key', 2 ** 52 + 1, 1],
    ['the next key', Number.MAX_SAFE_INTEGER, 1],
  ])('by %s has after %i the sequence %i', (key, sequence, next) => {
    const previous = stated({ ...first, sequence }, rootKey);
    const claims = nextAfter(previous, key === 'the same key' ? rootKey : other, 2);
    expect(claims).toMatchObject({ sequence: next, previous: [previous.hash] });
  });

  it('does not exist after the highest sequence, under the same key', () => {
    const previous = stated({ ...first, sequence: Number.MAX_SAFE_INTEGER }, rootKey);
    expect(() => nextAfter(previous, rootKey, 2)).toThrow(
      expect.objectContaining({
        code: 'ERR_USAGE',
        see: 'docs/operators/emergency.md#the-root-key-has-leaked',
      }),
    );
  });

  it('names at most 16 publications before it, newest first', () => {
    const before = [stated(first, rootKey)];
    for (let second = 2; second < 20; second++) {
      const claims = nextAfter(before[0], rootKey, second) as PublicationClaims;
      expect(claims.previous).toEqual(before.slice(0, 16).map(({ hash }) => hash));
      before.unshift(stated(claims, rootKey));
    }
  });
});

describe('the sequence of publications', () => {
  it('is at its end where a thief of the root key has used the highest number, until a rotation', async () => {
    await good('build', '--key', 'key.pem');
    cpSync(dist(), at('honest'), { recursive: true });
    await forge({ sequence: Number.MAX_SAFE_INTEGER });
    const store = memoryStore();
    await load(store);
    change();
    await refused(['build', '--key', 'key.pem'], 2);
    // Over the last tree of the registry's own, a build goes on, but verifiers have seen more.
    rmSync(dist(), { recursive: true });
    cpSync(at('honest'), dist(), { recursive: true });
    await good('build', '--key', 'key.pem');
    await expect(load(store)).rejects.toMatchObject({ code: 'ERR_PUBLICATION_ROLLED_BACK' });
    await good('keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem');
    expect(await load(store)).toEqual(['alpha', 'beta']);
    change('gamma');
    await good('build', '--key', 'next.pem');
    expect(published()).toMatchObject({ sequence: 4 });
    expect(await load(store)).toEqual(['alpha', 'beta', 'gamma']);
  });

  it('begins at 1 with a rotation over the tree of that thief that is signed on another machine', async () => {
    await good('build', '--key', 'key.pem');
    await forge({ sequence: Number.MAX_SAFE_INTEGER - 1 });
    change();
    const asked = ['keys', 'rotate', '--unsigned', 'request', '--root-key', 'key.json'];
    await good(...asked, '--next-root-key', 'next.json');
    const sign = ['sign', 'request', '--yes', '--memory', 'memory'];
    await good(...sign, '--key', 'key.pem');
    await good(...sign, '--key', 'next.pem', '--previous-root-key', 'key.json');
    await good('attach', 'request', '--root-key', 'key.json');
    expect(published()).toMatchObject({ sequence: 1 });
    await good('verify', 'dist', '--trust-anchor', 'next.json');
  });
});

/** Signs the statement of the tree again, and its checkpoint, as a thief of the root key could. */
async function forge(more: JWTPayload): Promise<void> {
  const signer = await keyIn(at('key.pem'));
  const forged = await statement(signer, 'registry-publication+jwt', { ...published(), ...more });
  const checkpoint = { ...claims('checkpoint'), publication: statementHash(forged) };
  writeFiles(at(), {
    'dist/publication.jwt': forged,
    'dist/checkpoint.jwt': await statement(signer, 'registry-checkpoint+jwt', checkpoint),
  });
}

/** Loads the registry with a client that pinned the first root key. Returns the ids. */
async function load(store: RegistryStore): Promise<string[]> {
  const url = await plainHost(dist(), '404.html');
  const rootKey: RootJwk = JSON.parse(readFileSync(at('key.json'), 'utf8'));
  const registry = createRegistryClient({ sources: [url], rootKey, store });
  try {
    await registry.ready();
    await registry.refresh();
    return registry.list().map(({ issuer_id }) => issuer_id);
  } catch (error) {
    throw Object.values(registry.status().errors)[0] ?? error;
  } finally {
    registry.close();
  }
}
