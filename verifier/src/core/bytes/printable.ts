/**
 * Matches a character that is invisible or that moves other characters: control, format and bidirectional characters,
 * line separators, lone surrogates.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

/**
 * Escapes foreign text, so that none of its characters can move a cursor, reverse the text or start a line. The escapes are
 * those of JSON, one for each UTF-16 code unit: escaped JSON without line breaks parses to the same data.
 */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(ALL_UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
