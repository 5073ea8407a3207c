import { parseLogProof, type SignedHead } from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import type { CosignChoice } from '../../generator/log/log-choice.js';
import { cosignersOf } from '../../generator/log/read-cosignature.js';

/** Says in what a proof that was served, or its absence, falls short of the quorum. Undefined if it has the quorum. */
export async function lackOfQuorum(
  proof: string | undefined,
  choice: CosignChoice,
): Promise<string | undefined> {
  return (await cosignedBy(proof === undefined ? undefined : headIn(proof), choice)).lack;
}

/** The head of the log that a proof is for. @throws {@link TreeRejected} */
export const headIn = (proof: string) =>
  parseLogProof(proof, (message) => new TreeRejected(`the proof of the log ${message}`)).head;

/** Counts the witnesses of a registry that have cosigned a head, and says who is missing if that is less than the quorum. */
export async function cosignedBy(
  head: SignedHead | undefined,
  { witnesses, quorum }: Pick<CosignChoice, 'witnesses' | 'quorum'>,
): Promise<{ readonly cosigned: number; readonly lack: string | undefined }> {
  const keys = witnesses.map(({ key }) => key);
  const cosigners = head === undefined ? [] : await cosignersOf(head, keys);
  const cosigned = cosigners.length;
  if (cosigned >= quorum) return { cosigned, lack: undefined };
  const missing = keys.filter((key) => !cosigners.includes(key)).map(({ name }) => name);
  const lack = `cosigned by ${cosigned} of ${keys.length} witnesses, but the quorum is ${quorum}: ${missing.join(', ')} did not cosign`;
  return { cosigned, lack };
}
