import { hasCode, RegistryError } from '../errors.js';
import { type VerifiedList, verifyList } from '../statements/signed-list.js';
import type { RegistryFiles } from './registry-files.js';
import { LIST, readFromFolders, readSignature, SIGNATURE, type SignedPair } from './signed-pair.js';
import { namedBy, type SizedList, type Statements } from './statements.js';

/** How to read a whole list. */
export interface WholeListReading {
  readonly statements: Statements;
  /** The folders of the list and its signature, in the order in which to read them. */
  readonly folders: readonly string[];
  /** The maximum size of the list in bytes. A signed statement can set a lower limit. */
  readonly maxListBytes: number;
}

/** Reads and verifies the list of a source. It must be the list that the statements name. */
export async function readWholeList(
  files: RegistryFiles,
  reading: WholeListReading,
): Promise<VerifiedList & SignedPair> {
  const { statements, folders } = reading;
  const found = await readFromFolders(folders, async (folder) => {
    const pair = await readPair(files, folder, reading);
    if (pair === undefined) return undefined;
    const verified = { ...pair, ...(await verifyList({ ...pair, rootKey: statements.root })) };
    const { registry, sha256, list } = verified;
    const { updated_at: updatedAt, issuers } = registry;
    assertNamed({ sha256, updatedAt, size: list.length, issuers: issuers.length }, statements);
    return verified;
  });
  if (found === undefined)
    throw new RegistryError('ERR_SOURCE_STATUS', `the source has no ${LIST}, or no ${SIGNATURE}`);
  return found;
}

/** A list with the number of its issuers. */
export interface MeasuredList extends SizedList {
  readonly issuers: number;
}

/** Asserts that the statements, if any, name a list. */
export function assertNamed(
  { sha256, size, updatedAt, issuers }: MeasuredList,
  statements: Statements,
): void {
  const named = namedBy(statements);
  if (named === undefined) return;
  const isNamed = named.sha256 === sha256 && named.size === size;
  if (!isNamed || named.updatedAt !== updatedAt) throw mismatch(statements, sha256);
  const { statement } = statements;
  if (statement !== undefined && statement.issuers !== issuers) {
    throw new RegistryError(
      'ERR_PUBLICATION_MISMATCH',
      `the publication statement names a list of ${statement.issuers} issuers, but the list has ${issuers}`,
    );
  }
}

/** Reads the list and its signature from a folder. In a snapshot, the two always match. */
async function readPair(
  files: RegistryFiles,
  folder: string,
  { statements, maxListBytes }: WholeListReading,
): Promise<SignedPair | undefined> {
  const named = namedBy(statements);
  const size = Math.min(named?.size ?? Number.POSITIVE_INFINITY, maxListBytes);
  const reading = files.get(`${folder}${LIST}`, size).catch((error) => {
    const isOther = hasCode(error, 'ERR_SOURCE_TOO_LARGE') && size === named?.size;
    throw isOther ? mismatch(statements, 'a larger list') : error;
  });
  const [list, signature] = await Promise.all([reading, readSignature(files, folder)]);
  if (list === undefined || signature === undefined) return undefined;
  return { list, signature };
}

function mismatch({ statement, checkpoint }: Statements, found: string) {
  return statement === undefined
    ? new RegistryError(
        'ERR_CHECKPOINT_MISMATCH',
        `the checkpoint names the list ${checkpoint?.sha256}, but the source has ${found}`,
      )
    : new RegistryError(
        'ERR_PUBLICATION_MISMATCH',
        `the publication statement names the list ${statement.sha256}, but the source has ${found}`,
      );
}
