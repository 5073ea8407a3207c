import { UsageError } from '../errors.js';
import { findRecordFiles, stemOf } from '../records/collect.js';
import { unknownId } from '../records/ids.js';

/** The file of a record, with the folder that `readRecordFile` needs. */
interface FoundRecord {
  readonly file: string;
  /** If the file is a symbolic link, the folder that its target must be in. */
  readonly root: string | undefined;
}

/** Finds the record files of an issuer below a folder, by file name. */
export function recordFilesOf(folder: string, id: string): string[] {
  return findRecordFiles([folder]).files.filter((file) => stemOf(file) === id);
}

/**
 * Finds the record file of an issuer below a folder, by file name.
 *
 * @throws {@link UsageError} if there is no such file, or more than one
 */
export function recordOf(folder: string, id: string): FoundRecord {
  const { files, links } = findRecordFiles([folder]);
  const [file, another] = files.filter((one) => stemOf(one) === id);
  if (file === undefined) throw unknownId(`${folder} has no record of`, id, files.map(stemOf));
  if (another !== undefined) throw new UsageError(`there are two records of ${id}: ${file}, ${another}`);
  return { file, root: links.get(file) };
}
