import { KeptProofs, LogTree, leafHash, parseEntry } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { invalid, noteSigner } from '../../support/note-keys.js';
import { type TestKey, testKey } from '../../support/publication.js';

let root: TestKey;
let registry: LoggedRegistry;
beforeAll(async () => {
  root = await testKey();
  registry = new LoggedRegistry(root);
  for (let count = 0; count < 3; count++) await registry.change(`issuer-${count}`).publish();
});

const treeOf = ({ log }: LoggedRegistry, size = log.size) =>
  new LogTree(log.entries.slice(0, size).map((entry) => leafHash(entry)));

/** A publication of the registry: where it stands, what it says, and the first proof that is kept of it. */
function kept(index: number, { log, files } = registry) {
  const entry = parseEntry(log.entries[index] as Uint8Array, invalid);
  const read = async () => files.get(`log/statements/${index}.jwt`);
  const proof = files.get(`log/proofs/${index}/first.tlog-proof`) as Uint8Array;
  return { proof, proven: { index, entry, read } };
}

describe('a proof that a log keeps of a publication', () => {
  it('has an earlier head of the log, or its newest one', async () => {
    const proofs = new KeptProofs(treeOf(registry));
    for (const index of [0, 1, 2]) {
      const { proof, proven } = kept(index);
      expect(await proofs.faultOf(proof, proven)).toBeUndefined();
    }
  });

  it('reads the statement of its publication once', async () => {
    const { proof, proven } = kept(1);
    let reads = 0;
    const read = () => {
      reads += 1;
      return proven.read();
    };
    const counted = { ...proven, read };
    const proofs = new KeptProofs(treeOf(registry));
    await proofs.faultOf(proof, counted);
    await proofs.faultOf(proof, counted);
    expect(reads).toBe(1);
  });

  it('is of this publication', async () => {
    const proofs = new KeptProofs(treeOf(registry));
    expect(await proofs.faultOf(kept(0).proof, kept(1).proven)).toMatch('does not prove');
  });

  it('is not of a larger log', async () => {
    const { proof, proven } = kept(2);
    expect(await new KeptProofs(treeOf(registry, 2)).faultOf(proof, proven)).toMatch('larger log');
  });

  it('is not of another log with the same key', async () => {
    const fork = registry.fork(1);
    fork.log.append('another entry', 'and one more');
    const { proof, proven } = kept(2);
    expect(await new KeptProofs(treeOf(fork)).faultOf(proof, proven)).toMatch('not an earlier head');
  });

  it('is signed by the key that its statement names', async () => {
    const other = registry.fork();
    await other.publish({ signer: noteSigner(other.log.origin, 'log'), claims: { log: namedBy(registry) } });
    const { proof, proven } = kept(other.index, other);
    expect(await new KeptProofs(treeOf(other)).faultOf(proof, proven)).toMatch('not signed by the key');
  });

  it.each<[string, string | undefined, string]>([
    ['is missing', undefined, 'is of a publication whose statement is missing'],
    ['names no log', `e30.${Buffer.from('{}').toString('base64url')}.AA`, 'is '],
    ['is no JWT', 'text', 'is '],
  ])('has a fault if the statement %s', async (_what, text, fault) => {
    const { proof, proven } = kept(1);
    const read = async () => text;
    expect(await new KeptProofs(treeOf(registry)).faultOf(proof, { ...proven, read })).toMatch(fault);
  });

  it('has a fault if it is no proof', async () => {
    const { proven } = kept(1);
    expect(await new KeptProofs(treeOf(registry)).faultOf(new Uint8Array(9), proven)).toBeTypeOf('string');
  });
});

const namedBy = ({ log }: LoggedRegistry) => ({ origin: log.origin, vkey: log.vkey });
