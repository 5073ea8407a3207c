import { once } from 'node:events';
import type { NoteSignature, SignedHead } from '@passport-registry/verifier/core';
import { askService } from './ask-service.js';
import type { CosignChoice, Witness } from './log-choice.js';
import type { ReadFileSync } from './log-files.js';
import { WitnessProblem } from './read-cosignature.js';

/** Collected cosignatures, and why others are missing. */
export interface Cosigned {
  /** Valid cosignatures of the head, one of each witness. */
  readonly signatures: readonly NoteSignature[];
  /** Why a witness has not cosigned, in words, by the name of the witness. */
  readonly missing: readonly {
    readonly witness: string;
    readonly problem: string;
    /** Whether the witness has cosigned what the log lacks. */
    readonly isOtherHistory?: true;
  }[];
}

/** How long the other witnesses may take when the quorum is reached, in milliseconds. */
const GRACE_MS = 2000;

/**
 * Collects cosignatures of a head. Ends as soon as all witnesses have answered, or a short time after the quorum is reached, or when the time is over. Without a quorum, waits for all witnesses.
 * If the time is 0, no witness is asked.
 *
 * @param read - reads the files of the log, for consistency proofs
 */
export async function collectCosignatures(
  head: SignedHead,
  { witnesses, quorum, waitMs }: CosignChoice,
  read: ReadFileSync,
): Promise<Cosigned> {
  if (waitMs === 0) return { signatures: [], missing: witnesses.map(notAsked) };
  const found = new Map<Witness, NoteSignature>();
  const problems = new Map<Witness, Error>();
  const enough = quorum === 0 ? witnesses.length : quorum;
  await withinTime(waitMs, async (signal, endSoon) => {
    await Promise.all(
      witnesses.map(async (witness) => {
        try {
          const cosignature = await askService(witness.service, { head, key: witness.key, read, signal });
          if (signal.aborted) return;
          found.set(witness, cosignature);
          if (found.size === enough) endSoon();
        } catch (error) {
          // What was wrong before the time was over says more than that it was over.
          if (!signal.aborted) problems.set(witness, error as Error);
        }
      }),
    );
  });
  return {
    signatures: [...found.values()],
    missing: witnesses
      .filter((witness) => !found.has(witness))
      .map((witness) => {
        const error = problems.get(witness);
        const isOther = error instanceof WitnessProblem && error.isOtherHistory;
        return {
          witness: witness.key.name,
          problem: error?.message ?? 'did not respond in time',
          ...(isOther && { isOtherHistory: true }),
        };
      }),
  };
}

const notAsked = ({ key }: Witness) => ({
  witness: key.name,
  problem: 'was neither asked nor waited for: the time to wait is 0',
});

/**
 * Runs a function to its end, or until the time is over.
 *
 * @param work - gets a signal that ends it, and a function to end it soon
 */
async function withinTime(
  milliseconds: number,
  work: (signal: AbortSignal, endSoon: () => void) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const end = () => controller.abort();
  const timers = [setTimeout(end, milliseconds)];
  const isOver = once(controller.signal, 'abort');
  try {
    await Promise.race([work(controller.signal, () => timers.push(setTimeout(end, GRACE_MS))), isOver]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    // Ends the requests that are under way.
    end();
  }
}
