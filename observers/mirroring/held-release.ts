import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredPublication } from '@passport-registry/verifier';
import { readIfReadable } from '../../generator/files/read-file.js';
import { parseChecksums, sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { storedPublication } from '../../generator/verification/accept.js';

/** A release that a mirror accepted before, and serves or served. */
export class HeldRelease {
  readonly folder: string;
  /** The hashes in SHA256SUMS; empty if the file is damaged. */
  readonly #sums: ReadonlyMap<string, string>;
  readonly #hashes = new Map<string, string | undefined>();
  readonly #delegatedAt: string | undefined;

  /** @param delegatedAt - when the newest delegation was signed that was accepted with the release, RFC 3339 */
  constructor(folder: string, delegatedAt?: string | undefined) {
    this.folder = folder;
    this.#delegatedAt = delegatedAt;
    this.#sums = parseChecksums(readIfReadable(folder, PATHS.checksums)?.toString('utf8') ?? '') ?? new Map();
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

  /** Whether a file in another folder is a hard link to the file of the release. */
  isLinked(path: string, folder: string): boolean {
    const [a, b] = [folder, this.folder].map((one) => statSync(join(one, path), { throwIfNoEntry: false }));
    return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
  }

  /** Returns the ids of the records in the folder. */
  issuerIds(): string[] {
    const folder = join(this.folder, PATHS.record(''));
    return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  }

  /** Returns what a verifier would store of the release; undefined if files are missing. */
  stored(): StoredPublication | undefined {
    const stored = storedPublication((path) => this.read(path));
    return stored && { ...stored, ...(this.#delegatedAt && { delegatedAt: this.#delegatedAt }) };
  }
}
