import { escapeUnprintable } from '@passport-registry/verifier/printable';

/** Matches the start of a workflow command in a log: two colons at the start of a line, or `##[` anywhere. */
const COMMAND = /^(?=\s*::)\s*:|##\[/g;

/**
 * Escapes a text for output on one line. Records, file names and responses are untrusted. None of their characters may
 * move the cursor, reverse the text, start a line or form a command for a workflow runner.
 */
export function printable(text: string): string {
  return escapeUnprintable(text).replaceAll(COMMAND, (found) =>
    found === '##[' ? '#\\u0023[' : `${found.slice(0, -1)}\\u003a`,
  );
}

/**
 * Serializes data as JSON for output. The JSON parses to the same data, and contains no character that a terminal or a
 * workflow runner would interpret.
 */
export function printableJson(data: unknown): string {
  return JSON.stringify(data, undefined, 2)
    .split('\n')
    .map(escapeUnprintable)
    .join('\n')
    .replaceAll('##[', '#\\u0023[');
}

/** The Unicode notation of a character, such as `U+202E`. */
export function unicodeName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
