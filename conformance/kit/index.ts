import type { Case, Role } from '../cases/case.js';
import { chainKit } from './chains.js';
import { clockKit, cosignatureClocks } from './clocks.js';
import { hostKit, placeKit } from './hosts.js';
import { listKit } from './lists.js';
import { logAuditKit, proofKit } from './logs.js';
import { lookupKit } from './lookups.js';
import { memoryKit } from './memories.js';
import { passportKit } from './passports.js';
import { statementKit } from './statements.js';
import { statementsFileKit } from './statements-file.js';
import { auditKit, treeKit } from './trees.js';

/** The version of the cases: conformance/CHANGELOG.md says what changed. */
export const KIT_VERSION = '1.0.0';

/** The kit of each role. Each topic begins with what is most important. */
const KITS: Readonly<Partial<Record<Role, readonly ((role: Role) => Generator<Case>)[]>>> = {
  list: [listKit],
  lookup: [lookupKit, memoryKit, hostKit, statementKit],
  client: [treeKit, memoryKit, statementsFileKit, statementKit, chainKit, clockKit, hostKit, placeKit],
  auditor: [treeKit, auditKit, statementsFileKit, statementKit, chainKit, clockKit, logAuditKit],
  passport: [passportKit],
  log: [proofKit, cosignatureClocks, placeKit],
};

/** Makes the cases of a role, the same ones in the same order every time. */
export function* kitCases(role: Role): Generator<Case> {
  for (const kind of KITS[role] ?? []) yield* kind(role);
}

const START_CASES = 40;

/** The cases to begin with: the first ones of each topic in turn. Trust policies come later. */
export function startCases(cases: readonly Case[]): Case[] {
  const topics = new Map<string, Case[]>();
  for (const one of cases.filter(({ policy }) => policy === undefined)) {
    const [, topic = ''] = one.id.split('/');
    topics.set(topic, [...(topics.get(topic) ?? []), one]);
  }
  const chosen = new Set<Case>();
  for (let number = 0; chosen.size < Math.min(START_CASES, cases.length); number++) {
    for (const ofTopic of topics.values()) {
      const next = ofTopic[number];
      if (next !== undefined && chosen.size < START_CASES) chosen.add(next);
    }
  }
  return cases.filter((one) => chosen.has(one));
}
