import { readIfThere } from '../../generator/files/read-file.js';
import { CHECKSUMS_PATH, sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';

/**
 * The files from which all others of a tree follow. SHA256SUMS has the hashes of the statements. The head of the log and the
 * proof can get new cosignatures, and a publication can be in the log alone. Nothing names the operations statement, which is
 * written after the checkpoint.
 */
export const NAMING_FILES = [
  CHECKSUMS_PATH,
  PATHS.checkpoint,
  PATHS.logHead,
  PATHS.logProof,
  PATHS.operations,
] as const;

/** Names a release. Names sort by time, and the same bytes have the same name. */
export function releaseName(folder: string, updatedAt: string): string {
  const content = NAMING_FILES.map((path) => readIfThere(folder, path) ?? Buffer.alloc(0));
  return `${updatedAt.replaceAll(/[-:]/g, '')}-${sha256(Buffer.concat(content)).slice(0, 16)}`;
}
