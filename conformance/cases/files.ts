import { sha256Hex, textOf, utf8 } from './encoding.js';
import { type Files, memberOf, memberText } from './statements.js';

export type { Files } from './statements.js';

/** Files that SHA256SUMS does not list. */
const UNLISTED = /^(SHA256SUMS|statements\.json|issuers\.sig)$|^(issuers|lists|log)\/|^sums\/(?!root$)/;

/** SHA256SUMS (rule checksums-form). */
export function checksumsOf(files: Files): string {
  const listed = [...files].filter(([path]) => !UNLISTED.test(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  return listed.map(([path, bytes]) => `${sha256Hex(bytes)}  ${path}\n`).join('');
}

/** The bytes of a file that is there, or of a member of `statements.json`. */
export function bytesIn(files: Files, path: string): Uint8Array {
  const bytes = bytesAt(files, path);
  if (bytes === undefined) throw new Error(`there is no ${path}`);
  return bytes;
}

/** The bytes of a file or of a member of `statements.json`, if it is there. */
export function bytesAt(files: Files, path: string): Uint8Array | undefined {
  const member = memberOf(path);
  if (member === undefined) return files.get(path);
  const text = memberText(files, member);
  return text === undefined ? undefined : utf8(text);
}

/** The text of a file that is there, or of a member of `statements.json`. */
export const textIn = (files: Files, path: string): string => textOf(bytesIn(files, path));

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\.jwt$/, 'application/jwt'],
  [/^issuers\/|\.json$/, 'application/json'],
  [/^log\/tile\//, 'application/octet-stream'],
];

/** The content type of a file of a tree. */
export const typeOf = (path: string): string => TYPES.find(([form]) => form.test(path))?.[1] ?? 'text/plain';
