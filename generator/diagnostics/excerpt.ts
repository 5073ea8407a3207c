import type { Range } from './range.js';

/** The line of a file that a diagnostic is about, cut around the place if it is long. */
export interface Excerpt {
  readonly before: string;
  /** What the diagnostic is about; empty where something is missing. */
  readonly marked: string;
  readonly after: string;
}

/** Longest stretch of a line, in UTF-16 code units, and how much of it stands before the place at least. */
const WIDTH = 100;
const LEAD = 20;

/** The first line of a range in a text; undefined where it is blank. */
export function excerptOf(text: string, { line, column, endLine, endColumn }: Range): Excerpt | undefined {
  const source = lineOf(text, line);
  if (source.trim() === '') return undefined;
  const start = column - 1;
  const from = start < WIDTH - LEAD ? 0 : start - LEAD;
  const to = Math.min(from + WIDTH, source.length);
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
