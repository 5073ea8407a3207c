import { sha256Hex } from './encoding.js';

/** The files of a tree, by path. */
export type Files = Map<string, Uint8Array>;

/** SHA256SUMS (rule checksums-form). @param pending - the hash of a list that is only in the log yet */
export function checksumsOf(files: Files, pending?: string): string {
  const isStated = files.has('publication.jwt');
  const others = (path: string) =>
    ['SHA256SUMS', 'checkpoint.jwt', 'operations.jwt'].includes(path) ||
    (isStated && /^(issuers\/|sums\/(?!root$)|log\/|witness\/)/.test(path)) ||
    (pending !== undefined && path.startsWith(`snapshots/${pending}/`));
  const listed = [...files].filter(([path]) => !others(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  return listed.map(([path, bytes]) => `${sha256Hex(bytes)}  ${path}\n`).join('');
}
