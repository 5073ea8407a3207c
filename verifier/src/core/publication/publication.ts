import { RegistryError } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import { LIMITS } from '../limits.js';
import type { PublicationStatement } from '../statements/publication-statement.js';
import { TREE_FILES } from '../tree-files.js';
import type { CurrentRecords, ListChange } from './follow-changes.js';
import { limitFiles, type RegistryFiles } from './registry-files.js';
import type { DatedList } from './rollback.js';
import {
  type AcceptedStatements,
  acceptStatements,
  readStatements,
  type SourceTrust,
  underAnyRoot,
} from './statements.js';
import { assertNamed, readWholeList } from './whole-list.js';

/** What a verifier trusts and requires when it reads a publication. */
export interface PublicationTrust extends SourceTrust {
  /** The publication from which answers come now. A newer one can reuse its records. */
  readonly current: CurrentPublication | undefined;
  /** The maximum size of the list in bytes. A signed statement can set a lower limit. Default: 256 MiB. */
  readonly maxListBytes?: number;
  /** Whether the result has the bytes of the list, for a store. Default: false. */
  readonly needsBytes?: boolean;
}

/** A publication that passed every check: the statements, and the list that they name. */
export interface Publication extends AcceptedStatements, Content {}

/** The publication from which answers come now, with its records. */
interface CurrentPublication extends Publication {
  readonly records: CurrentRecords;
}

interface Content extends DatedList {
  /** The size of the list in bytes. */
  readonly size: number;
  /** All records, if the list was read as a whole. Undefined if the current list is the same, or has to be changed. */
  readonly issuers: Issuer[] | undefined;
  /** What turns the current list into this list. */
  readonly change: ListChange | undefined;
  /** The bytes of the list, for a store. Undefined if the client needs none. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Returns what to request together with the statements: for a client without a list, the list, because the statements usually
 * name the one at this path.
 */
export function pathsReadFirst({ current }: Pick<PublicationTrust, 'current'>): readonly string[] {
  return current === undefined ? [TREE_FILES.list] : [];
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
    const content = await readContent({ files: source, trust, statement: statements.publication });
    return { ...content, ...acceptStatements(statements, trust.clock) };
  });
}

/** The inputs for reading the list of a source. */
interface Reading {
  readonly files: RegistryFiles;
  readonly trust: PublicationTrust;
  /** Names the list. */
  readonly statement: PublicationStatement;
}

/** Takes the current list if it is the named one, else follows the changes since, else downloads the whole list. */
async function readContent(reading: Reading): Promise<Content> {
  const same = unchanged(reading);
  if (same !== undefined) return same;
  const changed = await followed(reading);
  if (changed !== undefined) return changed;
  return whole(reading);
}

/** Returns the current list if the publication statement names it. */
function unchanged({ trust, statement }: Reading): Content | undefined {
  const { current } = trust;
  if (current === undefined || current.sha256 !== statement.sha256) return undefined;
  const { updatedAt, sha256, size, records, bytes } = current;
  assertNamed({ updatedAt, sha256, size, issuers: records.issuers.length }, statement);
  return { updatedAt, sha256, size, issuers: undefined, change: undefined, bytes };
}

/** Follows the changes since the current list through the tree of sums. After any error, the whole list decides. */
async function followed({ files, trust, statement }: Reading): Promise<Content | undefined> {
  const { current, maxListBytes = LIMITS.list, needsBytes = false } = trust;
  if (current === undefined || statement.size > maxListBytes) return undefined;
  try {
    const found = await current.records.follow(files, { statement, needsBytes });
    if (found === undefined) return undefined;
    const { updatedAt, sha256, size } = statement;
    return { updatedAt, sha256, size, issuers: undefined, ...found };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return undefined;
  }
}

async function whole({ files, trust, statement }: Reading): Promise<Content> {
  const { current, maxListBytes = LIMITS.list, needsBytes } = trust;
  const reading = { statement, isRequested: current === undefined, maxListBytes };
  const { bytes, registry } = await readWholeList(files, reading);
  return {
    updatedAt: statement.updatedAt,
    sha256: statement.sha256,
    size: statement.size,
    issuers: registry.issuers,
    change: undefined,
    bytes: needsBytes === true ? bytes : undefined,
  };
}
