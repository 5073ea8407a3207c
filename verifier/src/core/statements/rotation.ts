import type { Clock } from '../bytes/clock.js';
import { shown } from '../bytes/fault.js';
import type { Invalid } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { isAnchorMember } from '../generated/predicates.js';
import { importRootKey, type RootKey } from '../keys/root-key.js';
import { LIMITS, MAX_ROTATION_STEPS } from '../limits.js';
import { readStatement, type Statement, verifyStatement } from './statement.js';

/** A parsed rotation step. The signature has not been verified. */
export interface RotationStep extends Statement<'registry-root-rotation+jwt'> {
  readonly kid: string;
}

/**
 * Parses the steps of a rotation (rule rotation-form) without verifying signatures. The optional claim `step` must be the
 * position of the step, counted from 1 (rule rotation-read).
 *
 * @param rotation - the steps, JWTs, oldest first
 * @throws `ERR_ROTATION_INVALID`
 */
export function readRotation(rotation: readonly string[]): readonly RotationStep[] {
  if (rotation.length > MAX_ROTATION_STEPS) throw invalid(`has more than ${MAX_ROTATION_STEPS} steps`);
  const size = rotation.reduce((sum, { length }) => sum + length, 0);
  if (size > LIMITS.rotation) throw invalid(`is longer than ${LIMITS.rotation} bytes`);
  return rotation.map((jwt, index) => readStep(jwt, index + 1));
}

function readStep(jwt: string, position: number): RotationStep {
  const invalidStep: Invalid = (message, cause) => invalid(`has a step ${position} that ${message}`, cause);
  const step = readStatement(jwt, 'registry-root-rotation+jwt', invalidStep);
  const { kid, claims } = step;
  if (kid === undefined) throw invalidStep('has no kid');
  if (claims.step !== undefined && claims.step !== position) {
    throw invalidStep('has another number in its claim step');
  }
  return { ...step, kid };
}

const invalid: Invalid = (message, cause) =>
  new RegistryError('ERR_ROTATION_INVALID', `the rotation ${message}`, { cause });

/**
 * Follows rotation steps from a chain of root keys.
 *
 * @param chain - trusted root keys, oldest first, each the successor of the previous key
 * @returns the chain that the steps prove. It is longer than `chain`, a prefix of `chain`, or departs from `chain` at
 *   some key
 */
export async function walkSteps(
  chain: readonly RootKey[],
  steps: readonly RotationStep[],
  clock: Clock | undefined,
): Promise<readonly RootKey[]> {
  const indexOf = (thumbprint: string) => chain.findIndex((key) => key.thumbprint === thumbprint);
  const start = steps.findIndex(({ kid }) => indexOf(kid) !== -1);
  const first = steps[start];
  if (first === undefined) {
    const last = steps.at(-1);
    if (last === undefined) return chain.slice(0, 1);
    // The chain may begin where these steps end. The last step is not verified, because its result is already trusted.
    // A later key of the chain has a step from the key before it, which these steps lack.
    const pinned = chain[0]?.thumbprint;
    if ((await nextRootOf(last)).thumbprint === pinned) return chain.slice(0, 1);
    throw new RegistryError('ERR_ROTATION_GAP', `no step of the rotation starts at the root key ${pinned}`);
  }
  const walked = chain.slice(0, indexOf(first.kid) + 1);
  for (const step of steps.slice(start)) {
    await verifyStep(step, walked.at(-1), clock);
    walked.push(await successorIn(step, walked));
  }
  return walked;
}

/**
 * Verifies that the outgoing root key has signed a step. {@link successorIn} says where the step leads.
 *
 * @throws `ERR_ROTATION_GAP` | `ERR_ROTATION_SIGNATURE` | `ERR_NOT_YET_VALID`
 */
export async function verifyStep(
  step: RotationStep,
  outgoing: RootKey | undefined,
  clock: Clock | undefined,
): Promise<void> {
  if (step.kid !== outgoing?.thumbprint) {
    throw new RegistryError(
      'ERR_ROTATION_GAP',
      `the step after the root key ${outgoing?.thumbprint} is signed by ${shown(step.kid)}`,
    );
  }
  await verifyStatement(step, outgoing, {
    clock,
    invalid: (message, cause) =>
      new RegistryError(
        'ERR_ROTATION_SIGNATURE',
        `the step after the root key ${outgoing.thumbprint} ${message}`,
        { cause },
      ),
  });
}

/**
 * Returns the root key that a step leads to (rule commitment-followed), with the keys to which the step commits it (rule
 * commitment-form). Only the caller knows whether the outgoing key has signed the step.
 *
 * @param chain - the root keys before, oldest first, the outgoing key last. Empty if they are not known
 * @throws `ERR_ROTATION_INVALID` | `ERR_ROTATION_LOOP` | `ERR_ROTATION_NOT_COMMITTED`
 */
export async function successorIn(
  { claims }: Pick<RotationStep, 'claims'>,
  chain: readonly Pick<RootKey, 'thumbprint' | 'nextRoots'>[],
): Promise<RootKey> {
  const next_roots = claims.next_roots as string[] | undefined;
  const next = await nextRootOf({ claims });
  const { thumbprint } = next;
  const earlier = chain.map((key) => key.thumbprint);
  if (earlier.includes(thumbprint))
    throw new RegistryError('ERR_ROTATION_LOOP', `the rotation returns to ${thumbprint}`);
  const outgoing = chain.at(-1);
  if (outgoing?.nextRoots?.includes(thumbprint) === false) {
    throw new RegistryError(
      'ERR_ROTATION_NOT_COMMITTED',
      `the root key ${outgoing.thumbprint} may be followed only by ${outgoing.nextRoots.join(' or ')}, not by ${thumbprint}`,
    );
  }
  if (next_roots === undefined) return next;
  if (!isAnchorMember('next_roots', next_roots)) {
    throw invalid('has next_roots that are not 1 to 3 distinct thumbprints');
  }
  const past = [...earlier, thumbprint].find((key) => next_roots.includes(key));
  if (past !== undefined) throw invalid(`has next_roots with ${past}, an earlier root key`);
  // The order has no meaning.
  return { ...next, nextRoots: [...next_roots].sort() };
}

/** Imports the key that a step leads to. @throws `ERR_ROTATION_INVALID` */
function nextRootOf({ claims }: Pick<RotationStep, 'claims'>): Promise<RootKey> {
  return importRootKey(claims.next_root).catch((cause: Error) => {
    throw invalid(`has a next_root that is invalid: ${cause.message}`, cause);
  });
}
