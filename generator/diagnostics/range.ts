/** A range in a file. Lines and columns start at 1. Columns count UTF-16 code units. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** The start of a file, for problems that concern the whole file. */
export const WHOLE_FILE: Range = { line: 1, column: 1, endLine: 1, endColumn: 1 };
