import { RegistryError } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import { LIMITS } from '../limits.js';
import type { SignedPair } from '../statements/signed-list.js';
import { TREE_FILES } from '../tree-files.js';
import type { CurrentRecords, ListChange } from './follow-changes.js';
import { readSignature } from './list-files.js';
import { limitFiles, type RegistryFiles } from './registry-files.js';
import type { DatedList } from './rollback.js';
import {
  type AcceptedStatements,
  acceptedUnder,
  acceptList,
  namedBy,
  readStatements,
  type SourceTrust,
  type Statements,
  statementFiles,
  underAnyRoot,
} from './statements.js';
import { assertNamed, readWholeList } from './whole-list.js';

/** What a verifier trusts and requires when it reads a publication. */
export interface PublicationTrust extends SourceTrust {
  /** The publication from which answers come now. A newer one can reuse its records. */
  readonly current: CurrentPublication | undefined;
  /** The maximum size of the list in bytes. A signed statement can set a lower limit. Default: 256 MiB. */
  readonly maxListBytes?: number;
  /** Whether the result has the bytes of the list and its signature, for a store. Default: false. */
  readonly needsBytes?: boolean;
}

/** A publication that passed every check: the statements, and the list that they name. */
export interface Publication extends AcceptedStatements, Content {}

/** The publication from which answers come now, with its records. */
export interface CurrentPublication extends Publication {
  readonly records: CurrentRecords;
}

interface Content extends DatedList {
  /** The size of the list in bytes. */
  readonly size: number;
  /** All records, if the list was read as a whole. Undefined if the current list is the same, or has to be changed. */
  readonly issuers: Issuer[] | undefined;
  /** What turns the records of the current list into those of this list. */
  readonly change: ListChange | undefined;
  /** The signature of the list. Undefined if the client has followed changes and needs no bytes. */
  readonly signature: string | undefined;
  /** What a store keeps of the list. Undefined if the client needs no bytes. */
  readonly pair: SignedPair | undefined;
}

/**
 * Returns the files that {@link readPublication} always reads, so that the caller can request all of them at once. For
 * a client without a list, these include the list, because the statements usually name the list at this path. The
 * caller requests the rotation separately.
 */
export function pathsReadFirst({
  current,
  log,
}: Pick<PublicationTrust, 'current' | 'log'>): readonly string[] {
  const statements = statementFiles({ log });
  if (current === undefined) return [...statements, TREE_FILES.signature, TREE_FILES.list];
  const isNamed = current.checkpoint !== undefined || current.publication !== undefined;
  return isNamed ? statements : [...statements, TREE_FILES.signature];
}

/**
 * Reads and verifies the publication of a source, in the order of the protocol (rule client-steps). The root keys must
 * be the current keys after all rotations. One root key must have signed the whole publication. If this function
 * throws, the caller must not use or store any part of the publication (rule save-last).
 */
export async function readPublication(files: RegistryFiles, trust: PublicationTrust): Promise<Publication> {
  const source = limitFiles(files);
  return underAnyRoot(trust.roots, async (rootKey) => {
    const statements = await readStatements(source, rootKey, trust);
    const content = await readContent({ files: source, trust, statements });
    return { ...content, ...acceptList(statements, content, trust) };
  });
}

/** The inputs for reading the list of a source under one root key. */
interface Reading {
  readonly files: RegistryFiles;
  readonly trust: PublicationTrust;
  readonly statements: Statements;
}

async function readContent(reading: Reading): Promise<Content> {
  return (await unchanged(reading)) ?? (await followed(reading)) ?? whole(reading);
}

/** Returns the current list if the source still has it: a statement names it, or the signature is the same. */
async function unchanged({ files, trust, statements }: Reading): Promise<Content | undefined> {
  const current = acceptedUnder(statements.rootKey, trust.current);
  if (current === undefined) return undefined;
  const { updatedAt, sha256, size, records, signature, pair } = current;
  const named = namedBy(statements);
  const isSame =
    named === undefined
      ? signature !== undefined && (await readSignature(files)) === signature
      : named.sha256 === sha256;
  if (!isSame) return undefined;
  assertNamed({ updatedAt, sha256, size, issuers: records.issuers.length }, statements);
  return { updatedAt, sha256, size, issuers: undefined, change: undefined, signature, pair };
}

/** Follows the changes since the current list through the tree of sums. Whatever is wrong, the whole list decides. */
async function followed({ files, trust, statements }: Reading): Promise<Content | undefined> {
  const { current, maxListBytes = LIMITS.list, needsBytes = false } = trust;
  const { publication: statement, rootKey } = statements;
  if (current === undefined || statement === undefined || statement.size > maxListBytes) return undefined;
  try {
    const found = await current.records.follow(files, { statement, rootKey, needsBytes });
    if (found === undefined) return undefined;
    const { updatedAt, sha256, size } = statement;
    return { updatedAt, sha256, size, issuers: undefined, signature: found.pair?.signature, ...found };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return undefined;
  }
}

async function whole({ files, trust, statements }: Reading): Promise<Content> {
  const { current, maxListBytes = LIMITS.list, needsBytes } = trust;
  // A client without a list has already requested the newest one.
  const reading = { statements, isRequested: current === undefined, maxListBytes };
  const { list, signature, registry, sha256 } = await readWholeList(files, reading);
  return {
    updatedAt: registry.updated_at,
    sha256,
    size: list.length,
    issuers: registry.issuers,
    change: undefined,
    signature,
    pair: needsBytes === true ? { list, signature } : undefined,
  };
}
