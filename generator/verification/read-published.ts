import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readRotation, verifyAbout } from '@passport-registry/verifier/core';
import { TreeRejected, UsageError } from '../errors.js';
import { readIfReadable } from '../files/read-file.js';
import { entriesBelow } from '../files/walk.js';
import type { ReadFileSync } from '../log/log-files.js';
import { sha256 } from '../tree/checksums.js';
import { withCommitment } from '../tree/commitment.js';
import { PAST_FOLDERS, PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { folderSource, type TreeSource } from './tree-source.js';
import { auditTree } from './verify.js';

/**
 * Reads the tree in an output folder, and audits it: only a tree that is whole is built upon, and nothing in it is repaired. The
 * past of a tree, its log and older lists, is not read, so that the cost does not grow with it.
 *
 * @param out - the folder
 * @param read - reads a file of the tree, if a stage lies over it. Default: the files of the folder
 * @returns undefined if the folder is empty or does not exist
 * @throws {@link TreeRejected} if the audit refuses the tree
 * @throws {@link UsageError} if the folder contains anything else, because a build would remove it
 */
export async function readPublished(out: string, read?: ReadFileSync): Promise<PublishedTree | undefined> {
  if (read === undefined && isEmpty(out)) return undefined;
  const reading = read ?? ((path: string) => readIfReadable(out, path));
  const has = (path: string) => reading(path) !== undefined;
  if (!has(PATHS.statements) && !has(PATHS.checksums) && !has(PATHS.list))
    throw new UsageError(
      `${out} is not empty and contains no registry: a build removes all other files, so choose another folder`,
    );
  const audited = await auditTree(currentSource(out, read), undefined, { withoutLog: true });
  const { report, registry, rootKey, file: statements } = audited;
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && name !== 'freshness');
  const { publication: statement, checkpoint } = audited.statements;
  const list = reading(PATHS.list);
  const signature = reading(PATHS.signature);
  const isProven = statement && checkpoint && statements && rootKey && registry && list && signature;
  // A checkpoint may have expired, but it is for this tree, or else anybody could have written SHA256SUMS.
  const isSealed = checkpoint?.treeSha256 === sha256(reading(PATHS.checksums) ?? new Uint8Array());
  if (failed.length > 0 || !isProven || !isSealed) {
    const unsealed = `the checkpoint is for another ${PATHS.checksums}`;
    const found = new Set(failed.flatMap((check) => check.problems));
    const problems = failed.length > 0 ? [...found].slice(0, 3) : [unsealed];
    throw new TreeRejected(
      `${out} is damaged, so nothing is signed over it: ${problems.join('; ')}: load the published tree with \`load\``,
      { see: 'docs/operators/emergency.md#the-tree-is-damaged-or-lost' },
    );
  }
  return {
    folder: out,
    read: reading,
    list,
    statements,
    statement,
    checkpoint,
    updatedAt: registry.updated_at,
    signature: Buffer.from(signature).toString('utf8').trim(),
    rootKey: await withCommitment(rootKey, readRotation(statements.rotation)),
    about: (await verifyAbout(reading(PATHS.about), statement)) ?? new Map(),
    development: report.development,
    issuers: registry.issuers,
  };
}

function isEmpty(out: string): boolean {
  if (!existsSync(out)) return true;
  if (!statSync(out).isDirectory()) throw new UsageError(`${out} is not a folder: choose another with --out`);
  return hasNoFile(out);
}

/** A process that was killed may have left folders, and no file in them. */
function hasNoFile(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).every(
    (entry) => entry.isDirectory() && hasNoFile(join(folder, entry.name)),
  );
}

/** Makes a source of the current files of a tree in a folder. Its past is not listed. */
function currentSource(out: string, read: ReadFileSync | undefined): TreeSource {
  const folder = folderSource(out);
  // What a stage adds or removes is proven by the sums, so a listing adds nothing.
  if (read !== undefined)
    return {
      name: out,
      live: false,
      get: async (path) => {
        const bytes = read(path);
        return bytes && { bytes };
      },
    };
  return {
    ...folder,
    paths: () =>
      entriesBelow(out, (path) => !PAST_FOLDERS.includes(`${path}/`)).flatMap(({ path, kind }) =>
        kind === 'folder' ? [] : [path],
      ),
  };
}
