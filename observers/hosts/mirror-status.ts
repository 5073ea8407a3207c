import { expiryOf } from '../../generator/freshness/expiry.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { httpSource } from '../../generator/verification/tree-source.js';
import { auditTree, type TreeReport } from '../../generator/verification/verify.js';
import { compareStatements, readServed, type Statements } from './served.js';

/** What a registry or a mirror serves, and how a mirror compares with its registry. */
export interface MirrorStatus {
  readonly url: string;
  /**
   * `primary`: the registry itself. `expired`: verifiers refuse only the age. `altered`: they refuse more, or the mirror has
   * another history. `unknown`: the registry cannot be read, so there is nothing to compare with.
   */
  readonly state:
    | 'primary'
    | 'in sync'
    | 'behind'
    | 'ahead'
    | 'expired'
    | 'altered'
    | 'unreachable'
    | 'unknown';
  /** The number of the publication; undefined if no verifier accepts it. */
  readonly sequence?: number | undefined;
  /** The time of its list. */
  readonly updatedAt?: string | undefined;
  /** How much older its publication is than the publication of the registry, in seconds. */
  readonly behind?: number;
  /** The issuers that the registry holds and the mirror does not. Absent if there are none. */
  readonly notHeld?: readonly string[];
  /** The problem, in words. */
  readonly problem?: string | undefined;
}

/** Whether a mirror serves what verifiers accept, holds what its registry holds, and is not too far behind it. */
export function isAcceptable(
  { state, behind = 0, notHeld = [] }: MirrorStatus,
  maxBehindSeconds: number,
): boolean {
  if (notHeld.length > 0) return false;
  if (state === 'behind') return behind <= maxBehindSeconds;
  return state === 'primary' || state === 'in sync' || state === 'ahead';
}

/** What the registry serves, as far as verifiers accept it. */
interface Primary {
  readonly status: MirrorStatus;
  readonly statements: Statements | undefined;
}

/** Reads the statements of a registry, audits its mirrors, and compares them. @param urls - the registry, then its mirrors */
export async function mirrorStatus(
  [primary = '', ...mirrors]: readonly string[],
  trust: PinnedTrust,
): Promise<readonly MirrorStatus[]> {
  const registry = readPrimary(primary, trust);
  const each = mirrors.map(async (url) => {
    // Verifiers ignore content types: `verify --conformance` tells how a host serves.
    const options = { log: trust.log, anyContentType: true };
    const { report, statements } = await auditTree(httpSource(url), trust.rootKey, options);
    const { publication, checkpoint } = statements;
    if (!report.ok || publication === undefined || checkpoint === undefined) return refused(url, report);
    return compared(url, { publication, checkpoint }, await registry);
  });
  return Promise.all([registry.then(({ status }) => status), ...each]);
}

async function readPrimary(url: string, trust: PinnedTrust): Promise<Primary> {
  const now = Date.now();
  const served = await readServed(url, trust, { now });
  switch (served.state) {
    case 'unreachable':
      return { status: { url, state: 'unreachable', problem: served.problem }, statements: undefined };
    case 'nothing':
      return { status: { url, state: 'altered', problem: 'it serves no registry' }, statements: undefined };
    case 'refused':
      return { status: { url, state: 'altered', problem: served.problem }, statements: undefined };
    case 'registry': {
      const [expired] = expiryOf(served.checkpoint, now).problems;
      const state = expired === undefined ? 'primary' : 'expired';
      return { status: { url, state, ...placeOf(served), problem: expired }, statements: served };
    }
  }
}

function refused(url: string, { checks, unreachable }: TreeReport): MirrorStatus {
  const failed = checks.filter(({ result }) => result === 'failed');
  const problem = `\`verify\` refuses it: ${failed.flatMap(({ problems }) => problems).join('; ')}`;
  if (unreachable) return { url, state: 'unreachable', problem };
  const isOnlyOld = failed.every(({ name }) => name === 'freshness');
  return { url, state: isOnlyOld ? 'expired' : 'altered', problem };
}

function compared(url: string, served: Statements, { statements: wanted }: Primary): MirrorStatus {
  const place = { url, ...placeOf(served) };
  if (wanted === undefined) return { ...place, state: 'unknown' };
  const { publication: order, checkpoint, notHeld } = compareStatements(served, wanted);
  const seconds = (wanted.publication.issuedAt - served.publication.issuedAt) / 1000;
  const lacks = `it does not hold ${notHeld.join(', ')}, as the registry does`;
  const holds = notHeld.length === 0 || checkpoint === 'newer' ? {} : { notHeld, problem: lacks };
  switch (order) {
    case 'same':
      return { ...place, state: 'in sync', behind: 0, ...holds };
    case 'older':
      return { ...place, state: 'behind', behind: seconds, ...holds };
    case 'newer':
      return { ...place, state: 'ahead', behind: seconds };
    case 'other': {
      const both = `its publication ${served.publication.sequence} and publication ${wanted.publication.sequence} of the registry`;
      return { ...place, state: 'altered', problem: `two histories: ${both} do not continue each other` };
    }
  }
}

function placeOf({ publication: { sequence, updatedAt } }: Statements) {
  return { sequence, updatedAt };
}
