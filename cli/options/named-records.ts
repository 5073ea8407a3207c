import { lstatSync, readdirSync } from 'node:fs';
import { UsageError } from '../../generator/errors.js';
import { unknownId } from '../../generator/records/ids.js';
import { isVisible, RECORD_NAME } from '../../generator/records/record-name.js';
import { CONFIGURATION_FILE } from './settings.js';
import { isFolder } from './values.js';

/** The folder of the records, in a registry's own repository. */
export const RECORDS_FOLDER = 'issuers';

/** Whether an argument is the path of a record file, which need not be readable. */
export function isRecordFile(where: string): boolean {
  return (
    RECORD_NAME.test(where) && !isFolder(where) && lstatSync(where, { throwIfNoEntry: false }) !== undefined
  );
}

/**
 * Returns the paths of the records if the user names none: the folder `issuers`, or the record files in this folder.
 * So an issuer needs no copy of the registry's repository.
 *
 * @throws {@link UsageError} if there are neither
 */
export function defaultRecordPaths(): readonly string[] {
  if (isFolder(RECORDS_FOLDER)) return [RECORDS_FOLDER];
  const files = readdirSync('.').filter(
    (name) => isVisible(name) && name !== CONFIGURATION_FILE && isRecordFile(name),
  );
  if (files.length > 0) return files.sort();
  throw new UsageError(
    `${RECORDS_FOLDER} does not exist, and this folder contains no record: name a file, or create one with \`passport-registry new\``,
  );
}

/** Which records a command checks. */
export interface NamedRecords {
  /** The files and folders to read. */
  readonly paths: readonly string[];
  /** The ids of the issuers to check, of all that are read. Empty: all of them. */
  readonly ids: readonly string[];
}

/**
 * Returns the records that arguments name: files and folders, or ids of issuers.
 *
 * @param folder - the folder of the option --issuers
 * @throws {@link UsageError} if the arguments are of both kinds, or name files besides a folder
 */
export function namedRecords(names: readonly string[], folder: string | undefined): NamedRecords {
  const paths = names.filter((name) => lstatSync(name, { throwIfNoEntry: false }) !== undefined);
  if (paths.length === 0)
    return { paths: folder === undefined ? defaultRecordPaths() : [folder], ids: names };
  const missing = names.find((name) => !paths.includes(name));
  if (missing !== undefined) {
    if (/\//.test(missing) || RECORD_NAME.test(missing)) throw new UsageError(`${missing} does not exist`);
    throw new UsageError('name either issuer ids or files and folders, not both');
  }
  if (folder !== undefined) throw notBesidesFiles();
  return { paths, ids: [] };
}

/** The error of options that select records if the arguments have already named the files. */
export function notBesidesFiles(): UsageError {
  return new UsageError('--issuers and --changed select from a folder: leave them out, or name issuer ids');
}

/** Asserts that there is a record of each issuer. @throws {@link UsageError} */
export function assertKnown(ids: readonly string[], known: ReadonlyMap<string, unknown>): void {
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return;
  const problem =
    /\//.test(unknown) || RECORD_NAME.test(unknown)
      ? 'there is neither a file nor a record of'
      : 'there is no record of';
  throw unknownId(problem, unknown, [...known.keys()]);
}
