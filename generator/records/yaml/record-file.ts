/** The name and the text of a record file. */
export interface RecordFile {
  /** The path of the file, as the user would write it. */
  readonly file: string;
  /** The file name without .yaml or .yml. The issuer_id must equal the stem. */
  readonly stem: string;
  /** The text of the file, without a byte order mark. */
  readonly text: string;
}
