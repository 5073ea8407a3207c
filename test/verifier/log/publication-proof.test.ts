import {
  acceptHead,
  emptyRoot,
  entryBytes,
  type PublicationStatement,
  publicationEntry,
  statementHash,
  type TreeHead,
  tileReader,
  verifyPublicationProof,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { flipped } from '../../support/altered.js';
import { naiveLeaf, naivePath, naiveRoot, someLeaves } from '../../support/merkle.js';
import { cosignatureBy, type NoteSigner, noteSigner, signedHead } from '../../support/note-keys.js';
import { loggedHead } from '../../support/test-log.js';
import { tilesOf } from '../../support/tiles.js';

const ORIGIN = 'registry.example/log';
/** 2027-01-15T08:00:00Z. */
const NOW = 1_800_000_000;

const log = noteSigner(ORIGIN, 'log');
const [one, two, three] = [1, 2, 3].map((number) => noteSigner(`witness.example/w${number}`, 'witness')) as [
  NoteSigner,
  NoteSigner,
  NoteSigner,
];

const statement: PublicationStatement = {
  sequence: 7,
  updatedAt: '2027-01-15T07:00:00Z',
  sha256: 'ab'.repeat(32),
  size: 100,
  issuers: 1,
  sumsSha256: 'cd'.repeat(32),
  levels: 0,
  aboutSha256: undefined,
  online: undefined,
  issuedAt: 0,
  kid: '',
  previous: [],
  hash: statementHash('header.claims'),
  notBefore: 0,
  text: 'header.claims.signature',
  log: { origin: ORIGIN, vkey: log.vkey },
};
const entry = entryBytes(publicationEntry(statement));
const leaves = someLeaves(6).with(5, naiveLeaf(entry));

describe('the proof that a publication is logged', () => {
  it.each([1, 2, 3])('holds since the oldest cosignature of a quorum of %i', async (quorum) => {
    const head = { origin: ORIGIN, size: 6, root: naiveRoot(leaves) };
    const witnesses = [one, two, three];
    const note = signedHead(log, head, (text) =>
      witnesses.map((witness, index) => cosignatureBy(witness, text, NOW - index)),
    );
    const path = naivePath(5, leaves).map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
    const proof = `c2sp.org/tlog-proof@v1\nindex 5\n${path.join('')}\n${note}`;
    const rules = {
      origin: ORIGIN,
      witnesses: witnesses.map(({ key }) => key),
      quorum,
      since: (NOW - 100) * 1000,
      until: (NOW + 10) * 1000,
    };
    expect(await verifyPublicationProof(proof, statement, rules)).toEqual({
      size: 6,
      root: naiveRoot(leaves),
      cosignatures: witnesses
        .slice(0, quorum)
        .map(({ key }, index) => ({ witness: key, time: (NOW - index) * 1000 })),
      witnessedAt: (NOW - quorum + 1) * 1000,
      proof,
    });
  });
});

describe('the head of a log after another', () => {
  const leaves = someLeaves(700);
  const headOf = (size: number, of = leaves) => ({ size, root: naiveRoot(of.slice(0, size)) });
  const requests: string[] = [];
  const filesOf = (of: readonly Uint8Array[]) => {
    const tiles = tilesOf(of);
    return async (path: string) => {
      requests.push(path);
      return tiles.get(path.replace(/^log\//, ''));
    };
  };
  interface Circumstances {
    /** Who has cosigned the accepted head, and who the head. Default: nobody, and the same. */
    readonly before?: readonly NoteSigner[];
    readonly after?: readonly NoteSigner[];
    readonly read?: (path: string) => Promise<Uint8Array | undefined>;
  }
  const logged = (head: TreeHead, witnesses: readonly NoteSigner[]) =>
    loggedHead(
      head,
      witnesses.map(({ key }) => key),
    );
  const verdict = (
    accepted: TreeHead | undefined,
    head: TreeHead,
    { before = [], after = before, read = filesOf(leaves.slice(0, head.size)) }: Circumstances = {},
  ) => {
    requests.length = 0;
    const heads = { head: logged(head, after), accepted: accepted && logged(accepted, before) };
    return acceptHead(heads, read).then(
      () => 'accepted',
      (error: Error) => {
        expect(error).toMatchObject({ code: 'ERR_LOG_INCONSISTENT' });
        return error.message;
      },
    );
  };
  const OTHER = /does not contain the one with \d+ that was accepted before$/;

  it('is accepted if it is the first', async () => {
    expect(await verdict(undefined, headOf(5))).toBe('accepted');
    expect(requests).toEqual([]);
  });

  it('proves the same publication at the same size only with newer cosignatures', async () => {
    const at = (size: number, witnessedAt: number) => ({ ...loggedHead(headOf(size)), witnessedAt });
    const accepted = at(5, 2000);
    const read = filesOf(leaves);
    const chosen = (head: typeof accepted) => acceptHead({ head, accepted }, read);
    expect(await chosen(at(5, 1999))).toBe(accepted);
    for (const head of [at(5, 2000), at(700, 1999)]) expect(await chosen(head)).toBe(head);
  });

  it('that is larger is the word of a witness that has cosigned both, without a tile', async () => {
    const other = headOf(700, leaves.with(2, naiveLeaf(Buffer.of(1))));
    const [before, after] = [
      [one, two],
      [three, two],
    ];
    expect(await verdict(headOf(5), other, { before, after })).toBe('accepted');
    expect(requests).toEqual([]);
    expect(await verdict(headOf(5), other, { before, after: [three] })).toMatch(OTHER);
    expect(await verdict(headOf(5), headOf(700), { before, after: [three] })).toBe('accepted');
    expect(requests).not.toEqual([]);
    expect(await verdict(headOf(5), other, { before: [], after })).toMatch(OTHER);
  });

  it.each([
    [0, 700],
    [1, 2],
    [255, 256],
    [255, 700],
    [256, 257],
    [256, 512],
    [512, 513],
    [699, 700],
  ])('without witnesses is proven from tiles: %i, then %i', async (older, newer) => {
    expect(await verdict(headOf(older), headOf(newer))).toBe('accepted');
    expect(requests.length).toBeLessThanOrEqual(4);
    if (older === 0) return;
    const changed = leaves.with(older - 1, naiveLeaf(Buffer.of(1)));
    const read = filesOf(changed.slice(0, newer));
    expect(await verdict(headOf(older), headOf(newer, changed), { read })).toMatch(OTHER);
    expect(await verdict(headOf(older), headOf(newer, changed))).toMatch(OTHER);
    const honest = filesOf(leaves.slice(0, newer));
    const garbled = async (path: string) => (await honest(path))?.map((byte) => byte ^ 1);
    expect(await verdict(headOf(older), headOf(newer), { read: garbled })).toMatch(OTHER);
  });

  it('is refused if it removes or reorders entries', async () => {
    for (const other of [
      leaves.toSpliced(3, 1),
      leaves.toSpliced(3, 2, leaves[4] as Uint8Array, leaves[3] as Uint8Array),
    ]) {
      const read = filesOf(other.slice(0, 600));
      expect(await verdict(headOf(300), headOf(600, other), { read })).toMatch(OTHER);
    }
  });

  it('is refused if an empty log had another root', async () => {
    expect(await verdict({ size: 0, root: emptyRoot() }, headOf(3))).toBe('accepted');
    expect(await verdict({ size: 0, root: flipped(emptyRoot(), 1) }, headOf(3))).toMatch(OTHER);
  });

  it('is refused if a tile is missing or malformed', async () => {
    const tiles = filesOf(leaves);
    const without = (length: number | undefined) => async (path: string) => {
      const bytes = await tiles(path);
      return length === undefined ? undefined : bytes?.subarray(0, length);
    };
    for (const length of [undefined, 0, 31, 33, 5983]) {
      const message = await verdict(headOf(690), headOf(700), { read: without(length) });
      expect([length, message]).toEqual([
        length,
        expect.stringMatching(/^the log has no tile log\/tile\/[01]\/00[02]\.p\/\d+, or a malformed one$/),
      ]);
    }
  });

  it('passes on why a tile cannot be read', async () => {
    const read = () => Promise.reject(new TypeError('the host is away'));
    const heads = { head: loggedHead(headOf(9)), accepted: loggedHead(headOf(5)) };
    await expect(acceptHead(heads, read)).rejects.toThrow(TypeError);
  });
});

describe('the tiles of a source', () => {
  const bytes = new Uint8Array(256 * 32).fill(7);
  const readWith = (files: Record<string, Uint8Array>) => {
    const requests: string[] = [];
    const read = tileReader(async (path) => {
      requests.push(path);
      return files[path];
    });
    return { read, requests };
  };

  it('are below log/', async () => {
    const { read, requests } = readWith({ 'log/tile/0/x001/234.p/5': bytes.subarray(0, 160) });
    expect(await read({ level: 0, index: 1234, width: 5 })).toHaveLength(160);
    expect(requests).toEqual(['log/tile/0/x001/234.p/5']);
  });

  it('may be full where a partial one is gone', async () => {
    const { read, requests } = readWith({ 'log/tile/1/000': bytes });
    expect(await read({ level: 1, index: 0, width: 5 })).toBe(bytes);
    expect(requests).toEqual(['log/tile/1/000.p/5', 'log/tile/1/000']);
  });

  it('may be wider than they have to be', async () => {
    const { read } = readWith({ 'log/tile/0/000.p/5': bytes.subarray(0, 192) });
    expect(await read({ level: 0, index: 0, width: 5 })).toHaveLength(192);
  });

  it('are requested once if they are full', async () => {
    const { read, requests } = readWith({});
    await expect(read({ level: 0, index: 0, width: 256 })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_LOG_INCONSISTENT' }),
    );
    expect(requests).toEqual(['log/tile/0/000']);
  });

  it.each([0, 1, 159, 161, 191])('are refused with %i bytes for 5 hashes', async (length) => {
    const { read } = readWith({ 'log/tile/0/000.p/5': bytes.subarray(0, length) });
    await expect(read({ level: 0, index: 0, width: 5 })).rejects.toMatchObject({
      code: 'ERR_LOG_INCONSISTENT',
    });
  });
});
