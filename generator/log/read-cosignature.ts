import {
  CLOCK_TOLERANCE_MS,
  COSIGNED_ANY_TIME,
  clockNote,
  cosignatureTime,
  isNamed,
  type NoteKey,
  type NoteSignature,
  newestCosignatures,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { formatUpdatedAt } from '../list/updated-at.js';
import type { ReadFileSync } from './log-files.js';

/** What a witness does wrong, or does not do, in words that can follow its name. */
export class WitnessProblem extends Error {
  /** Whether the witness has cosigned what the log lacks, so that it never cosigns this log again. */
  readonly isOtherHistory: boolean;

  constructor(message: string, { isOtherHistory = false } = {}) {
    super(message);
    this.isOtherHistory = isOtherHistory;
  }
}

/** A request to a witness. */
export interface Question {
  readonly head: SignedHead;
  readonly key: NoteKey;
  /** Reads the files of the log. */
  readonly read: ReadFileSync;
  /** Ends the requests. */
  readonly signal: AbortSignal;
}

/** Returns when a witness cosigned a head that has its cosignature already, in milliseconds since 1970. */
export function knownTime({ head, key }: Pick<Question, 'head' | 'key'>): number | undefined {
  const times = head.note.signatures.filter((line) => isNamed(line, key)).map(cosignatureTime);
  return times[0] === undefined ? undefined : times[0] * 1000;
}

/** Returns which of the witnesses have cosigned a head, at any time. */
export async function cosignersOf(
  { note }: SignedHead,
  witnesses: readonly NoteKey[],
): Promise<readonly NoteKey[]> {
  const rules = { witnesses, quorum: witnesses.length, ...COSIGNED_ANY_TIME };
  const found = await newestCosignatures(note, rules);
  return found.map(({ witness }) => witness);
}

/** What a cosignature must be. */
interface CosignatureDemand {
  /** The text of the head that the witness must have cosigned. */
  readonly text: string;
  readonly key: NoteKey;
  /** The oldest acceptable time, in milliseconds since 1970. */
  readonly since: number;
}

/**
 * Returns the newest valid cosignature among signature lines. Lines of other keys are ignored.
 *
 * @throws {@link WitnessProblem}
 */
export async function readCosignature(
  lines: readonly NoteSignature[],
  { text, key, since }: CosignatureDemand,
): Promise<NoteSignature> {
  const own = lines.filter((line) => isNamed(line, key));
  const times = own.flatMap((line) => cosignatureTime(line) ?? []).map((seconds) => seconds * 1000);
  if (times.length === 0) throw new WitnessProblem(`sent no cosignature by its key ${key.name}+${key.keyId}`);
  const until = Date.now() + CLOCK_TOLERANCE_MS;
  const [valid] = await newestCosignatures(
    { text, signatures: own },
    { witnesses: [key], quorum: 1, since, until },
  );
  const found = own.find((line) => (cosignatureTime(line) ?? 0) * 1000 === valid?.time);
  if (found !== undefined) return found;
  const newest = Math.max(...times);
  const at = cosignedAt(newest);
  if (newest > until)
    throw new WitnessProblem(`sent a cosignature of ${at}, which is in the future ${clockNote(Date.now())}`);
  if (newest < since) throw new WitnessProblem(`sent an old cosignature, of ${at}`);
  throw new WitnessProblem('sent a cosignature that is not valid for the head');
}

/** Formats any time that a cosignature can contain. */
export function cosignedAt(milliseconds: number): string {
  return milliseconds <= 8.64e15 ? formatUpdatedAt(milliseconds) : `${milliseconds} ms after 1970`;
}
