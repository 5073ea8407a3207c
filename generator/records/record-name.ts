import { UNPRINTABLE } from '@passport-registry/verifier/printable';
import type { Finding } from '../diagnostics/diagnostic.js';
import { unicodeName } from '../diagnostics/printable.js';
import { isAttributesFile } from '../files/git-attributes.js';

/** Matches the name of a record file. */
export const RECORD_NAME = /\.ya?ml$/;

/** Also matches .YAML and .YML. Such a file is reported, because ignoring it could hide a record. */
const ALMOST_RECORD_NAME = /\.ya?ml$/i;

/** Replaces bytes of a file name that are not UTF-8. Such a file cannot be opened by its name. */
const NOT_UTF8 = '\ufffd';

/** Whether an entry of a folder is considered. Dot-files are ignored, except .gitattributes. */
export function isVisible(name: string): boolean {
  return !name.startsWith('.') || isAttributesFile(name);
}

/**
 * Whether the path of a file, relative to the folder of the records, must be checked: its name is that of a record, or
 * the path is not permitted.
 */
export function isCandidate(path: string): boolean {
  return ALMOST_RECORD_NAME.test(path) || unsafePath(path) !== undefined;
}

/**
 * The problem with the path of a file, if there is one. A path must not contain control characters or invisible
 * characters: they can make a name look like another name, or break the lines of a listing.
 */
export function unsafePath(path: string): Finding | undefined {
  const [character] = UNPRINTABLE.exec(path) ?? [];
  if (character !== undefined) {
    const message = `the path contains ${unicodeName(character)}, an invisible character`;
    return { rule: 'file-name', message, ...SAFE_PATH };
  }
  // A build would read content that nobody has reviewed.
  if (path.split('/').some(isAttributesFile)) {
    const message = '.gitattributes makes git change records at checkout';
    return { rule: 'file-name', message, expected: 'only records', remedy: 'remove the file' };
  }
  if (!path.includes(NOT_UTF8)) return undefined;
  return { rule: 'file-name', message: 'the path is not UTF-8', ...SAFE_PATH };
}

const SAFE_PATH = { expected: 'a path of visible characters, in UTF-8', remedy: 'rename the file' };
