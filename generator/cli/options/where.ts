import { statSync } from 'node:fs';
import { UsageError } from '../../errors.js';

/** Whether an argument is the path of an existing folder. */
export function isFolder(where: string): boolean {
  try {
    return statSync(where).isDirectory();
  } catch {
    // Whoever uses the path later reports why it cannot be read.
    return false;
  }
}

/** Whether an argument is a URL with http or https. */
export function isAddress(where: string): boolean {
  return /^https?:\/\//i.test(where) && URL.canParse(where);
}

/** Asserts that all values are URLs with http or https. @throws {@link UsageError} */
export function assertAddresses(values: readonly string[]): void {
  for (const value of values) {
    if (!isAddress(value)) throw new UsageError(`${value} is not an http(s) URL`);
  }
}
