import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  consistencyProof,
  entryBytes,
  hashesFromTiles,
  inclusionProof,
  publicationEntry,
  tileReader,
} from '@passport-registry/verifier/core';
import { appendEntries } from '../../build/generator/log/append.js';
import { EMPTY_LOG } from '../../build/generator/log/log-files.js';
import { type LogReader, readEntries } from '../../build/generator/log/read-log.js';
import { naiveLeaf, naiveRoot } from './merkle.js';
import { cosignatureBy, type NoteSigner, signedHead } from './note-keys.js';
import { sha256 } from './sha256.js';
import { writeFiles } from './workspace.js';

export { readEntries };

/** The sizes at which logs are compared with another implementation: both sides of the borders of tiles. */
export const LOG_SIZES = [1, 2, 255, 256, 257, 70_000];

/** When the witnesses of a sample cosign: 2027-01-15T08:00:00Z. */
export const COSIGNED_SECONDS = 1_800_000_000;

/** What the log says of an entry of a sample. test/interop/log/write.go writes the same. */
export const sampleEntry = (index: number) =>
  publicationEntry({
    sha256: sha256(Buffer.from(`list ${index}`)),
    sequence: index,
    hash: sha256(Buffer.from(`statement ${index}`)),
    updatedAt: '2027-01-15T08:00:00Z',
  });

/** Writes a log as builds do, and extends it to each of the sizes. Returns its entries, and its head at each size. */
export async function writeSampleLog(tree: string, log: NoteSigner, witnesses: readonly NoteSigner[]) {
  const heads = new Map<number, string>();
  const count = Math.max(...LOG_SIZES);
  const entries = Array.from({ length: count }, (_one, index) => entryBytes(sampleEntry(index)));
  const leaves = entries.map(naiveLeaf);
  let end = EMPTY_LOG;
  for (const size of LOG_SIZES) {
    const appended = appendEntries(end, entries.slice(end.size, size));
    writeFiles(tree, Object.fromEntries(appended.files));
    ({ end } = appended);
    const cosigned = (text: string) =>
      witnesses.map((witness) => cosignatureBy(witness, text, COSIGNED_SECONDS));
    heads.set(size, signedHead(log, { size, root: naiveRoot(leaves.slice(0, size)) }, cosigned));
  }
  return { entries, heads };
}

/** Returns indexes of entries and older sizes for proofs: both ends, and both sides of the borders of tiles. */
export function samplesOf(size: number): { readonly indexes: number[]; readonly older: number[] } {
  const any = [
    0,
    1,
    2,
    127,
    128,
    254,
    255,
    256,
    257,
    511,
    512,
    65_535,
    65_536,
    69_887,
    69_888,
    size - 1,
    size,
  ];
  const distinct = [...new Set(any)];
  return {
    indexes: distinct.filter((index) => index < size),
    older: distinct.filter((older) => older >= 1 && older <= size),
  };
}

const toBase64 = (hashes: readonly Uint8Array[]) =>
  hashes.map((hash) => Buffer.from(hash).toString('base64'));

/** Reads a file of a tree. */
export const fileReader = (tree: string) => async (path: string) =>
  existsSync(join(tree, path)) ? readFileSync(join(tree, path)) : undefined;

/** A log for `readEntries`, whose errors say what is wrong with the log. */
export const logReader = (fetchFile: LogReader['fetchFile']): LogReader => ({
  fetchFile,
  invalid: (message) => new Error(`the log ${message}`),
});

/** Proves the samples from the tiles of a tree. Proofs are in base64, by index and by older size. */
export async function provenFromTiles(tree: string, size: number) {
  const hashes = hashesFromTiles(size, tileReader(fileReader(tree)));
  const { indexes, older } = samplesOf(size);
  const inclusion: Record<string, string[]> = {};
  const consistency: Record<string, string[]> = {};
  for (const index of indexes) inclusion[index] = toBase64(await inclusionProof(index, size, hashes));
  for (const one of older) consistency[one] = toBase64(await consistencyProof(one, size, hashes));
  return { inclusion, consistency };
}
