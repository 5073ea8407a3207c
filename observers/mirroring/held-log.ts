import type { RootKey } from '@passport-registry/verifier';
import {
  headSigner,
  type IndexedEntry,
  type NoteKey,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { readLogHead } from '../../generator/log/log-files.js';
import { readEntries } from '../../generator/log/read-log.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { readStatedLog } from '../../generator/verification/audit-log.js';
import { folderSource } from '../../generator/verification/tree-source.js';
import type { HeldRelease } from './held-release.js';

/** The log of a release that a mirror accepted before. The log of a new release must contain it. */
export interface HeldLog {
  readonly release: HeldRelease;
  readonly head: SignedHead;
  /** The key of the log, which has signed the head. */
  readonly key: NoteKey;
  /** All entries. Empty if files are damaged on this disk: they are then downloaded again. */
  readonly entries: readonly IndexedEntry[];
  /** The index of the publication that the release publishes. Undefined if that one was not logged. */
  readonly published: number | undefined;
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
  const hash = statement && sha256(statement.text);
  const published = entries.find(({ entry }) => entry.sha256 === hash)?.index;
  return { release, head, key, entries, published };
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
