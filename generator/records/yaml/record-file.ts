/** The name and the text of a record file. In a file of its own: the types of the package reach it, and not those of the parser. */
export interface RecordFile {
  /** The path of the file, as the user would write it. */
  readonly file: string;
  /** The file name without .yaml or .yml. The issuer_id must equal the stem. */
  readonly stem: string;
  /** The text of the file, without a byte order mark. */
  readonly text: string;
}
