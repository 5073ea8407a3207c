import { sha256Hex } from '../bytes/sha256.js';
import { hasCode, RegistryError } from '../errors.js';
import type { IssuerRegistry } from '../generated/schemas.js';
import { readList } from '../list/list.js';
import type { PublicationStatement } from '../statements/publication-statement.js';
import { listPath, TREE_FILES } from '../tree-files.js';
import type { RegistryFiles } from './registry-files.js';
import type { DatedList } from './rollback.js';

/** A list by its time, its hash, its size and the number of its issuers. */
interface SizedList extends DatedList {
  /** The size of the list in bytes. */
  readonly size: number;
  readonly issuers: number;
}

/** How to read a whole list. */
interface WholeListReading {
  /** Names the list. */
  readonly statement: PublicationStatement;
  /** Whether `issuers.json` has been requested, so that it is used if it is the named list. */
  readonly isRequested: boolean;
  /** The maximum size of the list in bytes. The statement can set a lower limit. */
  readonly maxListBytes: number;
}

/** A list that a publication statement names: the bytes and what they say. */
interface NamedList {
  readonly bytes: Uint8Array;
  readonly registry: IssuerRegistry;
}

/**
 * Reads and verifies the list of a source. It must be the list that the publication statement names (rules named-list,
 * list-match).
 */
export async function readWholeList(files: RegistryFiles, reading: WholeListReading): Promise<NamedList> {
  const { statement } = reading;
  const bytes = await readNamed(files, reading);
  const registry = readList(bytes);
  const { updated_at: updatedAt, issuers } = registry;
  const { sha256 } = statement;
  assertNamed({ sha256, updatedAt, size: bytes.length, issuers: issuers.length }, statement);
  return { bytes, registry };
}

/** Asserts that a publication statement names a list. */
export function assertNamed(list: SizedList, statement: PublicationStatement): void {
  const [problem] = findMisnamed(statement, list);
  if (problem !== undefined) throw misnamed(problem);
}

/** Finds what a publication statement says of a list that is not so. Each problem is a predicate of the statement. */
export function findMisnamed(named: SizedList, list: SizedList): string[] {
  const facts: [name: string, said: unknown, found: unknown][] = [
    ['sha256', named.sha256, list.sha256],
    ['size', named.size, list.size],
    ['updated_at', named.updatedAt, list.updatedAt],
    ['issuers', named.issuers, list.issuers],
  ];
  return facts
    .filter(([, said, found]) => said !== found)
    .map(([name, said, found]) => `names a list with the ${name} ${said}, but the list has ${found}`);
}

/** Reads the bytes of the list, which have the named hash. */
async function readNamed(
  files: RegistryFiles,
  { statement, isRequested, maxListBytes }: WholeListReading,
): Promise<Uint8Array> {
  const size = Math.min(statement.size, maxListBytes);
  const newest = isRequested ? await readIfReadable(files, TREE_FILES.list, size) : undefined;
  if (newest !== undefined && (await sha256Hex(newest)) === statement.sha256) return newest;
  const path = listPath(statement.sha256);
  try {
    const first = await files.get(path, size);
    if (first !== undefined && (await sha256Hex(first)) === statement.sha256) return first;
    const again = await files.get(path, size, statement.sha256);
    if (again !== undefined && (await sha256Hex(again)) === statement.sha256) return again;
    throw misnamed(`names the list ${statement.sha256}, but ${path} is missing, or has another hash`);
  } catch (error) {
    const isOther = hasCode(error, 'ERR_SOURCE_TOO_LARGE') && size === statement.size;
    throw isOther ? misnamed(`names a list with the size ${size}, but the list is larger`) : error;
  }
}

/** Reads a file that need not be there. */
async function readIfReadable(
  files: RegistryFiles,
  path: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  try {
    return await files.get(path, maxBytes);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return undefined;
  }
}

function misnamed(problem: string): RegistryError {
  return new RegistryError('ERR_PUBLICATION_MISMATCH', `the publication statement ${problem}`);
}
