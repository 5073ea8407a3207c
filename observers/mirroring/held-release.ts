import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RootKey, StoredPublication } from '@passport-registry/verifier';
import {
  headSigner,
  type IndexedEntry,
  type NoteKey,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { readLogHead } from '../../generator/log/log-files.js';
import { readEntries } from '../../generator/log/read-log.js';
import { parseChecksums, sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { readStatedLog } from '../../generator/verification/audit-log.js';
import { folderSource } from '../../generator/verification/tree-source.js';

/** A release that a mirror accepted before, and serves or served. */
export class HeldRelease {
  readonly folder: string;
  /** The hashes in SHA256SUMS; empty if the file is damaged. */
  readonly #sums: ReadonlyMap<string, string>;
  readonly #hashes = new Map<string, string | undefined>();

  constructor(folder: string) {
    this.folder = folder;
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

  /** Returns what a verifier would store of the release, without the list: the statements name it. Undefined if they are missing. */
  stored(): StoredPublication | undefined {
    const statements = this.read(PATHS.statements)?.toString('utf8');
    return statements === undefined ? undefined : { version: 1, statements };
  }
}

/** The log of a release that a mirror accepted before. The log of a new release must contain it. */
export interface HeldLog {
  readonly release: HeldRelease;
  readonly head: SignedHead;
  /** The key of the log, which has signed the head. */
  readonly key: NoteKey;
  /** All entries. Empty if files are damaged on this disk: they are then downloaded again. */
  readonly entries: readonly IndexedEntry[];
}

/**
 * Reads the newest log that was accepted before. As for publications, a damaged release, or one that is not valid under the
 * pinned key, is no evidence: the one before it counts.
 *
 * @param releases - the releases, newest first
 */
export async function readHeldLog(
  releases: readonly HeldRelease[],
  pinned: RootKey,
): Promise<HeldLog | undefined> {
  for (const release of releases) {
    try {
      const held = await logOf(release, pinned);
      if (held !== undefined) return held;
    } catch (error) {
      if (!(error instanceof TreeRejected || error instanceof IoFailed)) throw error;
    }
  }
  return undefined;
}

async function logOf(release: HeldRelease, pinned: RootKey): Promise<HeldLog | undefined> {
  const head = readLogHead((path) => release.read(path));
  if (head === undefined) return undefined;
  const { roots, statement } = await readStatedLog(folderSource(release.folder), pinned);
  const read = async (index: number) => release.read(PATHS.loggedStatement(index));
  const key = await headSigner(head, statement?.text, { roots: roots.keys, read });
  if (key === undefined) throw damaged('is not signed by the key of the log');
  const entries = await entriesOf(release, head);
  return { release, head, key, entries };
}

async function entriesOf(release: HeldRelease, head: SignedHead): Promise<readonly IndexedEntry[]> {
  try {
    return (await readEntries({ fetchFile: async (path) => release.read(path), invalid: damaged }, head))
      .entries;
  } catch (error) {
    if (error instanceof TreeRejected) return [];
    throw error;
  }
}

const damaged = (message: string) => new TreeRejected(`the log of a release ${message}`);
