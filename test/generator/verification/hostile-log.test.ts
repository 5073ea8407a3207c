import { createHash } from 'node:crypto';
import {
  entryBytes,
  formatLogProof,
  leafHash,
  parseHead,
  publicationEntry,
  statementHash,
} from '@passport-registry/verifier/core';
import { type TreeSource, verifyTree } from 'passport-registry';
import { beforeEach, expect, it } from 'vitest';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { invalid, noteSigner, signedHead } from '../../support/note-keys.js';
import { testKey } from '../../support/publication.js';
import { claimsOf } from '../../support/signed-tree.js';
import { treeIn } from '../../support/sources.js';

let world: LoggedRegistry;
let asked: string[];
beforeEach(async () => {
  world = new LoggedRegistry(await testKey());
  await world.publish();
  asked = [];
});

/** A live host, which can claim a log of any size, and send any number of entries. */
function host(): TreeSource {
  const { get } = treeIn(world.files);
  return {
    ...{ name: 'http://registry.example', live: true },
    get: async (path) => {
      asked.push(path);
      return get(path);
    },
  };
}

/** Replaces the head of the log. */
function claim(size: number, signer = world.log.signer): void {
  const head = signedHead(signer, { size, root: Buffer.alloc(32, 1) });
  world.files = new Map([...world.files, ['log/checkpoint', Buffer.from(head)]]);
}

const logCheck = async () =>
  (await verifyTree(host(), world.root.rootKey)).checks.find(({ name }) => name === 'log');
const entriesAsked = () => asked.filter((path) => path.startsWith('log/tile/'));

it('the entries of a log are read only once its head has been verified', async () => {
  claim(2 ** 40, noteSigner(world.log.origin, 'log'));
  expect(await logCheck()).toMatchObject({ result: 'failed', code: 'ERR_AUDIT_LOG' });
  expect(entriesAsked()).toEqual([]);
});

/** Claims a log of any size that ends with the publication, and proves it: nobody has seen the entries before. */
function prove(size: number): void {
  const claims = claimsOf(world.files.get('publication.jwt') as Buffer) as unknown as Claims;
  const { sha256: list, sequence, updated_at: updatedAt } = claims;
  const hash = statementHash(String(world.files.get('publication.jwt')));
  const leaf = leafHash(entryBytes(publicationEntry({ hash, sha256: list, sequence, updatedAt })));
  // What is left of the last entry, from the bottom up.
  const path = Array.from({ length: (size - 1).toString(2).replaceAll('0', '').length }, (_one, at) =>
    Buffer.alloc(32, at),
  );
  const join = (right: Uint8Array, left: Uint8Array) =>
    createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();
  const head = signedHead(world.log.signer, { size, root: path.reduce(join, Buffer.from(leaf)) });
  const proof = formatLogProof({ index: size - 1, head: parseHead(head, invalid), path });
  world.files = new Map([
    ...world.files,
    ['log/checkpoint', Buffer.from(head)],
    ['log/publication.tlog-proof', Buffer.from(proof)],
  ]);
}

interface Claims {
  readonly sha256: string;
  readonly sequence: number;
  readonly updated_at: string;
}

it('a host is not asked for more entries than can be kept', async () => {
  prove(2 ** 18 + 1);
  expect(await logCheck()).toMatchObject({ result: 'failed', code: 'ERR_AUDIT_LOG' });
  expect(entriesAsked()).toEqual([]);
  asked = [];
  prove(2 ** 18);
  expect(await logCheck()).toMatchObject({ result: 'failed', code: 'ERR_AUDIT_LOG' });
  expect(entriesAsked()).not.toEqual([]);
});

it('the head is signed by the key that the publication names, and by no other one', async () => {
  const signer = noteSigner(world.log.origin, 'log');
  await world.prepare({ signer });
  await world.seal({ signer });
  expect(await logCheck()).toMatchObject({ result: 'failed', code: 'ERR_AUDIT_LOG' });
  expect(entriesAsked()).toEqual([]);
  const impostor = new LoggedRegistry(await testKey(), world.log, world.witnesses);
  const own = noteSigner(world.log.origin, 'log');
  const { files } = world;
  await impostor.prepare({ signer: own });
  await impostor.seal({ signer: own });
  world.files = new Map([...files, ...[...impostor.files].filter(([path]) => path.startsWith('log/'))]);
  asked = [];
  expect(await logCheck()).toMatchObject({ result: 'failed', code: 'ERR_AUDIT_LOG' });
  expect(entriesAsked()).toEqual([]);
});
