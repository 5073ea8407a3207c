import {
  CLOCK_TOLERANCE_MS,
  endOfCheckpoint,
  type MirrorState,
  type Operations,
  type ReportedMirror,
  verifyOperations,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { withOutputFolder } from '../../generator/files/output-folder.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { operationsStatement } from '../../generator/freshness/statements.js';
import { addFiles } from '../../generator/publishing/write.js';
import type { Signer } from '../../generator/signing/sign.js';
import { PATHS } from '../../generator/tree/paths.js';
import { readPublished } from '../../generator/tree/published-tree.js';
import type { HostStatus } from '../../observers/hosts/compare-hosts.js';
import { askHosts } from './ask-hosts.js';

/** The time limit for all mirrors together. A mirror that has not been read by then is reported as unreachable. */
const MIRRORS_TIMEOUT_MS = 10_000;

/** What registry.yaml says of mirrors and witnesses. */
interface OperationsChoice extends Pick<Operations, 'witnesses' | 'quorum'> {
  /** The URLs of the mirrors. */
  readonly mirrors: readonly string[];
}

/**
 * Asks the mirrors what they serve, compares it with the tree in a folder, and publishes the result, with the witnesses, as
 * operations.jwt. The statement has the times of the published checkpoint, so that the checkpoint must be signed first.
 *
 * @param signer - the key that has signed the checkpoint
 * @throws {@link TreeRejected} | {@link IoFailed} | {@link RegistryError}
 */
export async function publishOperations(
  folder: string,
  signer: Signer,
  { mirrors: urls, witnesses, quorum }: OperationsChoice,
): Promise<readonly ReportedMirror[]> {
  const checkpoint = readIfReadable(folder, PATHS.checkpoint);
  // Without the lock of the folder, so that a hold need not wait for a slow mirror.
  const mirrors = urls.length === 0 ? [] : await askMirrors(folder, urls);
  return withOutputFolder(folder, async (output) => {
    const { out } = output;
    const published = await readPublished(out);
    if (published?.checkpoint === undefined || published.rootKey === undefined) throw noCheckpoint(out);
    if (checkpoint === undefined || readIfReadable(out, PATHS.checkpoint)?.equals(checkpoint) !== true) {
      throw new TreeRejected(
        `${out} was published again while the mirrors were asked: run \`checkpoint\` again`,
      );
    }
    const { issuedAt } = published.checkpoint;
    const expiresAt = endOfCheckpoint(published.checkpoint);
    const text = await operationsStatement(signer, { mirrors, witnesses, quorum, issuedAt, expiresAt });
    const files = { operations: text, delegation: readIfReadable(out, PATHS.delegation) };
    const clock = { now: Date.now(), tolerance: CLOCK_TOLERANCE_MS };
    await verifyOperations(files, published.rootKey, { clock, expiry: true });
    await addFiles(new Map([[PATHS.operations, Buffer.from(text)]]), output);
    return mirrors;
  });
}

async function askMirrors(folder: string, urls: readonly string[]): Promise<readonly ReportedMirror[]> {
  const { rootKey } = (await readPublished(folder)) ?? {};
  if (rootKey === undefined) throw noCheckpoint(folder);
  const [own, ...mirrors] = await askHosts([folder, ...urls], {
    rootKey,
    folder,
    now: Date.now(),
    signal: AbortSignal.timeout(MIRRORS_TIMEOUT_MS),
  });
  if (own?.state !== 'primary') throw new TreeRejected(`${folder} is ${own?.state}: ${own?.problem}`);
  return mirrors.map(reportOf);
}

function reportOf({ url, state, behind, updatedAt }: HostStatus): ReportedMirror {
  return {
    url,
    // The tree has been read, so no mirror is `unknown`.
    state: state as MirrorState,
    ...(behind !== undefined && behind >= 0 && { behind }),
    ...(updatedAt !== undefined && { updated_at: updatedAt }),
  };
}

const noCheckpoint = (out: string) => new TreeRejected(`${out} has no valid checkpoint`);
