import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredPublication } from '@passport-registry/verifier';
import { LISTS_FOLDER } from '@passport-registry/verifier/core';
import { readIfReadable } from '../../generator/files/read-file.js';
import { parseChecksums, sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';

/** A release that a mirror accepted before, and serves or served. */
export class HeldRelease {
  readonly folder: string;
  /** The hashes in SHA256SUMS; empty if the file is damaged. */
  readonly #sums: ReadonlyMap<string, string>;
  readonly #hashes = new Map<string, string | undefined>();

  constructor(folder: string) {
    this.folder = folder;
    const checksums = readIfReadable(folder, PATHS.checksums)?.toString('utf8') ?? '';
    this.#sums = parseChecksums(checksums) ?? new Map();
  }

  /** Whether the release has a file with this hash. Reads the bytes, because files on a disk can be damaged. */
  has(path: string, hash: string): boolean {
    // If SHA256SUMS has another hash, the file need not be read. Records are in the tree of sums.
    if ((this.#sums.get(path) ?? hash) !== hash) return false;
    if (!this.#hashes.has(path)) {
      const bytes = readIfReadable(this.folder, path);
      this.#hashes.set(path, bytes && sha256(bytes));
    }
    return this.#hashes.get(path) === hash;
  }

  /** Reads a file, which may be damaged; undefined if it does not exist. */
  read(path: string): Buffer | undefined {
    return readIfReadable(this.folder, path);
  }

  /** Whether the release has a file, whose bytes are not read. */
  contains(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  /** The paths of the lists that are named by their hash. */
  lists(): readonly string[] {
    const folder = join(this.folder, LISTS_FOLDER);
    return existsSync(folder) ? readdirSync(folder).map((name) => `${LISTS_FOLDER}${name}`) : [];
  }

  /** Returns what a verifier would store of the release, without the list. Undefined if the statements are missing. */
  stored(): StoredPublication | undefined {
    const statements = this.read(PATHS.statements)?.toString('utf8');
    return statements === undefined ? undefined : { version: 1, statements };
  }
}
