import { join } from 'node:path';
import { RegistryError, type RootKey, walkRotation } from '@passport-registry/verifier';
import { ANY_TIME, verifyDelegation } from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { delegationValidity } from '../../generator/freshness/expiry.js';
import { PATHS } from '../../generator/tree/paths.js';
import { ROTATION_FILES, type RotationFiles } from '../operating/rotation-files.js';
import type { PlanChoice } from './rotation-choice.js';

/** The two keys of a rotation. */
interface RotationKeys {
  readonly outgoing: RootKey;
  /** Undefined if the next key is not known yet. */
  readonly next: RootKey | undefined;
}

/** The delegation of the next key. */
export interface DelegationPlan {
  /** The online keys; undefined if the registry has no delegation. */
  readonly keys: readonly RootKey[] | undefined;
  /** Whether the delegation must be signed, because there is none or it has expired. */
  readonly signs: boolean;
  /** Whether it lets the online keys hold issuers, as the published delegation does. */
  readonly mayHold: boolean;
}

/**
 * Asserts that the step of an earlier run leads from the outgoing key to the next key, and commits it as the operator says.
 *
 * @param commit - what the operator says, if anything
 * @returns the next key, with the keys to which the step commits it. Undefined if there is no step
 * @throws {@link KeyRejected}
 */
export async function assertStepFits(
  { folder, step }: RotationFiles,
  { outgoing, next }: RotationKeys,
  commit: readonly string[] | undefined,
): Promise<RootKey | undefined> {
  if (step === undefined) return undefined;
  const file = join(folder, ROTATION_FILES.step);
  const refused = (why: string, cause?: unknown) =>
    new KeyRejected(`${file} ${why}: find out who made it, and remove it to sign another`, { cause });
  const to = await walkRotation(outgoing, JSON.stringify([step])).catch((cause: Error) => {
    throw refused(`is not a step from ${outgoing.thumbprint}: ${cause.message}`, cause);
  });
  if (to.thumbprint !== next?.thumbprint) {
    throw refused(`leads to ${to.thumbprint}, but the next key is ${next?.thumbprint ?? 'not known yet'}`);
  }
  if (commit !== undefined && `${to.nextRoots}` !== `${[...commit].sort()}`) {
    throw refused(`commits ${to.thumbprint} to ${to.nextRoots?.join(' or ') ?? 'nothing'}, unlike --commit`);
  }
  return to;
}

/**
 * Finds out which delegation the next key must sign: to the online keys of the published delegation, or to others that
 * the operator has named.
 *
 * @throws {@link KeyRejected} | {@link UsageError}
 */
export async function planDelegation(
  { online, out }: Pick<PlanChoice, 'online' | 'out'>,
  { folder, delegation }: RotationFiles,
  { outgoing, next }: RotationKeys,
): Promise<DelegationPlan> {
  const published = readIfReadable(out, PATHS.delegation);
  if (published === undefined && online === undefined) {
    return { keys: undefined, signs: false, mayHold: false };
  }
  if (delegation === undefined) {
    const { keys, mayHold } = await publishedDelegation({ online, out }, outgoing);
    return { keys: online ?? keys, signs: true, mayHold };
  }
  const file = join(folder, ROTATION_FILES.delegation);
  const refused = (why: string) =>
    new KeyRejected(`${file} is not a delegation by the next key: ${why}: remove it to sign another`);
  if (next === undefined) throw refused('the next key is not known yet');
  const signed = await delegated(delegation, next, refused);
  const { keys, mayHold } = signed;
  if (online !== undefined && namesOf(online) !== namesOf(keys)) {
    throw new UsageError(`${file} names other online keys than --online: remove it to sign another`);
  }
  return { keys, signs: delegationValidity(signed, Date.now()) === 'expired', mayHold };
}

/** The online keys of a delegation, and whether they may hold issuers. */
type Delegated = Pick<Awaited<ReturnType<typeof verifyDelegation>>, 'keys' | 'mayHold'>;

const NOTHING_DELEGATED: Delegated = { keys: [], mayHold: false };

async function publishedDelegation(
  { online, out }: Pick<PlanChoice, 'online' | 'out'>,
  outgoing: RootKey,
): Promise<Delegated> {
  const bytes = readIfReadable(out, PATHS.delegation);
  if (bytes === undefined) return NOTHING_DELEGATED;
  const file = `${out}/${PATHS.delegation}`;
  const refused = (why: string) =>
    new KeyRejected(`${file} is not valid: ${why}: name the online keys with --online`);
  try {
    return await delegated(bytes, outgoing, refused);
  } catch (error) {
    // The operator replaces a delegation that is damaged. Nobody can tell what it permitted.
    if (online !== undefined && error instanceof KeyRejected) return NOTHING_DELEGATED;
    throw error;
  }
}

async function delegated(
  delegation: Uint8Array | string,
  by: RootKey,
  refused: (why: string) => KeyRejected,
) {
  try {
    return await verifyDelegation(delegation, by, ANY_TIME);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw refused(error.message);
  }
}

/** The thumbprints of some keys, as one text. */
function namesOf(keys: readonly RootKey[]): string {
  return keys
    .map(({ thumbprint }) => thumbprint)
    .sort()
    .join(' ');
}

/** Who signs the checkpoint of the tree with the next root key. */
export type CheckpointSigner = 'online key' | 'next key';

/**
 * Finds out who signs the new checkpoint, because the present one is not valid under the next root key.
 *
 * @throws {@link KeyRejected}
 */
export function planCheckpoint(
  { checkpoint }: Pick<PlanChoice, 'checkpoint'>,
  { outgoing, next, delegated }: RotationKeys & { readonly delegated: readonly RootKey[] | undefined },
): CheckpointSigner {
  const signer = checkpoint?.signer.rootKey.thumbprint;
  if (signer === undefined) return 'next key';
  if (signer === outgoing.thumbprint || signer === next?.thumbprint) return 'next key';
  if (delegated?.some(({ thumbprint }) => thumbprint === signer)) return 'online key';
  throw new KeyRejected(
    `the checkpoint key is ${signer}, which the delegation of the next key does not name: set another key in checkpoint.signer in registry.yaml, or pass --online`,
  );
}
