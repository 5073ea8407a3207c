import { lstatSync, readdirSync } from 'node:fs';
import { UsageError } from '../../generator/errors.js';
import { isVisible, RECORD_NAME } from '../../generator/records/record-name.js';
import { CONFIGURATION_FILE } from './use-configuration.js';
import { isFolder } from './where.js';

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
