import type { Case } from './case.js';
import { changedFiles } from './changed-files.js';
import { oddClaims, oddLogClaims } from './claims.js';
import { clocks } from './clocks.js';
import { flippedBytes } from './flipped-bytes.js';
import { rotations, signatures, thieves, wrongSigners } from './forgeries.js';
import { goldenCases } from './golden-cases.js';
import { oddHosts } from './hosts.js';
import { anchors, logs } from './logs.js';
import { oddLists, oddRecords } from './records.js';
import { memories, sources } from './sequences.js';
import { jsonFileTraps, lineTraps, noteTraps, statementTraps } from './traps.js';

export { type Case, type HostAnswer, ROLES, type Role, type ShownTree, type Step } from './case.js';

/** The kinds of cases, by the first part of their ids. */
const KINDS: Readonly<Record<string, readonly (() => Generator<Case>)[]>> = {
  golden: [goldenCases],
  byte: [flippedBytes],
  file: [changedFiles],
  claim: [oddClaims, oddLogClaims],
  record: [oddRecords],
  list: [oddLists],
  forged: [wrongSigners, thieves],
  signature: [signatures],
  rotation: [rotations],
  trap: [statementTraps, jsonFileTraps],
  lines: [lineTraps],
  note: [noteTraps],
  memory: [memories],
  sources: [sources],
  log: [logs],
  anchor: [anchors],
  clock: [clocks],
  host: [oddHosts],
};

/** How to choose cases. */
export interface Choice {
  /** Only cases whose id begins with this. */
  readonly only?: string;
}

/** Makes all cases, one after the other, the same ones in the same order every time. */
export async function* cases({ only = '' }: Choice = {}): AsyncGenerator<Case> {
  for (const [name, kinds] of Object.entries(KINDS)) {
    if (!`${name}/`.startsWith(only) && !only.startsWith(`${name}/`)) continue;
    for (const kind of kinds) for (const one of kind()) if (one.id.startsWith(only)) yield one;
  }
}
