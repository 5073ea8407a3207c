/** What the file of a record is called. */
export const RECORD_NAME = /\.ya?ml$/;

/** What is meant for a record: in capitals it must not go unseen. */
export const ALMOST_RECORD_NAME = /\.ya?ml$/i;

/** Whether a path is that of a record, going by its name. */
export function hasRecordName(path: string): boolean {
  // Dot-files are nobody's records.
  return ALMOST_RECORD_NAME.test(path) && !/(?:^|\/)\.(?!\.?\/)/.test(path);
}
