import { type RootKey, verifySignature } from '@passport-registry/verifier';
import {
  type AboutIssuers,
  beginLog,
  decodeUtf8,
  isPublication,
  type PublicationStatement,
  rootKeysOf,
  trimSignature,
  type VerifiedEntry,
  verifyAbout,
  walkLog,
} from '@passport-registry/verifier/core';
import { damagedLog, entriesSince, type ReadFileSync, readLogHead } from '../log/log-files.js';
import { sha256 } from './checksums.js';
import { PATHS } from './paths.js';

/** A publication that is in the log of a tree, but has not replaced the published files yet (rule log-write-order). */
export interface PendingPublication {
  readonly list: Uint8Array;
  /** The text of issuers.sig. */
  readonly signature: string;
  readonly statement: PublicationStatement;
  /** The names and reasons that the statement names; undefined if they are not in the tree. */
  readonly about: AboutIssuers | undefined;
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
 * @param statement - the published one, as far as it can be read
 * @param rootKey - that of the tree
 * @throws {@link TreeRejected} if the log is damaged, or names a publication whose files are missing or not signed
 */
export async function pendingPublication(
  read: ReadFileSync,
  statement: PublicationStatement | undefined,
  rootKey: RootKey | undefined,
): Promise<PendingPublication | undefined> {
  const head = readLogHead(read);
  if (head === undefined || rootKey === undefined) return undefined;
  const published = statement?.log === undefined ? undefined : sha256(statement.text);
  const tail = entriesSince(read, head.size, published);
  const newer = tail.filter(({ entry }) => entry.sha256 !== published).reverse();
  if (!newer.some(isPublication)) return undefined;
  const statements = newer.map(({ index }) => read(PATHS.loggedStatement(index)));
  const { verified, state } = await walkLog(
    beginLog({ keys: [rootKey], inForce: rootKey }),
    newer.map(({ entry }, at) => ({ entry, statement: statements[at] })),
  );
  if (verified.length < newer.length) {
    throw damagedLog(
      'has a new statement that is missing or damaged, or not signed by the root key of the tree',
    );
  }
  const latest = (type: VerifiedEntry['type']) => {
    const found = statements[verified.findLastIndex((one) => one.type === type)];
    return found && decodeUtf8(found);
  };
  const publication = verified.flatMap((one) => (one.type === 'publication' ? one.publication : [])).at(-1);
  const signer = (await rootKeysOf(state)).find(({ thumbprint }) => thumbprint === publication?.kid);
  if (publication === undefined || signer === undefined) return undefined;
  const signed = await readSigned(read, publication.sha256, signer);
  const [delegation, rotation] = [latest('delegation'), latest('rotation')];
  const kept = read(PATHS.pending(publication.sha256, PATHS.about));
  const about = (await verifyAbout(kept, publication)) ?? (await verifyAbout(read(PATHS.about), publication));
  return { ...signed, statement: publication, about, rootKey: signer, delegation, rotation };
}

/** Reads the list of a pending publication, and its signature by the root key. */
async function readSigned(read: ReadFileSync, hash: string, rootKey: RootKey) {
  const list = read(PATHS.namedList(hash));
  const signature = read(PATHS.pending(hash, PATHS.signature));
  if (list === undefined || signature === undefined || sha256(list) !== hash) {
    throw damagedLog(`names the list ${hash}, which is missing or damaged, or whose signature is missing`);
  }
  const signed = trimSignature(decodeUtf8(signature));
  await verifySignature(list, signed, rootKey).catch(() => {
    throw damagedLog(`names the list ${hash}, which is not signed by the root key of the tree`);
  });
  return { list, signature: signed };
}
