import { RegistryError } from '@passport-registry/verifier';
import {
  assertSignedByLog,
  type NoteKey,
  type PublishedStatement,
  type SignedHead,
} from '@passport-registry/verifier/internal';
import { TreeRejected } from '../errors.js';
import { PATHS } from '../tree/paths.js';
import { logKeyIn } from './log-proof.js';
import { type LogRoots, LogSigners } from './log-signers.js';
import { Problems, type SeenFiles } from './seen-files.js';

/** A publication that is only in the log is among so many of the newest entries, with the rotation steps that lead to it. */
const MAX_PENDING_ENTRIES = 8;

/** What names the key of a log. */
interface Naming {
  /** The publication statement of the tree, which has been verified. */
  readonly statement: PublishedStatement | undefined;
  readonly roots: LogRoots;
}

/**
 * Asserts that the head of a log is signed by a key that the root key has named, before the entries are read: anybody can
 * claim a log of any size. The key is in the published statement, or in that of a publication that is only in the log yet.
 *
 * @throws {@link Problems}
 */
export async function assertHeadSigned(
  files: SeenFiles,
  head: SignedHead,
  { statement, roots }: Naming,
): Promise<void> {
  const invalid = (message: string) => new Problems([`${PATHS.logHead} ${message}`]);
  const isSignedBy = async (text: string | Uint8Array | undefined): Promise<boolean> => {
    try {
      const key: NoteKey | undefined = text === undefined ? undefined : logKeyIn(text, invalid);
      if (key !== undefined) await assertSignedByLog(head, key, invalid);
      return key !== undefined;
    } catch (error) {
      if (error instanceof Problems || error instanceof TreeRejected) return false;
      throw error;
    }
  };
  if (statement?.log !== undefined && (await isSignedBy(statement.text))) return;
  if (await isSignedBy(await pendingStatement(files, head.size, roots))) return;
  throw invalid('is not signed by the key of the log that the root key names');
}

/** Returns the newest publication statement in a log, if the root key of the tree, or one that follows it in the log, signed it. */
async function pendingStatement(
  files: SeenFiles,
  size: number,
  roots: LogRoots,
): Promise<Uint8Array | undefined> {
  for (let first = size - 1; first >= Math.max(0, size - MAX_PENDING_ENTRIES); first--) {
    const signers = new LogSigners(roots);
    signers.beginWith(roots.keys.at(-1));
    const newest = await newestPublication(files, { first, size }, signers);
    if (newest !== undefined) return newest;
  }
  return undefined;
}

async function newestPublication(
  files: SeenFiles,
  { first, size }: { readonly first: number; readonly size: number },
  signers: LogSigners,
): Promise<Uint8Array | undefined> {
  let newest: Uint8Array | undefined;
  try {
    for (let index = first; index < size; index++) {
      const bytes = await files.require(PATHS.loggedStatement(index));
      if ((await signers.readUnknown(bytes, index)) !== undefined) continue;
      if ((await signers.read(bytes, index)).entry.type === 'publication') newest = bytes;
    }
  } catch (error) {
    // Not signed by the root key in force, or by one to which an earlier entry leads.
    if (error instanceof Problems || error instanceof RegistryError) return undefined;
    throw error;
  }
  return newest;
}
