/** Returns the word for a value of a record. Undefined for a value that the page does not know, such as `__proto__`. */
export function wordFor(words: Readonly<Record<string, string>>, value: string): string | undefined {
  return Object.hasOwn(words, value) ? words[value] : undefined;
}
