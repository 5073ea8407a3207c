/** Quotes a value for a shell, if it needs quotes. */
export function shellWord(value: string): string {
  return /^[\w./:@=%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
