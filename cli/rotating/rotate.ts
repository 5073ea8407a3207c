import { join } from 'node:path';
import { type RootKey, walkRotation } from '@passport-registry/verifier';
import { build } from '../../generator/build.js';
import { KeyRejected, TreeRejected, UsageError } from '../../generator/errors.js';
import { withLock } from '../../generator/files/lock.js';
import { rotationClaims, signStatement } from '../../generator/freshness/statements.js';
import type { BuildReport } from '../../generator/publishing/report.js';
import { chooseSigner, type SignerChoice } from '../../generator/signing/choose-signer.js';
import type { Signer } from '../../generator/signing/sign.js';
import { nextCommitment, publishedSteps, withCommitment } from '../../generator/tree/commitment.js';
import { folderSource } from '../../generator/verification/tree-source.js';
import { verifyTree } from '../../generator/verification/verify.js';
import { ROTATION_FILES, writeRotationFile } from '../operating/rotation-files.js';
import { nextSigner } from './next-key.js';
import { planRotation, type RemainingRotation } from './plan.js';
import type { RotationChoice } from './rotation-choice.js';

/** The result of a rotation. */
interface RotationReport {
  readonly outgoing: RootKey;
  /** With the keys to which the step commits it. */
  readonly next: RootKey;
  readonly build: BuildReport;
}

/**
 * Does what is left of a rotation: makes the next key, signs the step, builds and verifies. Each
 * result is a file, so a rotation that is stopped at any moment continues where it was. Only one process at a time
 * works on a rotation.
 *
 * @param confirmed - the plan that the operator has seen
 * @throws {@link KeyRejected} | {@link TreeRejected} | {@link RecordsRejected} | {@link UsageError} | {@link IoFailed}
 */
export function rotate(confirmed: RemainingRotation, options: RotationChoice): Promise<RotationReport> {
  return withLock(options.folder, async () => {
    // While the operator read the plan, another process may have worked on the rotation.
    const plan = await planRotation(options);
    if (plan.done || summaryOf(plan) !== summaryOf(confirmed)) {
      throw new UsageError('something has changed since the plan was made: run the command again');
    }
    return carryOut(plan, options);
  });
}

/** The keys, files and changes of a plan, as a text to compare. */
function summaryOf({ outgoing, next, makesKey, files, checkpointBy, changes }: RemainingRotation) {
  const { thumbprint, nextRoots } = outgoing;
  const keys = [thumbprint, nextRoots, next?.thumbprint, makesKey, checkpointBy];
  return JSON.stringify([keys, files.step, changes]);
}

async function carryOut(plan: RemainingRotation, given: RotationChoice): Promise<RotationReport> {
  const { out, folder, issuers, exceptions } = given;
  const { outgoing, files } = plan;
  // Before anything is made, so that a wrong key leaves nothing behind.
  const signer = files.step === undefined ? await outgoingSigner(given, outgoing) : undefined;
  const options = await withPassphrase(given, plan.makesKey);
  const next = await nextSigner(options, plan);
  if (files.outgoing === undefined) writeRotationFile(folder, 'outgoing', JSON.stringify(outgoing.jwk));
  const rotation = signer === undefined ? files.step : await signStep({ signer, outgoing }, next, options);
  const hours = options.checkpointHours;
  const checkpoint = plan.checkpointBy === 'next key' ? { signer: next, hours } : options.checkpoint;
  const report = await build({
    ...{ issuers, out, exceptions, log: options.log, url: options.url, ...options.tree },
    signer: { ...options.next, rootKey: join(folder, ROTATION_FILES.next), production: true },
    freshness: { rotation, online: options.online, checkpoint, nextRoots: options.nextRoots },
  });
  await assertFollowed(out, outgoing);
  return {
    outgoing,
    next: await withCommitment(next.rootKey, publishedSteps(out)),
    build: report,
  };
}

/** Asks for the passphrase of the next key at most once: of a new key now, of an existing one when it is read. */
async function withPassphrase(options: RotationChoice, makesKey: boolean): Promise<RotationChoice> {
  const { next, newPassphrase } = options;
  const typed = makesKey && next.key !== undefined ? await newPassphrase?.(next.key) : undefined;
  if (typed === undefined) return { ...options, next: askingOnce(next) };
  return { ...options, next: { ...next, passphrase: () => typed }, newPassphrase: () => typed };
}

async function outgoingSigner({ outgoing: choice }: RotationChoice, outgoing: RootKey): Promise<Signer> {
  const signer = await chooseSigner({ ...choice, production: true });
  if (signer.rootKey.thumbprint === outgoing.thumbprint) return signer;
  throw new KeyRejected(
    `the signing key is ${signer.rootKey.thumbprint}, but the outgoing root key is ${outgoing.thumbprint}`,
  );
}

async function signStep(
  { signer, outgoing }: { readonly signer: Signer; readonly outgoing: RootKey },
  { rootKey: next }: Signer,
  { folder, out, commit }: RotationChoice,
): Promise<string> {
  const nextRoots = nextCommitment(commit, { outgoing, next, steps: publishedSteps(out) });
  const step = await signStatement(
    signer,
    'registry-root-rotation+jwt',
    rotationClaims({ ...next, nextRoots }),
  );
  // The signer may be any program, so its signature is verified before anything relies on it.
  await walkRotation(outgoing, [step]).catch((cause: Error) => {
    throw new KeyRejected(`the step is not valid: ${cause.message}`, { cause });
  });
  writeRotationFile(folder, 'step', step);
  return step;
}

/** Asserts that verifiers that pinned the outgoing key accept the tree. */
async function assertFollowed(out: string, outgoing: RootKey): Promise<void> {
  const { ok, checks } = await verifyTree(folderSource(out), outgoing);
  if (ok) return;
  const problems = checks.flatMap(({ result, problems }) => (result === 'failed' ? problems : []));
  throw new TreeRejected(
    `verifiers that pinned the outgoing key would refuse ${out}: ${problems.join('; ')}`,
  );
}

/** Makes a choice that asks for each passphrase only once. */
function askingOnce(choice: SignerChoice): SignerChoice {
  const { passphrase } = choice;
  if (passphrase === undefined) return choice;
  const answers = new Map<string, ReturnType<typeof passphrase>>();
  return {
    ...choice,
    passphrase: (source) => {
      const answer = answers.get(source) ?? passphrase(source);
      answers.set(source, answer);
      return answer;
    },
  };
}
