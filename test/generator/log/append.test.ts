import { leafHash } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { appendEntries, replacedFolders } from '../../../build/generator/log/append.js';
import { EMPTY_LOG, type LogEnd, rootOf } from '../../../build/generator/log/log-files.js';
import { readEntries } from '../../../build/generator/log/read-log.js';
import { flipped } from '../../support/altered.js';
import { naiveRoot } from '../../support/merkle.js';
import { logReader } from '../../support/sample-log.js';

const entry = (index: number) =>
  Buffer.from(JSON.stringify({ iat: index, sha256: 'a'.repeat(64), type: 'delegation' }));
const entries = (from: number, to: number) =>
  Array.from({ length: to - from }, (_one, at) => entry(from + at));

/** Writes a log in steps, as publications do, and returns what is on the disk. */
function write(sizes: readonly number[]): { end: LogEnd; files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  let end = EMPTY_LOG;
  for (const size of sizes) {
    const added = appendEntries(end, entries(end.size, size));
    for (const [path, bytes] of added.files) files.set(path, bytes);
    for (const folder of replacedFolders(added.end)) {
      for (const path of files.keys()) if (path.startsWith(`${folder}/`)) files.delete(path);
    }
    end = added.end;
  }
  return { end, files };
}

const shown = (files: ReadonlyMap<string, Uint8Array>) =>
  new Map(
    [...files]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]),
  );

describe('appendEntries', () => {
  it.each([1, 2, 255, 256, 257, 511, 512, 513, 700])('has the root of RFC 6962 at size %i', async (size) => {
    const { end } = write([size]);
    expect(Buffer.from(await rootOf(end))).toEqual(Buffer.from(naiveRoot(entries(0, size).map(leafHash))));
  });

  it.each([3, 255, 256, 257, 513, 600])(
    'writes the same files one by one and all at once, at size %i',
    (size) => {
      const steps = Array.from({ length: size }, (_one, at) => at + 1);
      expect(shown(write(steps).files)).toEqual(shown(write([size]).files));
      const some = steps.filter((step) => step === size || step % 11 === 4);
      expect(shown(write(some).files)).toEqual(shown(write([size]).files));
    },
  );

  it('writes the tiles that C2SP names for 70,000 entries, and few files for one more', () => {
    const { end, files } = write([70_000]);
    const count = (pattern: RegExp) => [...files.keys()].filter((path) => pattern.test(path)).length;
    expect(count(/^log\/tile\/0\/\d{3}$/)).toBe(273);
    expect(count(/^log\/tile\/entries\/\d{3}$/)).toBe(273);
    expect(files.has('log/tile/0/273.p/112')).toBe(true);
    expect(files.has('log/tile/0/273.p/113')).toBe(false);
    expect(count(/^log\/tile\/1\/000$/)).toBe(1);
    expect(files.has('log/tile/1/001.p/17')).toBe(true);
    expect(files.has('log/tile/2/000.p/1')).toBe(true);
    expect(appendEntries(end, [entry(70_000)]).files.size).toBeLessThanOrEqual(4);
  });

  it('writes a partial tile of width 1 above a full one', () => {
    const { files } = write([256]);
    expect([...files.keys()].sort()).toEqual([
      'log/tile/0/000',
      'log/tile/1/000.p/1',
      'log/tile/entries/000',
    ]);
  });

  it('writes a number of files that depends on the added entries only', () => {
    for (const size of [300, 5_000]) {
      const { end } = write([size]);
      expect(appendEntries(end, [entry(size)]).files.size).toBeLessThanOrEqual(4);
    }
  });
});

describe('readEntries', () => {
  const { end, files } = write([600]);
  const head = async () => ({ size: 600, root: await rootOf(end) });
  const reader = (changes: Record<string, Uint8Array | undefined> = {}) => {
    const asked: string[] = [];
    const read = async (path: string) => {
      asked.push(path);
      return path in changes ? changes[path] : files.get(path);
    };
    return { asked, read };
  };
  const altered = (path: string, bit = 8 * 40) => ({ [path]: flipped(files.get(path) as Uint8Array, bit) });

  it('returns all entries, or only the new ones', async () => {
    const all = await readEntries(logReader(reader().read), await head());
    expect(all.entries.map(({ index }) => index)).toEqual(Array.from({ length: 600 }, (_one, at) => at));
    const { asked, read } = reader();
    const some = await readEntries(logReader(read), await head(), all.tree.leaves.slice(0, 590));
    expect(some.entries.map(({ index }) => index)).toEqual([
      590, 591, 592, 593, 594, 595, 596, 597, 598, 599,
    ]);
    expect(some.tree.leaves).toEqual(all.tree.leaves);
    expect(asked.sort()).toEqual(['log/tile/0/002.p/88', 'log/tile/entries/002.p/88']);
    expect((await readEntries(logReader(read), await head(), all.tree.leaves)).entries).toEqual([]);
  });

  it.each<[string, Record<string, Uint8Array | undefined>, string]>([
    ['another entry', altered('log/tile/entries/001', 8 * 40 + 1), 'entries that do not belong to its head'],
    [
      'an entry that is none',
      altered('log/tile/entries/001'),
      'an entry 256 that is not an entry of a registry',
    ],
    ['an altered tile', altered('log/tile/0/001'), 'a tile tile/0/001 that does not belong to its entries'],
    [
      'an altered tile of the next level',
      altered('log/tile/1/000.p/2'),
      'a tile tile/1/000.p/2 that does not belong to its entries',
    ],
    ['a missing tile', { 'log/tile/0/000': undefined }, 'the file log/tile/0/000'],
    ['a missing bundle', { 'log/tile/entries/002.p/88': undefined }, 'the file log/tile/entries/002.p/88'],
    [
      'a bundle that is too short',
      { 'log/tile/entries/002.p/88': files.get('log/tile/entries/002.p/87') },
      'a file tile/entries/002.p/88 that is too short',
    ],
    [
      'a bundle that ends within an entry',
      { 'log/tile/entries/002.p/88': files.get('log/tile/entries/002.p/88')?.slice(0, -1) },
      'a file tile/entries/002.p/88 that ends within an entry',
    ],
  ])('refuses %s', async (_what, changes, problem) => {
    await expect(readEntries(logReader(reader(changes).read), await head())).rejects.toThrow(problem);
  });

  it('refuses a log that does not contain what was read before, and one that is smaller', async () => {
    const { tree } = await readEntries(logReader(reader().read), await head());
    const other = [...tree.leaves.slice(0, 599), leafHash(Buffer.from('another entry'))];
    await expect(readEntries(logReader(reader().read), await head(), other)).rejects.toThrow(
      'does not contain',
    );
    const longer = [...tree.leaves, leafHash(Buffer.from('another entry'))];
    await expect(readEntries(logReader(reader().read), await head(), longer)).rejects.toThrow('the log ');
    const forked = [leafHash(Buffer.from('another entry')), ...tree.leaves.slice(1, 300)];
    await expect(readEntries(logReader(reader().read), await head(), forked)).rejects.toThrow('the log ');
  });
});
