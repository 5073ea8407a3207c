import { statSync } from 'node:fs';
import { GRAMMAR } from '@passport-registry/verifier/core';
import { UsageError } from '../../generator/errors.js';
import { folderSource, httpSource, type TreeSource } from '../../generator/verification/tree-source.js';

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
