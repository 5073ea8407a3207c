import { isAbsolute, relative } from 'node:path';

/** Quotes a value for a shell, if it needs quotes. */
export function shellWord(value: string): string {
  return /^[\w./:@=%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** Returns a path below the current folder without that folder. Paths from registry.yaml are absolute. */
export function shortPath(path: string): string {
  if (!isAbsolute(path)) return path;
  const below = relative('', path);
  return below.startsWith('..') ? path : below;
}
