import { cosignatureTime, parseLogProof } from '@passport-registry/verifier/internal';
import { TreeRejected } from '../errors.js';
import { readIfThere } from '../files/read-file.js';
import { formatUpdatedAt } from '../list/updated-at.js';
import { PATHS } from '../tree/paths.js';
import { type Condition, summarize } from './condition.js';
import { type LocalTree, problemsOf } from './local-tree.js';

/** The condition of the public log. */
export interface LogCondition extends Condition {
  /** The number of entries of the log that the proof is for. */
  readonly size: number | undefined;
  /** The names of the witnesses in the proof. Nobody has verified their cosignatures. */
  readonly cosignedBy: readonly string[];
  /** Whether the newest publication in the log has not replaced the published files yet. */
  readonly pending: boolean;
}

/** Describes the log of the tree. */
export function logCondition({ folder, report, published }: LocalTree): LogCondition {
  const none = { size: undefined, cosignedBy: [], pending: false };
  const problems = problemsOf(report, (name) => name === 'log');
  if (problems !== undefined) return { level: 'error', message: summarize(problems), ...none };
  const proof = readIfThere(folder, PATHS.logProof);
  if (published === undefined || proof === undefined) return { level: 'note', message: 'none', ...none };
  const { head } = parseLogProof(proof, (message) => new TreeRejected(`${PATHS.logProof} ${message}`));
  const cosignatures = head.note.signatures.filter((line) => cosignatureTime(line) !== undefined);
  const oldest = Math.min(...cosignatures.map((line) => cosignatureTime(line) ?? 0));
  const found = { size: head.size, cosignedBy: cosignatures.map(({ name }) => name) };
  if (published.pending !== undefined) {
    const { sequence } = published.pending.statement;
    const message = `publication ${sequence} is in the log, but the published files are older`;
    return { level: 'warning', message, ...found, pending: true };
  }
  const names =
    cosignatures.length === 0
      ? ''
      : `, cosigned by ${found.cosignedBy.join(', ')} since ${formatUpdatedAt(oldest * 1000)}`;
  return { level: 'ok', message: `${head.origin}, ${head.size} entries${names}`, ...found, pending: false };
}
