import type { Proven, Publication } from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { isChecksummed, isHostFile, roleOf } from '../../generator/tree/files.js';
import { ownHostFile } from '../../generator/tree/host-configuration.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { HeldRelease } from './held-release.js';
import type { StatedFile } from './new-release.js';

/** The files that SHA256SUMS lists, in the groups in which they are downloaded. */
export interface ListedFiles {
  readonly all: readonly StatedFile[];
  /** The small files that verifiers read before the list, apart from the checkpoint. */
  readonly statements: readonly StatedFile[];
  readonly list: StatedFile;
  /** The records, only in trees without a publication statement. */
  readonly records: readonly StatedFile[];
  readonly others: readonly StatedFile[];
}

/** The page, schemas, changes and host configurations: about 40 files. */
const MAX_OTHER_FILES = 256;

const STATEMENTS: readonly string[] = [
  PATHS.publication,
  PATHS.signature,
  PATHS.rootKey,
  PATHS.rotation,
  PATHS.delegation,
];

/**
 * Groups the files that SHA256SUMS lists. SHA256SUMS is not signed, so the groups have limits.
 *
 * @throws {@link TreeRejected} if there are more files than a publisher has, or files that no publisher has
 */
export function listedFiles(sums: ReadonlyMap<string, string>): ListedFiles {
  const isUnstated = !sums.has(PATHS.publication);
  const groupOf = (path: string): Exclude<keyof ListedFiles, 'all'> => {
    if (STATEMENTS.includes(path)) return 'statements';
    if (path === PATHS.list) return 'list';
    return isUnstated && !isChecksummed(path) ? 'records' : 'others';
  };
  // Such files are downloaded otherwise, and may be in the folder already.
  const stray = isUnstated ? undefined : [...sums.keys()].find((path) => !isChecksummed(path));
  if (stray !== undefined)
    throw new TreeRejected(`${PATHS.checksums} lists ${stray}, which it must not list`);
  const refused = [...sums.keys()].find((path) => roleOf(path) === 'refused');
  if (refused !== undefined)
    throw new TreeRejected(`${PATHS.checksums} lists ${refused}, which no version of a registry has`);
  const all = [...sums].map(([path, hash]) => ({ path, hash, statedIn: PATHS.checksums }));
  const groups = { statements: [], list: [], records: [], others: [] };
  const listed: { readonly [group in keyof typeof groups]: StatedFile[] } = groups;
  for (const file of all) listed[groupOf(file.path)].push(file);
  const [list] = listed.list;
  if (list === undefined) throw new TreeRejected(`${PATHS.checksums} does not list ${PATHS.list}`);
  assertNumber('files', listed.others.length, MAX_OTHER_FILES);
  return { ...listed, all, list };
}

/** A new release whose publication has been accepted. */
interface AcceptedRelease {
  readonly publication: Proven<Publication>;
  /** The content of SHA256SUMS. */
  readonly checksums: Uint8Array;
  /** The release that is being served. */
  readonly held: HeldRelease | undefined;
}

/**
 * Returns the listed files that a mirror leaves out because nothing proves them: those that this version does not know, and
 * hosts' files that no known version writes. SHA256SUMS is not signed. Only a checkpoint for the newest list names its hash.
 * A file that the release being served has came with such a checkpoint.
 */
export function unprovenFiles(
  listed: Iterable<readonly [path: string, hash: string]>,
  { publication: { checkpoint, sha256: list }, checksums, held }: AcceptedRelease,
): string[] {
  if (checkpoint?.sha256 === list && checkpoint.treeSha256 === sha256(checksums)) return [];
  const unproven = [...listed].filter(([path, hash]) => {
    const isForeign = isHostFile(path) ? ownHostFile(path, hash) === undefined : roleOf(path) === 'added';
    return isForeign && held?.has(path, hash) !== true;
  });
  return unproven.map(([path]) => path);
}

function assertNumber(what: string, found: number, limit: number): void {
  if (found <= limit) return;
  throw new TreeRejected(
    `${PATHS.checksums} lists ${found} ${what}, but a mirror downloads at most ${limit}`,
  );
}
