import { statSync } from 'node:fs';
import {
  CLOCK_TOLERANCE_MS,
  clockNote,
  DAY_MS,
  GRAMMAR,
  instantOf,
  isDateTime,
} from '@passport-registry/verifier/core';
import { UsageError } from '../../generator/errors.js';
import { folderSource, httpSource, type TreeSource } from '../../generator/verification/tree-source.js';

/** Parses the whole number of 0 or more in the value of an option. @throws {@link UsageError} */
export function wholeNumber(option: string, text: string): number {
  if (/^(?:0|[1-9][0-9]{0,6})$/.test(text)) return Number(text);
  throw new UsageError(`${option} takes a whole number of 0 or more, not ${JSON.stringify(text)}`);
}

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 60 * 60_000,
  d: DAY_MS,
};

/** Parses a duration such as `36h` in the value of an option. @returns milliseconds @throws {@link UsageError} */
export function duration(option: string, text: string): number {
  const [, number, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const milliseconds = UNITS_MS[unit];
  if (milliseconds !== undefined) return Number(number) * milliseconds;
  throw new UsageError(`${option} takes a number of minutes, hours or days, such as 90m, 36h or 2d`);
}

/**
 * Parses a time in the past.
 *
 * @returns milliseconds since 1970
 * @throws {@link UsageError}
 */
export function pastTime(option: string, text: string): number {
  const time = isDateTime(text) ? instantOf(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new UsageError(
      `${option} takes an RFC 3339 date-time, such as 2026-01-15T09:00:00Z, not ${JSON.stringify(text)}`,
    );
  }
  // The clocks of publishers and witnesses can be ahead.
  if (time > Date.now() + CLOCK_TOLERANCE_MS)
    throw new UsageError(`${option} ${text} is in the future ${clockNote(Date.now())}`);
  return time;
}

/** Whether an argument is the path of an existing folder. */
export function isFolder(where: string): boolean {
  try {
    return statSync(where).isDirectory();
  } catch {
    // Whoever uses the path later reports why it cannot be read.
    return false;
  }
}

/**
 * Whether an argument is a URL with http or https.
 *
 * @throws {@link UsageError} if the URL contains credentials, which messages and reports would show
 */
export function isAddress(where: string): boolean {
  if (!/^https?:\/\//i.test(where) || !URL.canParse(where)) return false;
  const { username, password } = new URL(where);
  if (username === '' && password === '') return true;
  throw new UsageError('a URL contains credentials, but registries are public: leave them out');
}

/**
 * Returns the source of the tree that an argument names: a folder, or a URL with http or https.
 *
 * @param signal - ends all requests to a URL
 * @throws {@link UsageError} if it is neither
 */
export function sourceAt(where: string, signal?: AbortSignal): TreeSource {
  if (isAddress(where)) return httpSource(where, signal);
  if (isFolder(where)) return folderSource(where);
  throw new UsageError(`${where} is neither a folder nor an http(s) URL`);
}

/**
 * Returns a URL in the form of a source of a trust anchor. Undefined if it has another form, such as one with a password:
 * do not show it then.
 */
export function asSource(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.username !== '' || url.password !== '') return undefined;
  const source = url.href.replace(/\/$/, '');
  return GRAMMAR.sourceUrl.pattern.test(source) ? source : undefined;
}

/** Asserts that all values are URLs with http or https. @throws {@link UsageError} */
export function assertAddresses(values: readonly string[]): void {
  for (const value of values) {
    if (!isAddress(value)) throw new UsageError(`${value} is not an http(s) URL`);
  }
}
