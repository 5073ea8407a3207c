import { TreeRejected } from '../../generator/errors.js';
import { parseChecksums } from '../../generator/tree/checksums.js';
import { isChecksummed, roleOf } from '../../generator/tree/files.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { StatedFile } from './new-release.js';

/** The page, schemas, changes and host configurations: about 40 files. */
const MAX_FILES = 256;

/**
 * Returns the files that SHA256SUMS lists. Whoever signs checkpoints decides what it lists, so there are limits.
 *
 * @throws {@link TreeRejected} if there are more files than a publisher has, or files that no publisher lists
 */
export function listedFiles(checksums: Uint8Array): readonly StatedFile[] {
  const sums = parseChecksums(Buffer.from(checksums).toString('utf8'));
  if (sums === undefined) throw new TreeRejected(`${PATHS.checksums} is not in the format of coreutils`);
  const stray = [...sums.keys()].find((path) => !isChecksummed(path) || roleOf(path) === 'refused');
  if (stray !== undefined)
    throw new TreeRejected(`${PATHS.checksums} lists ${stray}, which it must not list`);
  if (sums.size > MAX_FILES) {
    throw new TreeRejected(
      `${PATHS.checksums} lists ${sums.size} files, but a mirror downloads at most ${MAX_FILES}`,
    );
  }
  return [...sums].map(([path, hash]) => ({ path, hash, statedIn: PATHS.checksums }));
}
