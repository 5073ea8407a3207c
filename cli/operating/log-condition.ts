import { cosignatureTime, namesLog } from '@passport-registry/verifier/core';
import { readIfReadable } from '../../generator/files/read-file.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import type { CosignChoice } from '../../generator/log/log-choice.js';
import { countEntries } from '../../generator/log/log-files.js';
import { type PublishedTree, withPending } from '../../generator/tree/published-tree.js';
import { statementsIn } from '../../generator/tree/statements-file.js';
import { idsOf, issuersOf } from '../hosts/own-tree.js';
import { cosignedBy, headIn } from '../hosts/quorum.js';
import { type Condition, summarize } from './condition.js';
import { type LocalTree, problemsOf } from './local-tree.js';

/** The condition of the public log. */
export interface LogCondition extends Condition {
  /** The number of entries of the log that the proof is for. */
  readonly size: number | undefined;
  /** The names of the witnesses in the proof. Nobody has verified their cosignatures. */
  readonly cosignedBy: readonly string[];
  /** The number of witnesses of the registry whose cosignatures in the proof are valid. */
  readonly cosigned: number | undefined;
  /** How many of them must cosign; 0 if the registry demands none. */
  readonly quorum: number;
  /** Whether the newest publication in the log has not replaced the published files yet. */
  readonly pending: boolean;
  /** Beside `pending`: its names and reasons are not here, so that only a build completes it. */
  readonly needsBuild?: true;
  /** Whether a witness has cosigned what the log lacks: no witness cosigns what follows. Absent if that is unknown. */
  readonly isForked?: true;
  /** Beside `isForked`: the operator has told `keys rotate` that this is a thief's, and goes on with the tree. */
  readonly isOverThief?: true;
}

/** Describes the log of the tree, and whether enough witnesses have cosigned the head that its proof is for. */
export async function logCondition(
  { folder, report, published }: LocalTree,
  choice: CosignChoice,
): Promise<LogCondition> {
  const { quorum } = choice;
  // The tree of a first publication that was killed is not valid, but `checkpoint` completes it.
  const pending = published?.pending !== undefined;
  const none = { size: undefined, cosignedBy: [], cosigned: undefined, quorum, pending };
  const problems = problemsOf(report, (name) => name === 'log');
  if (problems !== undefined) return { level: 'error', message: summarize(problems), ...none };
  const statements = statementsIn((path) => readIfReadable(folder, path));
  const proof = statements?.logProof;
  if (published === undefined || proof === undefined) {
    const isUnchecked =
      report !== undefined && ((await namesLog(statements?.publication)) || proof !== undefined);
    if (!isUnchecked) return { level: 'note', message: 'none', isAbsent: true, ...none };
    return { level: 'note', message: 'not checked: the tree is not valid', ...none };
  }
  const head = headIn(proof);
  const times = head.note.signatures.flatMap((line) => {
    const time = cosignatureTime(line);
    return time === undefined ? [] : [{ name: line.name, time }];
  });
  const names = times.map(({ name }) => name);
  const { cosigned, lack } = await cosignedBy(head, choice);
  const found = { size: head.size, cosignedBy: names, cosigned, quorum, pending };
  if (published.pending !== undefined) {
    const { about, statement } = published.pending;
    const { sequence } = statement;
    const stopped = stoppedBy(published);
    const stops = stopped.length === 0 ? '' : `, so no verifier sees that it stops ${stopped.join(', ')}`;
    const message = `publication ${sequence} is in the log, but the published files are older${stops}`;
    const level = stops === '' ? 'warning' : 'error';
    return { level, message, ...found, ...(about === undefined && { needsBuild: true }) };
  }
  const log = `${head.origin}, ${countEntries(head.size)}`;
  if (lack !== undefined) return { level: 'warning', message: `${log}, ${lack}`, ...found };
  if (names.length === 0) return { level: 'ok', message: log, ...found };
  const since = formatUpdatedAt(Math.min(...times.map(({ time }) => time)) * 1000);
  return { level: 'ok', message: `${log}, cosigned by ${names.join(', ')} since ${since}`, ...found };
}

export async function withWitnesses(log: LogCondition, ..._rest: readonly unknown[]): Promise<LogCondition> {
  return log;
}

/** The issuers that are active in the published files, and not in the publication that is only in the log. */
function stoppedBy(published: PublishedTree): readonly string[] {
  const still = new Set(idsOf(issuersOf(withPending(published)), 'active'));
  return idsOf(issuersOf(published), 'active').filter((id) => !still.has(id));
}
