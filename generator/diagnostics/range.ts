/** A stretch of a file. Lines and columns count from 1; a column is a UTF-16 code unit. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** The start of a file, for problems that concern it as a whole. */
export const WHOLE_FILE: Range = { line: 1, column: 1, endLine: 1, endColumn: 1 };
