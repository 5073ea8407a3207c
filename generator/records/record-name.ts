import type { Finding } from '../diagnostics/diagnostic.js';
import { UNPRINTABLE, unicodeName } from '../diagnostics/printers/printable.js';

/** What the file of a record is called. */
export const RECORD_NAME = /\.ya?ml$/;

/** What is meant for a record: in capitals it must not go unseen. */
const ALMOST_RECORD_NAME = /\.ya?ml$/i;

/** Stands where a file name has bytes that are not UTF-8: such a file cannot be named, and so not be opened. */
const NOT_UTF8 = '\ufffd';

/** By this file git changes other files when it checks them out: a build would read what no review has seen. */
const ATTRIBUTES = '.gitattributes';

/** Whether an entry of a folder counts. Dot-files are nobody's records. */
export function isVisible(name: string): boolean {
  return !name.startsWith('.') || name === ATTRIBUTES;
}

/**
 * Whether a file must be looked at, going by its path below the folder of the records: it has the name of a record, or a name
 * that nothing may have there.
 */
export function isCandidate(path: string): boolean {
  return ALMOST_RECORD_NAME.test(path) || unsafePath(path) !== undefined;
}

/** Whether a path below the folder of the records is that of a record which can be read. */
export function isRecordPath(path: string): boolean {
  return RECORD_NAME.test(path) && unsafePath(path) === undefined && path.split('/').every(isVisible);
}

/**
 * What is wrong with the path of a file. No part of it may hold a control character, or one that cannot be seen: such a name
 * shows as another one, or ends the line of whoever lists it.
 */
export function unsafePath(path: string): Finding | undefined {
  const [character] = UNPRINTABLE.exec(path) ?? [];
  if (character !== undefined) {
    const message = `the path holds ${unicodeName(character)}, an invisible character`;
    return { rule: 'file-name', message, ...SAFE };
  }
  if (path.split('/').includes(ATTRIBUTES)) {
    const message = `git would change records by ${ATTRIBUTES} when it checks them out`;
    return { rule: 'file-name', message, expected: 'records alone', remedy: 'remove it' };
  }
  if (!path.includes(NOT_UTF8)) return undefined;
  return { rule: 'file-name', message: 'the path is not UTF-8', ...SAFE };
}

const SAFE = { expected: 'a path of visible characters, in UTF-8', remedy: 'rename it' };
