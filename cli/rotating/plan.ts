import { dirname, resolve } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { KeyRejected, RecordsRejected, TreeRejected, UsageError } from '../../generator/errors.js';
import { assertOutside } from '../../generator/files/output-folder.js';
import type { IssuerChange } from '../../generator/review/difference.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import {
  assertCommitted,
  nextCommitment,
  publishedSteps,
  withCommitment,
  withConfigured,
} from '../../generator/tree/commitment.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { PublishedTree } from '../../generator/tree/published-tree.js';
import { readPublished } from '../../generator/verification/read-published.js';
import { folderSource } from '../../generator/verification/tree-source.js';
import { verifyTree } from '../../generator/verification/verify.js';
import { pendingChanges } from '../operating/pending-changes.js';
import { type RotationFiles, readRotationFiles } from '../operating/rotation-files.js';
import { type NextKey, readNextKey } from './next-key.js';
import { assertStepFits, type CheckpointSigner, planCheckpoint } from './plan-signatures.js';
import type { PlanChoice } from './rotation-choice.js';

/** A rotation that is complete: the tree has the next key, and everything in it verifies. */
interface CompleteRotation {
  readonly done: true;
  readonly outgoing: RootKey | undefined;
  /** With the keys to which the step commits it. */
  readonly next: RootKey;
  /** Whether the public root key of the configuration is the next key already. */
  readonly configured: boolean;
}

/** What is left of a rotation. */
export interface RemainingRotation extends NextKey {
  readonly done: false;
  readonly files: RotationFiles;
  readonly outgoing: RootKey;
  /** The keys to which the step commits the next key; undefined if it commits to none. */
  readonly commits: readonly string[] | undefined;
  readonly checkpointBy: CheckpointSigner;
  /** The changes of issuers that the build also publishes. */
  readonly changes: readonly IssuerChange[];
}

/**
 * Finds out what is left of a rotation, and refuses to go on if something does not fit. Changes nothing.
 *
 * @throws {@link KeyRejected} | {@link TreeRejected} | {@link RecordsRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function planRotation(options: PlanChoice): Promise<CompleteRotation | RemainingRotation> {
  const { out, issuers, exceptions, outgoing: choice, env } = options;
  // A build would remove the folder of the rotation, or publish it.
  assertOutside(out, [dirname(resolve(options.folder))]);
  const published = await readProductionTree(out);
  const files = await readRotationFiles(options.folder, env);
  const configured = choice.rootKey === undefined ? undefined : await loadRootKey(choice.rootKey, env);
  const nextKey = await readNextKey(options, files);
  const { next } = nextKey;
  if (next !== undefined && published.rootKey?.thumbprint === next.thumbprint) {
    const earlier = [files.outgoing, configured].find((key) => key && key.thumbprint !== next.thumbprint);
    const isSuccessor = earlier !== undefined || publishedSteps(out).length > 0;
    if (isSuccessor && (await isValid(out, earlier ?? next))) {
      return {
        done: true,
        outgoing: earlier,
        next: published.rootKey ?? next,
        configured: configured?.thumbprint === next.thumbprint,
      };
    }
  }
  assertUsable(nextKey, options);
  const steps = publishedSteps(out);
  const outgoing = withConfigured(
    await withCommitment(outgoingKey(published, files, next), steps),
    options.nextRoots,
  );
  if (
    configured !== undefined &&
    ![outgoing, next].some((key) => key?.thumbprint === configured.thumbprint)
  ) {
    throw new KeyRejected(
      `${choice.rootKey} is ${configured.thumbprint}, but the root key of ${out} is ${outgoing.thumbprint}`,
    );
  }
  if (next !== undefined || nextKey.makesKey) assertCommitted(outgoing, next?.thumbprint ?? 'a new key');
  const signed = await assertStepFits(files, { outgoing, next }, options.commit);
  const commits = signed ? signed.nextRoots : nextCommitment(options.commit, { outgoing, next, steps });
  // From the step on, an earlier run may have started to write the tree, which its build then repairs.
  if (files.step === undefined && !(await isValid(out, outgoing))) {
    throw new TreeRejected(
      `${out} is not valid: see \`verify ${out}\`, and repair it with a build before the rotation`,
    );
  }
  const checkpointBy = planCheckpoint(options, { outgoing, next });
  const { changes, problems } = await pendingChanges({ issuers, exceptions, development: false }, published);
  if (problems.length > 0) throw new RecordsRejected(problems, 'nothing was signed');
  return { done: false, files, outgoing, ...nextKey, commits, checkpointBy, changes };
}

async function readProductionTree(out: string): Promise<PublishedTree> {
  const published = await readPublished(out);
  if (published === undefined) {
    throw new UsageError(`${out} has no tree, so there is no root key to replace: build with the new key`);
  }
  if (published.development) {
    throw new UsageError(
      `a development key signed ${out}: nobody has pinned it, so it needs no rotation; remove ${out}, and build with a production key`,
    );
  }
  return published;
}

/** Whether everything in the tree verifies. A checkpoint that has expired is renewed by the build. */
async function isValid(out: string, pinned: RootKey): Promise<boolean> {
  const { checks } = await verifyTree(folderSource(out), pinned);
  return checks.every(({ name, result }) => result !== 'failed' || name === 'freshness');
}

function assertUsable({ next, makesKey }: NextKey, { folder, next: { key }, out }: PlanChoice): void {
  if (!makesKey || next === undefined) return;
  throw new KeyRejected(
    `${key} does not exist, but ${folder} belongs to a rotation to ${next.thumbprint}: restore the key file or, because ` +
      `${out} does not have that key yet, remove ${folder} to start again`,
  );
}

/** The root key that the rotation replaces. An earlier run may have put the next key into the tree. */
function outgoingKey(
  { folder, rootKey }: PublishedTree,
  files: RotationFiles,
  next: RootKey | undefined,
): RootKey {
  const outgoing = files.outgoing ?? rootKey;
  if (outgoing === undefined || rootKey === undefined) {
    throw new TreeRejected(
      `${folder}/${PATHS.rootKey} is missing or damaged: repair ${folder} with a build first`,
    );
  }
  if (rootKey.thumbprint !== outgoing.thumbprint && rootKey.thumbprint !== next?.thumbprint) {
    throw new TreeRejected(
      `${files.folder} belongs to a rotation from ${outgoing.thumbprint}, but the root key of ${folder} is ${rootKey.thumbprint} ` +
        `now: remove ${files.folder} to start again`,
    );
  }
  if (outgoing.thumbprint === next?.thumbprint) {
    throw new KeyRejected(`the next key is the root key of ${folder} already: ${outgoing.thumbprint}`);
  }
  return outgoing;
}
