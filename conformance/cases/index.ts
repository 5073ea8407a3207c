import type { Case } from './case.js';
import { changedFiles } from './changed-files.js';
import { oddClaims, oddLogClaims } from './claims.js';
import { clocks } from './clocks.js';
import { flippedBytes } from './flipped-bytes.js';
import { rotations, signatures, thieves, wrongSigners } from './forgeries.js';
import { goldenCases } from './golden-cases.js';
import { oddHosts } from './hosts.js';
import { logs } from './logs.js';
import { oddLists, oddRecords } from './records.js';
import { sequences } from './sequences.js';
import { jsonFileTraps, lineTraps, noteTraps, statementTraps } from './traps.js';

export { type Case, type HostAnswer, ROLES, type Role, type ShownTree, type Step } from './case.js';

/** The kinds of cases. */
const KINDS = [
  ...[goldenCases, flippedBytes, changedFiles, oddClaims, oddLogClaims, oddRecords, oddLists],
  ...[wrongSigners, thieves, signatures, rotations, statementTraps, jsonFileTraps, lineTraps, noteTraps],
  ...[sequences, logs, clocks, oddHosts],
];

/** How to choose cases. */
export interface Choice {
  /** Only cases whose id begins with this. */
  readonly only?: string;
}

/** Makes all cases, one after the other, the same ones in the same order every time. */
export async function* cases({ only = '' }: Choice = {}): AsyncGenerator<Case> {
  for (const kind of KINDS) {
    for (const one of kind()) if (one.id.startsWith(only)) yield one;
  }
}
