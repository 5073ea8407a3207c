import { RegistryError, type RootKey, verifySignature } from '@passport-registry/verifier';
import {
  ANY_TIME,
  decodeUtf8,
  type PlacedEntry,
  type PublishedStatement,
  readStatement,
  successorIn,
  verifyPublicationStatement,
  verifyStatement,
} from '@passport-registry/verifier/internal';
import { damagedLog, type ReadFile, readLogHead } from '../log/log-files.js';
import { entriesSince } from '../log/log-tail.js';
import { sha256 } from './checksums.js';
import { PATHS } from './paths.js';

/** A publication that is in the log of a tree, but has not replaced the published files yet (rule log-write-order). */
export interface PendingPublication {
  readonly list: Uint8Array;
  /** The text of issuers.sig. */
  readonly signature: string;
  readonly statement: PublishedStatement;
  /** The root key that signed the publication: that of the tree, or the next one after a rotation. */
  readonly rootKey: RootKey;
  /** The delegation and the rotation step that are in the log, but not in the tree. */
  readonly delegation: string | undefined;
  readonly rotation: string | undefined;
}

/**
 * Reads the newest publication in the log of a tree, if it is newer than the published statement. A publisher shows the
 * head of the log before it replaces the published files, so a killed publication has to be completed, and its sequence
 * cannot be used again.
 *
 * @param published - the published statement as far as it can be read, and the root key of the tree
 * @throws {@link TreeRejected} if the log is damaged, or names a publication whose files are missing or not signed
 */
export async function pendingPublication(
  read: ReadFile,
  statement: PublishedStatement | undefined,
  rootKey: RootKey | undefined,
): Promise<PendingPublication | undefined> {
  const head = readLogHead(read);
  if (head === undefined || rootKey === undefined) return undefined;
  const published = statement?.log === undefined ? undefined : sha256(statement.text);
  const tail = entriesSince(read, head.size, published);
  const newest = tail.find(({ entry }) => entry.type === 'publication');
  if (newest === undefined || newest.entry.sha256 === published) return undefined;
  const latest = (type: 'delegation' | 'rotation') => {
    const found = tail.find(({ entry }) => entry.type === type);
    return found && readLogged(read, found);
  };
  const [delegation, rotation] = [latest('delegation'), latest('rotation')];
  const roots = [rootKey, ...(rotation === undefined ? [] : [await nextRoot(rotation, rootKey)])];
  return { ...(await readSigned(read, newest, roots)), delegation, rotation };
}

/** Returns the root key to which a rotation step of the tree's root key leads. */
async function nextRoot(rotation: string, rootKey: RootKey): Promise<RootKey> {
  const invalid = (message: string) => damagedLog(`has a rotation step that ${message}`);
  const step = readStatement(rotation, 'registry-root-rotation+jwt', invalid);
  await verifyStatement(step, rootKey, { clock: undefined, invalid });
  return successorIn(step, [rootKey]).catch((error: RegistryError) => {
    throw invalid(`is refused: ${error.message}`);
  });
}

/** Reads the list, its signature and the statement of an entry. One of the root keys must have signed them. */
async function readSigned(read: ReadFile, placed: PlacedEntry, roots: readonly RootKey[]) {
  const text = readLogged(read, placed);
  const hash = placed.entry.type === 'publication' ? placed.entry.list : '';
  const list = read(PATHS.snapshot(hash, PATHS.list));
  const signature = read(PATHS.snapshot(hash, PATHS.signature));
  if (list === undefined || signature === undefined || sha256(list) !== hash) {
    throw damagedLog(`names the list ${hash}, which is missing or damaged in the folder snapshots`);
  }
  for (const rootKey of roots) {
    try {
      const statement = await verifyPublicationStatement(text, rootKey, ANY_TIME);
      const signed = decodeUtf8(signature).trim();
      await verifySignature(list, signed, rootKey);
      return { list, signature: signed, statement: { ...statement, text }, rootKey };
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
    }
  }
  throw damagedLog(`has an entry ${placed.index} that is not signed by the root key of the tree`);
}

/** Reads the statement of an entry. */
function readLogged(read: ReadFile, { index, entry }: PlacedEntry): string {
  const bytes = read(PATHS.loggedStatement(index));
  if (bytes === undefined || sha256(bytes) !== entry.sha256) {
    throw damagedLog(`has an entry ${index} whose statement is missing or damaged`);
  }
  return decodeUtf8(bytes);
}
