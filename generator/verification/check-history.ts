import { RegistryError, type RootKey, verifyList } from '@passport-registry/verifier';
import {
  ANY_TIME,
  decodeUtf8,
  findMisnamed,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { changesBytes, parseChanges } from '../tree/site/changes.js';
import { factsOf } from './check-publication.js';
import type { CheckedList, RootHistory } from './check-statements.js';
import { failIfAny, type SeenFiles } from './seen-files.js';

/** Checks of the data about earlier lists: snapshots and changes. */

const HEX = /^[0-9a-f]{64}$/;

/** The publication statement may be missing. */
const SNAPSHOT_FILES: readonly string[] = [PATHS.list, PATHS.signature, PATHS.publication];

/** What is known about the lists of a tree. */
interface SnapshotHistory extends Pick<RootHistory, 'keys' | 'unknown'> {
  /** The list of a publication that is only in the log yet. */
  readonly pendingList?: string | undefined;
}

/**
 * Checks that every snapshot is complete, has the hash in its path, and is signed by the root key or an earlier root
 * key.
 *
 * @param paths - the paths of the files in snapshots
 * @returns warnings about snapshots that could not be verified
 */
export async function checkSnapshots(
  files: SeenFiles,
  paths: readonly string[],
  history: SnapshotHistory,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const names = new Map<string, Set<string>>();
  for (const path of paths) {
    const [, hash = '', name = ''] = path.split('/');
    const isPart = HEX.test(hash) && path === PATHS.snapshot(hash, name);
    // The names and reasons of a pending publication stand there until it is complete.
    if (isPart && name === PATHS.about && hash === history.pendingList) continue;
    if (!isPart || !SNAPSHOT_FILES.includes(name)) {
      problems.push(`${path} is not part of a snapshot`);
    } else names.set(hash, (names.get(hash) ?? new Set()).add(name));
  }
  for (const [hash, found] of names) {
    const missing = [PATHS.list, PATHS.signature].filter((name) => !found.has(name));
    if (missing.length > 0) {
      problems.push(`the snapshot ${hash} is incomplete: it has no ${missing[0]}`);
      continue;
    }
    const fault = await findSnapshotFault(files, hash, history);
    if (fault === NOT_SIGNED && history.unknown !== undefined) {
      warnings.push(
        `the snapshot ${hash} is not verified: the first root key ${history.unknown}, which is not known, may have signed it`,
      );
    } else if (fault !== undefined) problems.push(`the snapshot ${hash} ${fault}`);
  }
  failIfAny(problems.sort());
  return warnings;
}

const NOT_SIGNED = 'is not signed by the root key or an earlier root key';

async function findSnapshotFault(files: SeenFiles, hash: string, { keys, pendingList }: SnapshotHistory) {
  const list = await files.read(PATHS.snapshot(hash, PATHS.list));
  const signature = await files.read(PATHS.snapshot(hash, PATHS.signature));
  const statement = await files.read(PATHS.snapshot(hash, PATHS.publication));
  if (list === undefined || signature === undefined) return 'is incomplete';
  if (sha256(list) !== hash) return 'has a list whose hash is not the hash in the path';
  const newest = (await files.hash(PATHS.list)) === hash ? await files.get(PATHS.publication) : undefined;
  // A pending publication can name the same list. Its statement is only in the log yet.
  const isPending = statement === undefined && hash === pendingList;
  if (newest !== undefined && !isPending && Buffer.compare(statement ?? Buffer.alloc(0), newest) !== 0) {
    return `has another ${PATHS.publication} than the tree, although it has the same list`;
  }
  let fault: string | undefined;
  // The newest key signed most snapshots.
  for (const rootKey of [...keys].reverse()) {
    try {
      const { registry } = await verifyList({ list, signature: decodeUtf8(signature), rootKey });
      return statement && (await findStatementFault(statement, { list, registry }, rootKey));
    } catch (error) {
      if (!(error instanceof RegistryError)) return 'has a signature that is not UTF-8';
      const isUnsigned = error.code === 'ERR_SIGNATURE_INVALID';
      fault = isUnsigned ? (fault ?? NOT_SIGNED) : `is not valid: ${error.message}`;
    }
  }
  return fault;
}

async function findStatementFault(statement: Uint8Array, signed: CheckedList, rootKey: RootKey) {
  try {
    const [fault] = findMisnamed(
      await verifyPublicationStatement(statement, rootKey, ANY_TIME),
      factsOf(signed),
    );
    return fault && `has a publication statement that ${fault}`;
  } catch (error) {
    return `is not valid: ${(error as Error).message}`;
  }
}

/** Checks the form of the changes. */
export async function checkChanges(files: SeenFiles): Promise<void> {
  const data = await files.require(PATHS.changes);
  const changes = parseChanges(data);
  if (changes === undefined) failIfAny([`${PATHS.changes} is not in the form that a build writes`]);
  else if (sha256(changesBytes(changes)) !== sha256(data))
    failIfAny([`${PATHS.changes} is not in canonical form`]);
}
