import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Issuer,
  type IssuerRegistry,
  importRootKey,
  RegistryError,
  type RootKey,
  verifySignature,
} from '@passport-registry/verifier';
import {
  type AboutIssuers,
  ANY_TIME,
  type Checkpoint,
  type PublicationStatement,
  parseStrictJson,
  publicationStatementOf,
  readRotation,
  readStatement,
  refuseOlderList,
  type StatementsFile,
  statementHash,
  verifyAbout,
  verifyCheckpoint,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { ignoring, TreeRejected, UsageError } from '../errors.js';
import { readIfReadable } from '../files/read-file.js';
import type { ListBytes } from '../list/list.js';
import { updatedAtOf } from '../list/updated-at.js';
import type { ReadFileSync } from '../log/log-files.js';
import { parseChecksums, sha256 } from './checksums.js';
import { withCommitment } from './commitment.js';
import { PATHS } from './paths.js';
import { type PendingPublication, pendingPublication } from './pending-publication.js';
import { readUnverified, statementsIn } from './statements-file.js';

/** The tree in the output folder. After a killed build, any part may be missing or belong to another build. */
export interface PublishedTree extends PublishedFiles {
  /** The folder that contains the tree. */
  readonly folder: string;
}

/** The parts of a published tree that decide about the next publication, wherever the tree is. */
export interface PublishedFiles {
  readonly list: Uint8Array | undefined;
  /** The updated_at of the list, which the next updated_at must exceed. It is read even from a damaged list. */
  readonly updatedAt: string | undefined;
  /** The text of issuers.sig. */
  readonly signature: string | undefined;
  /** With the keys to which the rotation of the tree commits it. */
  readonly rootKey: RootKey | undefined;
  /** The content of statements.json; undefined if it is missing or damaged. */
  readonly statements: StatementsFile | undefined;
  /** The publication statement; undefined if there is none, or if it is damaged. */
  readonly statement: PublicationStatement | undefined;
  /** Whether the tree was published, intact or not. False if it has only the log of a first publication that was killed. */
  readonly isPublished: boolean;
  /**
   * The names and reasons that the publication statement names: none if it names none, and undefined if about.json is
   * missing or damaged.
   */
  readonly about: AboutIssuers | undefined;
  /** The checkpoint, whenever it expires; undefined if there is none, or if it is not valid. */
  readonly checkpoint: Checkpoint | undefined;
  /** A publication in the log that has not been completed; undefined if there is none. */
  readonly pending: PendingPublication | undefined;
  /** Whether a development key signed the tree. */
  readonly development: boolean;
  /** Whether the signature is valid for the list under the root key. */
  readonly signed: boolean;
  /**
   * Whether the list and the root key are those that a build published: the signature is valid, or the file has its
   * hash in SHA256SUMS. This is true after a killed build, but not after somebody has edited the file.
   */
  readonly intact: { readonly list: boolean; readonly rootKey: boolean };
  /**
   * Returns the records of the list. The first call parses the list, which needs no validation: only valid lists are
   * published. Call it only if `intact.list` is true.
   */
  readonly issuers: () => readonly Issuer[];
  /** Returns the hashes in SHA256SUMS by path, or undefined if the file is damaged. The first call reads the file. */
  readonly checksums: () => ReadonlyMap<string, string> | undefined;
}

/**
 * Reads the parts of the published tree that a build needs.
 *
 * @returns undefined if the folder is empty or does not exist
 * @throws {@link TreeRejected} if the list is older than the one that the tree's publication statement names
 * @throws {@link UsageError} if the folder contains anything else, because a build would remove it
 */
export async function readPublished(out: string): Promise<PublishedTree | undefined> {
  if (!existsSync(out)) return undefined;
  if (!statSync(out).isDirectory()) throw new UsageError(`${out} is not a folder: choose another with --out`);
  if (readdirSync(out).length === 0) return undefined;
  // A first publication that was killed may have only its log.
  if (!hasTree(out) && !existsSync(join(out, PATHS.logHead))) {
    if (existsSync(join(out, PATHS.signature)) && existsSync(join(out, PATHS.list)))
      throw new UsageError(`${out} has lost ${PATHS.checksums}: a build would remove what else is there`);
    throw new UsageError(
      `${out} is not empty and contains no registry: a build removes all other files, so choose another folder`,
    );
  }
  return { folder: out, ...(await publishedFiles(out, (path) => readIfReadable(out, path))) };
}

/** Whether a folder has a tree, and not only the log of a first publication that was killed. */
export function hasTree(out: string): boolean {
  return existsSync(join(out, PATHS.list)) && existsSync(join(out, PATHS.checksums));
}

/**
 * Reads the parts of a published tree.
 *
 * @param name - the name of the tree in messages
 * @throws {@link TreeRejected} if the list is older than the one that the tree's publication statement names
 */
export async function publishedFiles(name: string, read: ReadFileSync): Promise<PublishedFiles> {
  const [list, root] = [read(PATHS.list), read(PATHS.rootKey)];
  const signature = textIn(read(PATHS.signature));
  const statements = statementsIn(read);
  const rootKey = await committedBy(statements?.rotation ?? [], await rootKeyOf(root));
  const signed = await isSigned(list, signature, rootKey);
  const statement = await statementOf(statements, rootKey);
  const checkpoint = await checkpointOf(statements, rootKey, statement);
  if (statements !== undefined) assertStatementsFit(name, statements);
  let known: { readonly sums: ReadonlyMap<string, string> | undefined } | undefined;
  const checksums = () => {
    known ??= { sums: parseChecksums(textIn(read(PATHS.checksums)) ?? '') };
    return known.sums;
  };
  let parsed: readonly Issuer[] | undefined;
  const issuers = () => {
    parsed ??= issuersIn(list);
    return parsed;
  };
  const isListed = (path: string, bytes: Uint8Array | undefined) =>
    bytes !== undefined && checksums()?.get(path) === sha256(bytes);
  const mark = read(PATHS.developmentMark);
  // The mark counts only if a build wrote it.
  const development = isListed(PATHS.developmentMark, mark);
  const intact = {
    list: signed || isListed(PATHS.list, list),
    rootKey: signed || isListed(PATHS.rootKey, root),
  };
  if (list !== undefined && intact.list) {
    // A production list may replace a later list of a development key, and be killed before its statement is written.
    if (!development) assertNotRolledBack(name, list, statement);
  }
  return {
    list,
    updatedAt: list && updatedAtOf(list),
    signature,
    rootKey,
    statements,
    statement,
    about: await verifyAbout(read(PATHS.about), statement ?? { aboutSha256: undefined }),
    pending: await pendingPublication(read, statement, rootKey),
    isPublished: [list, read(PATHS.statements), checksums()].some((part) => part !== undefined),
    checkpoint,
    development,
    signed,
    intact,
    issuers,
    checksums,
  };
}

/**
 * Returns a published tree as if its pending publication had been completed. A new publication follows the newest one in
 * the log.
 */
export function withPending<T extends PublishedFiles>(published: T): T {
  const { pending, intact } = published;
  if (pending === undefined) return published;
  const { list, signature, statement, about } = pending;
  return {
    ...published,
    list,
    signature,
    statement,
    about,
    isPublished: true,
    signed: true,
    updatedAt: statement.updatedAt,
    intact: { ...intact, list: true },
    issuers: () => issuersIn(list),
  };
}

function issuersIn(list: Uint8Array | undefined): readonly Issuer[] {
  const { issuers }: IssuerRegistry = JSON.parse(new TextDecoder().decode(list));
  return issuers;
}

const textIn = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('utf8');

/** Reads the key from the bytes of keys/root.json. Returns undefined if there is no valid key. */
export async function rootKeyOf(bytes: Uint8Array | undefined): Promise<RootKey | undefined> {
  try {
    return bytes && (await importRootKey(parseStrictJson(bytes)));
  } catch {
    return undefined;
  }
}

/** Adds to a root key the keys to which the rotation of the tree commits it. */
async function committedBy(
  rotation: readonly string[],
  rootKey: RootKey | undefined,
): Promise<RootKey | undefined> {
  if (rootKey === undefined) return rootKey;
  // A build refuses a damaged rotation.
  const committed = async () => withCommitment(rootKey, readRotation(rotation));
  return (await committed().catch(ignoring(RegistryError))) ?? rootKey;
}

/**
 * Reads the publication statement. After a killed rotation, keys/root.json is another key than the one that signed; the
 * statement then counts as it is.
 */
async function statementOf(
  statements: StatementsFile | undefined,
  rootKey: RootKey | undefined,
): Promise<PublicationStatement | undefined> {
  if (statements === undefined) return undefined;
  const read = async () => {
    const invalid = (message: string) => new RegistryError('ERR_PUBLICATION_INVALID', message);
    const unverified = readStatement(statements.publication, 'registry-publication+jwt', invalid);
    if (rootKey !== undefined && unverified.kid === rootKey.thumbprint)
      return verifyPublicationStatement(statements.publication, rootKey, ANY_TIME);
    return publicationStatementOf(unverified);
  };
  return read().catch(ignoring(RegistryError));
}

/** Whether a published tree has exactly this list. */
export function hasList(
  published: Pick<PublishedFiles, 'list'> | undefined,
  { list }: Pick<ListBytes, 'list'>,
): boolean {
  return published?.list !== undefined && Buffer.compare(published.list, list) === 0;
}

/** Whether a signature is valid for a list under a root key. */
export async function isSigned(
  list: Uint8Array | undefined,
  signature: string | undefined,
  rootKey: RootKey | undefined,
): Promise<boolean> {
  if (list === undefined || signature === undefined || rootKey === undefined) return false;
  const verified = verifySignature(list, signature, rootKey).then(() => true);
  return (await verified.catch(ignoring(RegistryError))) ?? false;
}

/** Reads the checkpoint of a tree. Undefined if it is not valid: it then proves nothing, and a build refuses it. */
async function checkpointOf(
  statements: StatementsFile | undefined,
  rootKey: RootKey | undefined,
  statement: PublicationStatement | undefined,
): Promise<Checkpoint | undefined> {
  if (statements === undefined || rootKey === undefined) return undefined;
  const signers = { rootKey, online: statement?.kid === rootKey.thumbprint ? statement.online : undefined };
  return verifyCheckpoint(statements.checkpoint, signers, ANY_TIME).catch(ignoring(RegistryError));
}

/**
 * A build writes the statements after the list. So they never name a newer list than the tree has, even after a kill. If they do,
 * an older list was put back: by mistake, or to undo a suspension.
 */
function assertNotRolledBack(name: string, list: Uint8Array, named: PublicationStatement | undefined): void {
  const updatedAt = updatedAtOf(list);
  if (updatedAt === undefined) return;
  try {
    refuseOlderList({ updatedAt, sha256: sha256(list) }, named);
  } catch (cause) {
    throw new TreeRejected(
      `the list in ${name} is dated ${updatedAt}, but the publication statement names another list, dated ${named?.updatedAt}: an older list was ` +
        'put back; restore the tree from a mirror or from git',
      { cause },
    );
  }
}

/**
 * One rename replaces all statements. So the checkpoint always names the publication beside it, unless an older one was put back: a
 * build would then sign another publication under a number that verifiers know.
 */
function assertStatementsFit(name: string, { publication, checkpoint }: StatementsFile): void {
  const named = readUnverified(checkpoint, 'registry-checkpoint+jwt')?.claims.publication;
  if (named === undefined || named === statementHash(publication)) return;
  throw new TreeRejected(
    `the checkpoint in ${name}/${PATHS.statements} is for another publication than the one beside it: an older statement was put back; ` +
      'restore the tree from a mirror or from git',
  );
}
