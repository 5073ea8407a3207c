import type { Range } from './range.js';

/** The line of a file that a diagnostic refers to. A long line is cut around the position. */
export interface Excerpt {
  readonly before: string;
  /** The marked part of the line. Empty if the diagnostic is about something missing. */
  readonly marked: string;
  readonly after: string;
}

/** Maximum length of an excerpt, in UTF-16 code units. */
const MAX_LENGTH = 100;
/** Length that a shortened excerpt keeps before the marked part, in UTF-16 code units. */
const LEAD_LENGTH = 20;

/** The excerpt for a range: its first line. Undefined if the line is blank. */
export function excerptOf(text: string, { line, column, endLine, endColumn }: Range): Excerpt | undefined {
  const source = lineOf(text, line);
  if (source.trim() === '') return undefined;
  const start = column - 1;
  const from = start < MAX_LENGTH - LEAD_LENGTH ? 0 : start - LEAD_LENGTH;
  const to = Math.min(from + MAX_LENGTH, source.length);
  const end = Math.min(endLine === line ? Math.max(endColumn - 1, start) : source.length, to);
  return {
    before: `${from > 0 ? '...' : ''}${source.slice(from, start)}`,
    marked: source.slice(start, end),
    after: `${source.slice(end, to)}${source.length > to ? '...' : ''}`,
  };
}

function lineOf(text: string, line: number): string {
  let start = 0;
  for (let before = 1; before < line; before++) {
    start = text.indexOf('\n', start) + 1;
    if (start === 0) return '';
  }
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? undefined : end).replace(/\r$/, '');
}
