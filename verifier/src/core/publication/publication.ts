import { RegistryError } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import { LIMITS } from '../limits.js';
import type { SignedPair } from '../statements/signed-list.js';
import { TREE_FILES } from '../tree-files.js';
import type { CurrentRecords, ListChange } from './follow-changes.js';
import { snapshotOf } from './list-files.js';
import { limitFiles, type RegistryFiles } from './registry-files.js';
import type { DatedList } from './rollback.js';
import {
  type AcceptedStatements,
  acceptedUnder,
  acceptStatements,
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
  return current === undefined ? [...statements, TREE_FILES.signature, TREE_FILES.list] : statements;
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
    return { ...content, ...acceptStatements(statements, trust.clock) };
  });
}

/** The inputs for reading the list of a source under one root key. */
interface Reading {
  readonly files: RegistryFiles;
  readonly trust: PublicationTrust;
  readonly statements: Statements;
}

async function readContent(reading: Reading): Promise<Content> {
  return unchanged(reading) ?? (await followed(reading)) ?? whole(reading);
}

/** Returns the current list if the publication statement names it. */
function unchanged({ trust, statements }: Reading): Content | undefined {
  const current = acceptedUnder(statements.rootKey, trust.current);
  if (current === undefined || current.sha256 !== statements.publication.sha256) return undefined;
  const { updatedAt, sha256, size, records, pair } = current;
  assertNamed({ updatedAt, sha256, size, issuers: records.issuers.length }, statements.publication);
  return { updatedAt, sha256, size, issuers: undefined, change: undefined, pair };
}

/** Follows the changes since the current list through the tree of sums. Whatever is wrong, the whole list decides. */
async function followed({ files, trust, statements }: Reading): Promise<Content | undefined> {
  const { current, maxListBytes = LIMITS.list, needsBytes = false } = trust;
  const { publication: statement, rootKey } = statements;
  if (current === undefined || statement.size > maxListBytes) return undefined;
  try {
    const found = await current.records.follow(files, { statement, rootKey, needsBytes });
    if (found === undefined) return undefined;
    const { updatedAt, sha256, size } = statement;
    return { updatedAt, sha256, size, issuers: undefined, ...found };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return undefined;
  }
}

async function whole({ files, trust, statements }: Reading): Promise<Content> {
  const { current, maxListBytes = LIMITS.list, needsBytes } = trust;
  // A client without a list has already requested the pair at the top of the tree. Either order will do (rule named-list).
  const snapshot = snapshotOf(statements.publication);
  const folders = current === undefined ? ['', snapshot] : [snapshot, ''];
  const reading = { statements, folders, maxListBytes };
  const { list, signature, registry, sha256 } = await readWholeList(files, reading);
  return {
    updatedAt: registry.updated_at,
    sha256,
    size: list.length,
    issuers: registry.issuers,
    change: undefined,
    pair: needsBytes === true ? { list, signature } : undefined,
  };
}
