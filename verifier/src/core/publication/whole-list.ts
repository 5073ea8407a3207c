import { sha256Hex } from '../bytes/sha256.js';
import { hasCode, RegistryError } from '../errors.js';
import { type SignedPair, type VerifiedList, verifyList } from '../statements/signed-list.js';
import { TREE_FILES } from '../tree-files.js';
import { listPath, readSignature } from './list-files.js';
import type { RegistryFiles } from './registry-files.js';
import { namedBy, type SizedList, type Statements } from './statements.js';

/** How to read a whole list. */
export interface WholeListReading {
  readonly statements: Statements;
  /** Whether the list of the tree has been requested, so that it is used if it is the named one. */
  readonly isRequested: boolean;
  /** The maximum size of the list in bytes. A signed statement can set a lower limit. */
  readonly maxListBytes: number;
}

/** Reads and verifies the list of a source. It must be the list that the statements name (rules named-list, list-match). */
export async function readWholeList(
  files: RegistryFiles,
  reading: WholeListReading,
): Promise<VerifiedList & SignedPair> {
  const { statements } = reading;
  const [list, signature] = await Promise.all([readList(files, reading), readSignature(files)]);
  if (list === undefined || signature === undefined)
    throw new RegistryError('ERR_SOURCE_STATUS', 'the source lacks its list, or the signature of the list');
  const { registry, sha256 } = await verifyList({ list, signature, rootKey: statements.rootKey });
  const { updated_at: updatedAt, issuers } = registry;
  assertNamed({ sha256, updatedAt, size: list.length, issuers: issuers.length }, statements);
  return { list, signature, registry, sha256 };
}

/** Asserts that the statements, if any, name a list. */
export function assertNamed(list: Required<SizedList>, statements: Statements): void {
  const named = namedBy(statements);
  const [problem] = named === undefined ? [] : findMisnamed(named, list);
  if (problem !== undefined) throw misnamed(statements, problem);
}

/** Finds what a statement says of a list that is not so. Each problem is a predicate of the statement. */
export function findMisnamed(named: SizedList, list: Required<SizedList>): string[] {
  const facts: [name: string, said: unknown, found: unknown][] = [
    ['sha256', named.sha256, list.sha256],
    ['size', named.size, list.size],
    ['updated_at', named.updatedAt, list.updatedAt],
    ['issuers', named.issuers ?? list.issuers, list.issuers],
  ];
  return facts
    .filter(([, said, found]) => said !== found)
    .map(([name, said, found]) => `names a list with the ${name} ${said}, but the list has ${found}`);
}

/** Reads the bytes of the list. @returns undefined if no statement names a list, and the source has none */
async function readList(
  files: RegistryFiles,
  { statements, isRequested, maxListBytes }: WholeListReading,
): Promise<Uint8Array | undefined> {
  const named = namedBy(statements);
  if (named === undefined) return files.get(TREE_FILES.list, maxListBytes);
  const size = Math.min(named.size, maxListBytes);
  const newest = isRequested ? await readIfReadable(files, TREE_FILES.list, size) : undefined;
  if (newest !== undefined && (await sha256Hex(newest)) === named.sha256) return newest;
  const list = await files.get(listPath(named.sha256), size).catch((error) => {
    const isOther = hasCode(error, 'ERR_SOURCE_TOO_LARGE') && size === named.size;
    throw isOther
      ? misnamed(statements, `names a list with the size ${size}, but the list is larger`)
      : error;
  });
  if (list === undefined) throw misnamed(statements, `names the list ${named.sha256}, which the source lacks`);
  return list;
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

function misnamed({ publication }: Statements, problem: string): RegistryError {
  return publication === undefined
    ? new RegistryError('ERR_CHECKPOINT_MISMATCH', `the checkpoint ${problem}`)
    : new RegistryError('ERR_PUBLICATION_MISMATCH', `the publication statement ${problem}`);
}
