import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { sha256 } from './checksums.js';
import type { Diagnostic } from './diagnostic.js';
import type { BuildReport } from './publish.js';
import { Stamps } from './stamps.js';

/**
 * What a build remembers for the next one. Nothing of it is ever published: it says which files need not be read again, and
 * what they say is taken from the published list, to whose hash it is bound.
 */
export interface BuildCache {
  /** The program and the folders that it is about; for others it says nothing. */
  readonly about: string;
  readonly published: PublishedFacts;
  readonly sources: RememberedSources;
  readonly tree: RememberedTree;
}

/** What was published. */
export interface PublishedFacts
  extends Pick<BuildReport, 'updatedAt' | 'issuers' | 'sha256' | 'rootKey' | 'development' | 'bytes'> {
  readonly precompress: boolean;
  /** Of how many files the tree is. */
  readonly files: number;
}

/** The record files: a row each, sorted by path. */
export interface RememberedSources {
  readonly files: readonly string[];
  readonly stamps: Stamps;
  /** SHA-256 of what is in them, in hexadecimal, one right after the other. */
  readonly digests: string;
  /** How long their records are in the list, in bytes. */
  readonly lengths: Uint32Array;
  /** What is to be said about them. */
  readonly warnings: readonly Diagnostic[];
}

/** The digest of what a remembered file held. */
export function digestAt({ digests }: RememberedSources, row: number): string {
  return digests.slice(row * DIGEST, (row + 1) * DIGEST);
}

/** The files and folders of the tree: a row each, sorted by path. A folder's path ends in a slash, and it has no stamp. */
export interface RememberedTree {
  readonly paths: readonly string[];
  readonly stamps: Stamps;
}

/** Where the cache of an output folder is: beside it. */
export function cacheFile(out: string): string {
  return join(dirname(resolve(out)), `.${basename(resolve(out))}.cache`);
}

/** No path has this character. */
const SEPARATOR = '\0';
/** Hexadecimal digits of a SHA-256. */
const DIGEST = 64;

/**
 * Opens a cache. One that is damaged, or about something else, is as good as none.
 *
 * @param about - what it must be about
 */
export function openCache(file: string, about: string): BuildCache | undefined {
  try {
    const bytes = readFileSync(file);
    const content = bytes.subarray(DIGEST);
    if (bytes.toString('latin1', 0, DIGEST) !== sha256(content)) return undefined;
    const cache = deserialize(content);
    if (cache.about !== about) return undefined;
    const { sources, tree } = cache;
    const list = (text: string) => text.split(SEPARATOR);
    return {
      ...cache,
      sources: { ...sources, files: list(sources.files), stamps: new Stamps(sources.stamps) },
      tree: { ...tree, paths: list(tree.paths), stamps: new Stamps(tree.stamps) },
    };
  } catch {
    return undefined;
  }
}

/**
 * Saves a cache, by one rename.
 *
 * @param staged - where it is written first, on the same file system
 */
export function saveCache(file: string, staged: string, { sources, tree, ...rest }: BuildCache): void {
  const content = serialize({
    ...rest,
    sources: { ...sources, files: sources.files.join(SEPARATOR), stamps: sources.stamps.numbers },
    tree: { ...tree, paths: tree.paths.join(SEPARATOR), stamps: tree.stamps.numbers },
  });
  // It may come to lie below what a web server serves, and concerns nobody else.
  writeFileSync(staged, Buffer.concat([Buffer.from(sha256(content)), content]), { mode: 0o600 });
  renameSync(staged, file);
}
