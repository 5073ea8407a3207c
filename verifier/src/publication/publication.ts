import { decodeUtf8 } from '../encoding/utf8.js';
import {
  CheckpointMismatch,
  PublicationMismatch,
  RegistryError,
  SignatureMalformed,
  SourceStatus,
  SourceTooLarge,
} from '../errors.js';
import { limitOf } from '../limits.js';
import { trimSignature } from '../trust/signature.js';
import { type VerifiedList, verifyList } from '../trust/signed-list.js';
import { limitFiles } from './limit-files.js';
import type { RegistryFiles } from './registry-files.js';
import {
  acceptHead,
  type Head,
  knownUnder,
  readStatements,
  type SourceTrust,
  STATEMENT_FILES,
  type Statements,
} from './statements.js';
import { underAnyRoot } from './under-any-root.js';

/** What a verifier trusts and requires when it reads a publication. */
export interface Trust extends SourceTrust<Publication> {
  /**
   * The maximum size of the list in bytes. A signed statement can set a lower limit. Default: the limit of
   * {@link limitOf}.
   */
  readonly maxListBytes?: number;
}

/** A publication that passed every check, with the data for checking it again. */
export interface Publication extends Head, VerifiedList, SignedPair {}

interface SignedPair {
  readonly list: Uint8Array;
  readonly signature: string;
}

const LIST = 'issuers.json';
const SIGNATURE = 'issuers.sig';

/**
 * Returns the files that {@link readPublication} always reads, so that the caller can request all of them at once. For
 * a client without a list, these include the list, because the statements usually name the list at this path. The
 * caller requests the rotation separately.
 */
export function pathsReadFirst(held: Publication | undefined): readonly string[] {
  if (held === undefined) return [...STATEMENT_FILES, SIGNATURE, LIST];
  const isNamed = held.checkpoint !== undefined || held.statement !== undefined;
  return isNamed ? STATEMENT_FILES : [...STATEMENT_FILES, SIGNATURE];
}

/**
 * Reads and verifies the publication of a source, in the order of SPEC A3, B6 and C1. The root keys must be the current
 * keys after all rotations. One root key must have signed the whole publication. If this function throws, the caller
 * must not use or store any part of the publication.
 */
export async function readPublication(files: RegistryFiles, trust: Trust): Promise<Publication> {
  const source = limitFiles(files);
  return underAnyRoot(trust.roots, async (root) => {
    const statements = await readStatements(source, root, trust);
    const known = knownUnder(root, trust.held);
    const verified = await readList({ files: source, trust, known, statements });
    const head = acceptHead(
      statements,
      { updatedAt: verified.registry.updated_at, sha256: verified.sha256 },
      trust,
    );
    return { ...verified, ...head };
  });
}

/** The inputs for reading the list of a source under one root key. */
interface Reading {
  readonly files: RegistryFiles;
  readonly trust: Trust;
  /** The last accepted publication, if the same root key signed it. */
  readonly known: Publication | undefined;
  readonly statements: Statements;
}

/** Reads and verifies the list of a source. It must be the list that the statements name. */
async function readList(reading: Reading): Promise<VerifiedList & SignedPair> {
  const { files, trust, known, statements } = reading;
  const { root } = statements;
  if (known !== undefined && (await isUnchanged(files, statements, known))) {
    const { list, signature, registry, sha256 } = known;
    return assertNamed({ list, signature, registry, sha256 }, statements);
  }
  // A client without a list has already requested the pair at the top of the tree.
  const named = namedBy(statements);
  const snapshot = named && `snapshots/${named.sha256}/`;
  const folders = trust.held === undefined ? ['', snapshot] : [snapshot, ''];
  let failure: unknown;
  for (const folder of folders) {
    try {
      const pair = folder === undefined ? undefined : await readPair(reading, folder);
      if (pair !== undefined)
        return assertNamed({ ...pair, ...(await verifyList({ ...pair, rootKey: root })) }, statements);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      failure = error;
    }
  }
  throw failure ?? new SourceStatus(`the source has no ${LIST}, or no ${SIGNATURE}`);
}

/** Returns what the statements say of the list: the publication statement, or else the checkpoint. */
function namedBy({ statement, checkpoint }: Statements) {
  return statement ?? checkpoint;
}

/** Returns whether a source still has the held list: a statement names it, or the signature is the same. */
async function isUnchanged(
  files: RegistryFiles,
  statements: Statements,
  known: Publication,
): Promise<boolean> {
  const named = namedBy(statements);
  if (named !== undefined) return named.sha256 === known.sha256;
  return (await readSignature(files, SIGNATURE)) === trimSignature(known.signature);
}

/** Reads the list and its signature from a folder. In a snapshot, the two always match. */
async function readPair(
  { files, trust, statements }: Reading,
  folder: string,
): Promise<SignedPair | undefined> {
  const { maxListBytes = limitOf(LIST) } = trust;
  const named = namedBy(statements);
  const size = Math.min(named?.size ?? Number.POSITIVE_INFINITY, maxListBytes);
  const reading = files.get(`${folder}${LIST}`, size).catch((error) => {
    const isOther = error instanceof SourceTooLarge && size === named?.size;
    throw isOther ? mismatch(statements, 'a larger list') : error;
  });
  const [list, signature] = await Promise.all([reading, readSignature(files, `${folder}${SIGNATURE}`)]);
  if (list === undefined || signature === undefined) return undefined;
  return { list, signature };
}

async function readSignature(files: RegistryFiles, path: string): Promise<string | undefined> {
  const bytes = await files.get(path);
  if (bytes === undefined) return undefined;
  try {
    return trimSignature(decodeUtf8(bytes));
  } catch (cause) {
    throw new SignatureMalformed(`${path} is not UTF-8`, { cause });
  }
}

/** Asserts that the statements, if any, name the list. Returns the list. */
function assertNamed(verified: VerifiedList & SignedPair, statements: Statements): VerifiedList & SignedPair {
  const { registry, sha256, list } = verified;
  const named = namedBy(statements);
  if (named === undefined) return verified;
  const isNamed = named.sha256 === sha256 && named.size === list.length;
  if (!isNamed || named.updatedAt !== registry.updated_at) throw mismatch(statements, sha256);
  const { statement } = statements;
  if (statement !== undefined && statement.issuers !== registry.issuers.length) {
    throw new PublicationMismatch(
      `the publication statement names a list of ${statement.issuers} issuers, but the list has ${registry.issuers.length}`,
    );
  }
  return verified;
}

function mismatch({ statement, checkpoint }: Statements, found: string) {
  return statement === undefined
    ? new CheckpointMismatch(
        `the checkpoint names the list ${checkpoint?.sha256}, but the source has ${found}`,
      )
    : new PublicationMismatch(
        `the publication statement names the list ${statement.sha256}, but the source has ${found}`,
      );
}
