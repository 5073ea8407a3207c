/** Returns the word for a value of a record. Undefined for a value that the page does not know, such as `__proto__`. */
export function wordFor<T extends string>(words: Readonly<Record<string, T>>, value: string): T | undefined {
  return Object.hasOwn(words, value) ? words[value] : undefined;
}
