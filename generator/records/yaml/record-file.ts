/** A record file as it was found: its name and its text. */
export interface RecordFile {
  /** The file, as the user would name it. */
  readonly file: string;
  /** Its name without .yaml or .yml: what issuer_id must be. */
  readonly stem: string;
  /** Its text, without a byte order mark. */
  readonly text: string;
}
