import { statSync } from 'node:fs';

/** Whether a command was pointed at a folder that is there. */
export function isFolder(where: string): boolean {
  return statSync(where, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Whether a command was pointed at the address of a host. */
export function isAddress(where: string): boolean {
  return /^https?:\/\//i.test(where) && URL.canParse(where);
}
