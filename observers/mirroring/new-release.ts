import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RegistryError } from '@passport-registry/verifier';
import { forEachConcurrent, hasCode, readHashedFile } from '@passport-registry/verifier/core';
import { askAgain } from '@passport-registry/verifier/http';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { isHostFile } from '../../generator/tree/files.js';
import { ownHostFile } from '../../generator/tree/host-configuration.js';
import { CONCURRENCY } from '../../generator/verification/ask-host.js';
import { registryFiles, type TreeSource } from '../../generator/verification/tree-source.js';
import type { HeldRelease } from './held-release.js';

/** The size of a download. */
export interface TransferStats {
  /** The number of files that the source sent. */
  readonly fetched: number;
  /** The size of these files, in bytes. */
  readonly bytes: number;
}

/** How many lists to request at a time. Lists are large, and stay in memory until their hashes have been checked. */
export const LARGE_CONCURRENCY = 2;

/** A file of the source, and its hash. */
export interface StatedFile {
  readonly path: string;
  /** SHA-256 in lower-case hexadecimal. */
  readonly hash: string;
  /** The file that states the hash, for messages. */
  readonly statedIn: string;
}

/** The limits of several downloads. */
interface DownloadLimits {
  /** How many files to request at a time. */
  readonly concurrency?: number;
  /** The size of all downloads. */
  readonly maxBytes?: number;
}

/** The folder of a release while it is downloaded. A file is written only after its hash has been checked. */
export class NewRelease {
  readonly #source: TreeSource;
  readonly #folder: string;
  /** The release being served. */
  readonly held: HeldRelease | undefined;
  /** The files and the folders that exist by now. */
  readonly #paths = new Set<string>();
  readonly #folders = new Set<string>();
  #fetched = 0;
  #bytes = 0;

  /** @param folder - the new folder */
  constructor(source: TreeSource, folder: string, held: HeldRelease | undefined) {
    this.#source = source;
    this.#folder = folder;
    this.held = held;
  }

  get sourceName(): string {
    return this.#source.name;
  }

  /** Lists the paths of the source; undefined if it has no listing. */
  listed(): readonly string[] | undefined {
    return this.#source.paths?.();
  }

  /** The files in the folder. Those that are not there come from the source, and are not added. */
  get tree(): TreeSource {
    return {
      name: this.sourceName,
      live: true,
      get: async (path) => {
        const bytes = this.includes(path) ? this.read(path) : await this.fetch(path);
        return bytes && { bytes };
      },
    };
  }

  stats(): TransferStats {
    return { fetched: this.#fetched, bytes: this.#bytes };
  }

  /** Reads a file that is in the folder. */
  read(path: string): Buffer {
    return readFileSync(join(this.#folder, path));
  }

  /** Whether the release being served has a file with this hash. */
  isHeld(path: string, hash: string): boolean {
    return this.held?.has(path, hash) === true;
  }

  /**
   * Adds files: hard links to the release being served, or downloads. A file that is there already stays.
   *
   * @throws {@link TreeRejected} if the source does not have a file with its hash, or if the downloads are too large
   */
  addAll(
    files: readonly StatedFile[],
    { concurrency = CONCURRENCY, maxBytes = Number.POSITIVE_INFINITY }: DownloadLimits = {},
  ): Promise<void> {
    const before = this.#bytes;
    return forEachConcurrent(files, concurrency, async (file) => {
      await this.#add(file);
      if (this.#bytes - before > maxBytes) {
        throw new TreeRejected(
          `the files that ${file.statedIn} lists, apart from lists, are larger than ${maxBytes} bytes`,
        );
      }
    });
  }

  async #add(file: StatedFile): Promise<void> {
    if (this.includes(file.path) || this.addHeld(file.path, file.hash)) return;
    await this.#fetch(file);
  }

  /** Adds a file that was made here, if it has the right hash. Returns whether it has. */
  addOwn(path: string, bytes: Uint8Array, hash: string): boolean {
    if (sha256(bytes) !== hash) return false;
    this.addUnlisted(path, bytes);
    return true;
  }

  /** Downloads and adds a file whose hash is unknown. Returns undefined if there is no such file. */
  async fetchUnlisted(path: string): Promise<Uint8Array | undefined> {
    const bytes = await this.fetch(path);
    if (bytes !== undefined) this.addUnlisted(path, bytes);
    return bytes;
  }

  /** Downloads a file, and does not add it. Returns undefined if there is no such file. */
  async fetch(path: string): Promise<Uint8Array | undefined> {
    const bytes = (await this.#source.get(path))?.bytes;
    if (bytes !== undefined) this.#count(bytes);
    return bytes;
  }

  /** Adds a file whose hash is unknown. Its content is verified later. */
  addUnlisted(path: string, bytes: Uint8Array): void {
    // A file that exists may be a hard link to the release being served, which must not change.
    this.#place(path, (file) => writeFileSync(file, bytes, { mode: 0o644, flag: 'wx' }));
  }

  /** Adds a file that follows from others: a hard link to the release being served, if that has the same one. */
  addMade(path: string, bytes: Uint8Array): void {
    if (this.held?.read(path)?.equals(bytes)) this.#link(join(this.held.folder, path), path);
    else this.addUnlisted(path, bytes);
  }

  /** Adds a file of this folder under another path, too. */
  addLink(path: string, existing: string): void {
    this.#link(join(this.#folder, existing), path);
  }

  /** Whether a file is in the folder. */
  includes(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Adds a file of the release being served, if that has one with this hash. Returns whether it has. */
  addHeld(path: string, hash: string): boolean {
    if (this.held?.has(path, hash) !== true) return false;
    this.#link(join(this.held.folder, path), path);
    return true;
  }

  async #fetch({ path, hash, statedIn }: StatedFile): Promise<void> {
    if (isHostFile(path)) return this.#addHostFile(path, hash);
    try {
      this.#receive(path, await readHashedFile(askAgain(registryFiles(this.#source)), path, hash));
    } catch (cause) {
      if (!(cause instanceof RegistryError)) throw cause;
      const isMissing = hasCode(cause, 'ERR_SOURCE_STATUS');
      const problem = isMissing ? 'is missing' : `does not match its hash in ${statedIn}`;
      throw new TreeRejected(`${path} ${problem}`, { cause });
    }
  }

  /** Makes or downloads a file that configures hosts, which a host may hide: then it is left out. */
  async #addHostFile(path: string, hash: string): Promise<void> {
    const own = ownHostFile(path, hash);
    if (own !== undefined && this.addOwn(path, Buffer.from(own), hash)) return;
    const bytes = (await this.#source.get(path).catch(() => undefined))?.bytes;
    if (bytes !== undefined && sha256(bytes) === hash) this.#receive(path, bytes);
  }

  #receive(path: string, bytes: Uint8Array): void {
    this.addUnlisted(path, bytes);
    this.#count(bytes);
  }

  #count(bytes: Uint8Array): void {
    this.#fetched += 1;
    this.#bytes += bytes.length;
  }

  #link(existing: string, path: string): void {
    this.#place(path, (file) => linkSync(existing, file));
  }

  #place(path: string, work: (file: string) => void): void {
    const file = join(this.#folder, path);
    const folder = dirname(file);
    try {
      if (!this.#folders.has(folder)) mkdirSync(folder, { recursive: true });
      this.#folders.add(folder);
      work(file);
      this.#paths.add(path);
    } catch (cause) {
      throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
    }
  }
}
