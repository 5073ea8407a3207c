import { statSync } from 'node:fs';

/** Whether an argument is the path of an existing folder. */
export function isFolder(where: string): boolean {
  return statSync(where, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Whether an argument is a URL with http or https. */
export function isAddress(where: string): boolean {
  return /^https?:\/\//i.test(where) && URL.canParse(where);
}
