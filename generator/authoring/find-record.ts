import { didYouMean } from '../diagnostics/messages.js';
import { UsageError } from '../errors.js';
import { findRecordFiles, stemOf } from '../records/collect.js';

/** The file of a record, and what it takes to read it. */
export interface FoundRecord {
  readonly file: string;
  /** The folder that the file must not leave, if it is a symbolic link. */
  readonly root: string | undefined;
}

/** The files below a folder that are named after an issuer. */
export function recordFilesOf(folder: string, id: string): string[] {
  return findRecordFiles([folder]).files.filter((file) => stemOf(file) === id);
}

/**
 * The one file below a folder that is named after an issuer.
 *
 * @throws {@link UsageError} when there is none, or another
 */
export function recordOf(folder: string, id: string): FoundRecord {
  const { files, links } = findRecordFiles([folder]);
  const [file, another] = files.filter((one) => stemOf(one) === id);
  if (file === undefined) throw unknownId(`${folder} has no record of`, id, files.map(stemOf));
  if (another !== undefined) throw new UsageError(`there are two records of ${id}: ${file}, ${another}`);
  return { file, root: links.get(file) };
}

/** The error for an id that is not among those that there are. @param problem - what there is to say, up to the id */
export function unknownId(problem: string, id: string, known: readonly string[]): UsageError {
  const hint = didYouMean(id, known);
  return new UsageError(`${problem} ${id}${hint === undefined ? '' : `; ${hint}`}`);
}
