import { isAbsolute, relative } from 'node:path';

/** Quotes a value for a shell, if it needs quotes. */
export function shellWord(value: string): string {
  return /^[\w./:@=%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** Where a proposed command is run. */
export interface CommandPlace {
  /** The value of `--config`, which a proposed command repeats. Undefined if it was not given. */
  readonly config?: string | undefined;
}

/** Returns a command of this program for the operator to run. @param words - quoted for a shell */
export function commandLine({ config }: CommandPlace, ...words: readonly string[]): string {
  const place = config === undefined ? [] : ['--config', shellWord(config)];
  return ['npx passport-registry', ...place, ...words].join(' ');
}

/** Returns a path below the current folder without that folder. Paths from registry.yaml are absolute. */
export function shortPath(path: string): string {
  if (!isAbsolute(path)) return path;
  const below = relative('', path);
  return below.startsWith('..') ? path : below;
}
