import { cpSync, readFileSync, rmSync } from 'node:fs';
import {
  createRegistryClient,
  memoryStore,
  type RegistryStore,
  type RootJwk,
} from '@passport-registry/verifier';
import { statementHash } from '@passport-registry/verifier/core';
import type { JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { operatorInCopies } from '../../support/operator.js';
import { keyIn, statement } from '../../support/publication.js';
import { plainHost } from '../../support/serving.js';
import { keyedWorkspace, writeFiles } from '../../support/workspace.js';

const { at, dist, read, run, good, record, claims } = operatorInCopies(() =>
  keyedWorkspace(['alpha'], 'next'),
);

const published = () => claims('publication');
const newestHash = () => statementHash(String(read('publication.jwt')));
const change = (id = 'beta') => record(id);
const rotate = () => good('keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem');

describe('the sequence of publications', () => {
  it('grows by one with every list, and stays with an unchanged one', async () => {
    await good('build', '--key', 'key.pem');
    expect(published()).toMatchObject({ sequence: 1 });
    expect(published()).not.toHaveProperty('previous');
    const first = newestHash();
    await good('build', '--key', 'key.pem');
    expect(newestHash()).toBe(first);
    change();
    await good('build', '--key', 'key.pem');
    expect(published()).toMatchObject({ sequence: 2, previous: [first] });
    const second = newestHash();
    change('gamma');
    await good('build', '--key', 'key.pem');
    expect(published()).toMatchObject({ sequence: 3, previous: [second, first] });
  });

  it('begins anew where a production key replaces a development key', async () => {
    await good('build');
    change();
    await good('build');
    expect(published()).toMatchObject({ sequence: 2 });
    await good('build', '--key', 'key.pem', '--production');
    expect(published()).toMatchObject({ sequence: 1 });
    expect(published()).not.toHaveProperty('previous');
  });

  it('is at its end where a thief of the root key has used the highest number, until a rotation', async () => {
    await good('build', '--key', 'key.pem');
    cpSync(dist(), at('honest'), { recursive: true });
    await forge({ sequence: Number.MAX_SAFE_INTEGER });
    const store = memoryStore();
    await load(store);
    change();
    const { code, stderr } = await run('build', '--key', 'key.pem');
    expect([code, stderr.includes('rotate to a new root key')]).toEqual([2, true]);
    // Over the last tree of the registry's own, a build goes on, but verifiers have seen more.
    rmSync(dist(), { recursive: true });
    cpSync(at('honest'), dist(), { recursive: true });
    await good('build', '--key', 'key.pem');
    await expect(load(store)).rejects.toMatchObject({ code: 'ERR_PUBLICATION_ROLLED_BACK' });
    await rotate();
    expect(await load(store)).toEqual(['alpha', 'beta']);
  });

  it.each([
    [Number.MAX_SAFE_INTEGER, 1],
    [Number.MAX_SAFE_INTEGER - 1, 1],
    [2 ** 52 + 1, 1],
    [2 ** 52, 2 ** 52 + 1],
  ])(
    'after the sequence %i of a thief, a rotation publishes %i, and the next root key goes on',
    async (stolen, next) => {
      await good('build', '--key', 'key.pem');
      await forge({ sequence: stolen });
      const store = memoryStore();
      await load(store);
      change();
      await rotate();
      expect(published()).toMatchObject({ sequence: next });
      expect(await load(store)).toEqual(['alpha', 'beta']);
      change('gamma');
      await good('build', '--key', 'next.pem');
      expect(published()).toMatchObject({ sequence: next + 1 });
      expect(await load(store)).toEqual(['alpha', 'beta', 'gamma']);
    },
  );

  it('goes on above 2^52 under the same root key', async () => {
    await good('build', '--key', 'key.pem');
    await forge({ sequence: 2 ** 52 + 1 });
    change();
    await good('build', '--key', 'key.pem');
    expect(published()).toMatchObject({ sequence: 2 ** 52 + 2 });
  });

  it('names at most 16 publications before it, newest first', async () => {
    const hashes: string[] = [];
    for (let number = 0; number < 18; number++) {
      change(`issuer-${number}`);
      await good('build', '--key', 'key.pem');
      expect(published()['previous'] ?? []).toEqual(hashes.slice(0, 16));
      hashes.unshift(newestHash());
    }
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
