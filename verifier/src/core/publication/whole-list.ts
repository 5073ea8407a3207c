import { hasCode, RegistryError } from '../errors.js';
import type { PublicationStatement } from '../statements/publication-statement.js';
import { type SignedPair, type VerifiedList, verifyList } from '../statements/signed-list.js';
import { TREE_FILES } from '../tree-files.js';
import { readFromFolders, readSignature } from './list-files.js';
import type { RegistryFiles } from './registry-files.js';
import type { DatedList } from './rollback.js';
import type { Statements } from './statements.js';

/** A list by its time, its hash, its size and the number of its issuers. */
export interface SizedList extends DatedList {
  /** The size of the list in bytes. */
  readonly size: number;
  readonly issuers: number;
}

/** How to read a whole list. */
export interface WholeListReading {
  readonly statements: Statements;
  /** The folders of the list and its signature, in the order in which to read them. */
  readonly folders: readonly string[];
  /** The maximum size of the list in bytes. A signed statement can set a lower limit. */
  readonly maxListBytes: number;
}

/** Reads and verifies the list of a source. It must be the list that the publication statement names (rules list-match, two-places). */
export async function readWholeList(
  files: RegistryFiles,
  reading: WholeListReading,
): Promise<VerifiedList & SignedPair> {
  const { statements, folders } = reading;
  const found = await readFromFolders(folders, async (folder) => {
    const pair = await readPair(files, folder, reading);
    if (pair === undefined) return undefined;
    const verified = { ...pair, ...(await verifyList({ ...pair, rootKey: statements.rootKey })) };
    const { registry, sha256, list } = verified;
    const { updated_at: updatedAt, issuers } = registry;
    assertNamed({ sha256, updatedAt, size: list.length, issuers: issuers.length }, statements.publication);
    return verified;
  });
  if (found === undefined)
    throw new RegistryError(
      'ERR_SOURCE_STATUS',
      `the source has no ${TREE_FILES.list}, or no ${TREE_FILES.signature}`,
    );
  return found;
}

/** Asserts that the publication statement names a list. */
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

/** Reads the list and its signature from a folder. In a snapshot, the two always match. */
async function readPair(
  files: RegistryFiles,
  folder: string,
  { statements, maxListBytes }: WholeListReading,
): Promise<SignedPair | undefined> {
  const named = statements.publication;
  const size = Math.min(named.size, maxListBytes);
  const reading = files.get(`${folder}${TREE_FILES.list}`, size).catch((error) => {
    const isOther = hasCode(error, 'ERR_SOURCE_TOO_LARGE') && size === named.size;
    throw isOther ? misnamed(`names a list with the size ${size}, but the list is larger`) : error;
  });
  const [list, signature] = await Promise.all([reading, readSignature(files, folder)]);
  if (list === undefined || signature === undefined) return undefined;
  return { list, signature };
}

function misnamed(problem: string): RegistryError {
  return new RegistryError('ERR_PUBLICATION_MISMATCH', `the publication statement ${problem}`);
}
