/** Returns the word for a value of a record. Undefined for a value that the page does not know, such as `__proto__`. */
export function wordFor<T extends string>(words: Readonly<Record<string, T>>, value: string): T | undefined {
  return Object.hasOwn(words, value) ? words[value] : undefined;
}

/** The longest id of a record. A link can name anything as an id. */
export const MAX_ID_LENGTH = 128;

/** Shows an id from a link. */
export const visibleId = (id: string) => visibleText(id, MAX_ID_LENGTH);

/**
 * Returns the beginning of a text from anybody. Characters that have no shape of their own, such as those that turn the
 * direction of the text around, become their code points.
 *
 * @param maxLength - the maximum number of characters of the text that are shown
 */
function visibleText(text: string, maxLength: number): string {
  const shown = [...text].slice(0, maxLength).join('');
  const escaped = shown.replaceAll(/\p{C}/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
  return shown === text ? escaped : `${escaped}…`;
}
