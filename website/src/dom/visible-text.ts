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
