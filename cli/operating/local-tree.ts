import { statSync } from 'node:fs';
import type { RootKey } from '@passport-registry/verifier';
import { namesLog } from '@passport-registry/verifier/core';
import { GeneratorError, TreeRejected } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { damagedLog } from '../../generator/log/log-files.js';
import { readProof } from '../../generator/publishing/prove-logged.js';
import { findRepair } from '../../generator/publishing/repair.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type PublishedTree, readPublished } from '../../generator/tree/published-tree.js';
import { statementsIn } from '../../generator/tree/statements-file.js';
import type { Check } from '../../generator/verification/checks.js';
import { folderSource } from '../../generator/verification/tree-source.js';
import { auditTree, type TreeReport } from '../../generator/verification/verify.js';
import { issuersOf, type OwnTree } from '../hosts/own-tree.js';

/** The tree in the output folder, as far as it can be read. */
export interface LocalTree extends OwnTree {
  /** Why a build would refuse the folder; undefined if it would not. */
  readonly refusal: string | undefined;
  /** The damaged files that a build makes again. */
  readonly repairable: readonly string[];
  /** What a build cannot make again, and what to do. Undefined if nothing is lost. */
  readonly lost: string | undefined;
  /** The one missing file that can be made from another one. Undefined if there is none. */
  readonly lostFile: string | undefined;
  /** Undefined if nothing was published, or if a build would refuse the folder. */
  readonly published: PublishedTree | undefined;
  /** Undefined if nothing was published. */
  readonly report: TreeReport | undefined;
}

/** Reads and verifies the tree in a folder. @param pinned - default: the tree's own key */
export async function readLocalTree(
  folder: string,
  pinned: RootKey | undefined,
  now: number,
): Promise<LocalTree> {
  const { published, refusal } = await readForBuild(folder);
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder || (published === undefined && refusal === undefined)) {
    return { ...NO_TREE, folder, refusal, published };
  }
  const { report, statements } = await auditTree(folderSource(folder), pinned, {
    now: () => now,
  });
  const repair = report.ok && refusal === undefined ? NO_REPAIR : await repairOf(folder, pinned);
  const { updatedAt, sha256, rootKey } = report;
  const own = { folder, updatedAt, sha256, rootKey, issuers: issuersOf(published), ...statements };
  return { ...own, ...repair, refusal, published, report };
}

type TreeRepair = Pick<LocalTree, 'repairable' | 'lost' | 'lostFile'>;

const NO_REPAIR: TreeRepair = { repairable: [], lost: undefined, lostFile: undefined };

const NO_TREE = {
  ...NO_REPAIR,
  ...{ updatedAt: undefined, sha256: undefined, rootKey: undefined, issuers: [], report: undefined },
  ...{ checkpoint: undefined, publication: undefined },
};

async function repairOf(folder: string, pinned: RootKey | undefined): Promise<TreeRepair> {
  try {
    const { files, lost } = await findRepair(folder, pinned);
    const log = damagedLog('is missing').message;
    const hasLostHead =
      readIfReadable(folder, PATHS.logHead) === undefined &&
      (await namesLog(statementsIn((path) => readIfReadable(folder, path))?.publication));
    return {
      repairable: [...files.keys()],
      lost: lost ?? (hasLostHead ? log : undefined),
      lostFile: hasLostHead ? lostHead(folder) : undefined,
    };
  } catch (error) {
    if (!(error instanceof TreeRejected)) throw error;
    return { ...NO_REPAIR, lost: error.message };
  }
}

/** The head of the log, if the proof of the newest publication has it. */
function lostHead(folder: string): string | undefined {
  const read = (path: string) => readIfReadable(folder, path);
  const size = readProof(statementsIn(read)?.logProof)?.head.size;
  // The log may have entries that the proof does not know.
  return size !== undefined && read(PATHS.loggedStatement(size)) === undefined ? PATHS.logHead : undefined;
}

async function readForBuild(folder: string): Promise<Pick<LocalTree, 'published' | 'refusal'>> {
  try {
    return { published: await readPublished(folder), refusal: undefined };
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    return { published: undefined, refusal: error.message };
  }
}

/** Returns the problems of some checks; undefined if none of them failed. */
export function problemsOf(
  report: TreeReport | undefined,
  isWanted: (name: Check['name']) => boolean,
): readonly string[] | undefined {
  const failed = report?.checks.filter(({ name, result }) => result === 'failed' && isWanted(name)) ?? [];
  return failed.length === 0 ? undefined : failed.flatMap(({ problems }) => problems);
}
