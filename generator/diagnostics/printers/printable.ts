/** A character that does not show, or that moves what does: controls, format and bidirectional characters, line separators, lone surrogates. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

/** How workflow runners tell a command from a line of a log: two colons at the start of a line, or this anywhere. */
const COMMAND = /^(?=\s*::)\s*:|##\[/g;

/**
 * Text as it may leave this program on one line. Records, file names and the answers of servers come from strangers: no
 * character of theirs may move a cursor, turn a text round, begin a line or be a command to a workflow runner.
 */
export function printable(text: string): string {
  return text
    .replaceAll(ALL_UNPRINTABLE, escaped)
    .replaceAll(COMMAND, (found) => (found === '##[' ? '#\\u0023[' : `${found.slice(0, -1)}\\u003a`));
}

/**
 * Data as JSON that may leave this program: readers get the same data, and a terminal that shows the text gets no character
 * that it would obey.
 */
export function printableJson(data: unknown): string {
  return JSON.stringify(data, undefined, 2)
    .replaceAll(ALL_UNPRINTABLE, (character) => (character === '\n' ? character : escaped(character)))
    .replaceAll('##[', '#\\u0023[');
}

/** `U+202E`. */
export function unicodeName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A character in the notation of JSON: one escape for each UTF-16 code unit. */
function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_unit, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
