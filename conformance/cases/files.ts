import { sha256Hex, textOf } from './encoding.js';

/** The files of a tree, by path. */
export type Files = Map<string, Uint8Array>;

/** SHA256SUMS (rule checksums-form). @param pending - the hash of a list that is only in the log yet */
export function checksumsOf(files: Files, pending?: string): string {
  const isStated = files.has('publication.jwt');
  const others = (path: string) =>
    ['SHA256SUMS', 'checkpoint.jwt'].includes(path) ||
    (isStated && /^(issuers\/|sums\/(?!root$)|log\/|witness\/)/.test(path)) ||
    (pending !== undefined && path.startsWith(`snapshots/${pending}/`));
  const listed = [...files].filter(([path]) => !others(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  return listed.map(([path, bytes]) => `${sha256Hex(bytes)}  ${path}\n`).join('');
}

/** The bytes of a file that is there. */
export function bytesIn(files: Files, path: string): Uint8Array {
  const bytes = files.get(path);
  if (bytes === undefined) throw new Error(`there is no ${path}`);
  return bytes;
}

/** The text of a file that is there. */
export const textIn = (files: Files, path: string): string => textOf(bytesIn(files, path));

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/\.jwt$/, 'application/jwt'],
  [/^issuers\/|\.json$/, 'application/json'],
  [/^log\/tile\//, 'application/octet-stream'],
];

/** The content type of a file of a tree. */
export const typeOf = (path: string): string => TYPES.find(([form]) => form.test(path))?.[1] ?? 'text/plain';
