import { type RootKey, walkRotation } from '@passport-registry/verifier';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { withOutputFolder } from '../../generator/files/output-folder.js';
import { attach } from '../../generator/publishing/attach.js';
import { openTree } from '../../generator/publishing/open-tree.js';
import { prepare } from '../../generator/publishing/prepare.js';
import { type BuildReport, withNotes } from '../../generator/publishing/report.js';
import { signRequest } from '../../generator/publishing/request.js';
import { goodRecords } from '../../generator/records/check-records.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import type { Signer } from '../../generator/signing/sign.js';
import { planOver, type RotateOptions, type RotationPlan } from './plan.js';

/** The result of a rotation. */
interface RotationReport {
  /** The next root key, with the keys to which the step commits it. */
  readonly next: RootKey;
  readonly build: BuildReport;
}

/**
 * Replaces the root key: prepares the publication by it with the step to it, signs both, and attaches them. A
 * rotation that is killed is published, or it is not.
 *
 * @param confirmed - the plan that the operator has seen
 * @throws {@link KeyRejected} | {@link TreeRejected} | {@link RecordsRejected} | {@link UsageError} | {@link AlreadyPublished} |
 *   {@link IoFailed}
 */
export function rotate(confirmed: RotationPlan, options: RotateOptions): Promise<RotationReport> {
  const { out, issuers, how, commit } = options;
  return withOutputFolder(out, async (output) => {
    const { tree, notes: answers } = await openTree(
      output,
      { rootKey: confirmed.outgoing, development: false },
      how,
    );
    // While the operator read the plan, something else may have been published, or the key replaced.
    const plan = await planOver(tree, options);
    if (plan.done || summaryOf(plan) !== summaryOf(confirmed))
      throw new UsageError('something has changed since the plan was made: run the command again');
    const outgoing = await outgoingSigner(options, plan.outgoing);
    const next = await chooseSigner({ ...options.next, production: true });
    const records = goodRecords(issuers, undefined, 'nothing was signed');
    const { request, warnings, notes } = await prepare(
      { ...how, records, signer: next, rotation: { commit } },
      tree,
    );
    const signed = await signRequest(request, next, outgoing);
    const report = await attach(signed, tree, how);
    const to = await walkRotation(plan.outgoing, signed.rotation === undefined ? [] : [signed.rotation]);
    return { next: to, build: withNotes(report, [...answers, ...notes], warnings) };
  });
}

/** What must be the same when the operator has confirmed, as a text to compare. */
function summaryOf({ follows, outgoing, next, isOnline, changes }: RotationPlan) {
  const keys = [outgoing.thumbprint, outgoing.nextRoots, next?.thumbprint, isOnline];
  return JSON.stringify([follows, keys, changes]);
}

async function outgoingSigner({ outgoing: choice }: RotateOptions, outgoing: RootKey): Promise<Signer> {
  const signer = await chooseSigner({ ...choice, production: true });
  if (signer.rootKey.thumbprint === outgoing.thumbprint) return signer;
  throw new KeyRejected(
    `the signing key is ${signer.rootKey.thumbprint}, but the outgoing root key is ${outgoing.thumbprint}`,
  );
}
