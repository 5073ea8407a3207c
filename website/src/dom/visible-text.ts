/**
 * Returns the beginning of a text from anybody. Characters that have no shape of their own, such as those that turn the
 * direction of the text around, become their code points.
 *
 * @param maxLength - the maximum number of characters of the text that are shown
 */
export function visibleText(text: string, maxLength: number): string {
  const shown = [...text].slice(0, maxLength).join('');
  const escaped = shown.replaceAll(/\p{C}/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
  return shown === text ? escaped : `${escaped}…`;
}
