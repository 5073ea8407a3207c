import { containsHead, decodeBase64, hasCode } from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { PATHS } from '../../generator/tree/paths.js';
import { isUnreachable } from '../../generator/verification/network-failure.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { httpSource, sourceOf } from '../../generator/verification/tree-source.js';
import { verifyTree } from '../../generator/verification/verify.js';
import type { ServedLog, ServedPublication, ServedTree } from './read-host.js';

/** The state of a mirror, compared with its primary. */
type MirrorState = 'in sync' | 'behind' | 'ahead' | 'expired' | 'altered' | 'unreachable';

/** What a primary or a mirror serves, and how a mirror compares with its primary. */
export interface HostStatus extends Omit<ServedTree, 'failure'> {
  /**
   * `unknown` if the primary cannot be read, so that there is nothing to compare with. `expired` if verifiers refuse the
   * checkpoint, even if the list is the primary's.
   */
  readonly state: MirrorState | 'primary' | 'unknown';
  /** How much older the list or its publication statement is than the primary's, in seconds. */
  readonly behind: number | undefined;
  /** Whether files prove that neither its publications nor those of the primary continue the others. Absent if not. */
  readonly isForked?: true;
  /** The issuers that the primary holds and the mirror does not. Absent if there are none. */
  readonly notHeld?: readonly string[];
}

/** Whether a mirror serves what verifiers accept, holds what its primary holds, and is not too far behind it. */
export function isAcceptable({ state, behind = 0, notHeld }: HostStatus, maxBehindSeconds: number): boolean {
  if (notHeld !== undefined) return false;
  if (state === 'behind') return behind <= maxBehindSeconds;
  return state === 'primary' || state === 'in sync' || state === 'ahead';
}

/**
 * Compares the lists and the logs that a primary and its mirrors serve. No host waits for another mirror.
 *
 * @param urls - the URL of the primary or its folder, then the URLs of its mirrors
 * @param read - reads what one of them serves
 * @param signal - ends all requests
 */
export async function compareHosts(
  urls: readonly string[],
  read: (url: string) => Promise<ServedTree>,
  signal?: AbortSignal,
): Promise<HostStatus[]> {
  const [primary, ...mirrors] = urls.map(read);
  if (primary === undefined) return [];
  return Promise.all([
    primary.then(describePrimary),
    ...mirrors.map(async (mirror) => compare(await mirror, await primary, signal)),
  ]);
}

/**
 * Audits a mirror that has passed the comparison, for which not every file was read: what `verify` refuses is too old or
 * altered.
 */
export async function auditMirror(mirror: HostStatus, { rootKey, log }: PinnedTrust): Promise<HostStatus> {
  if (!['in sync', 'behind', 'ahead'].includes(mirror.state)) return mirror;
  // Verifiers ignore content types: `verify --conformance` tells how a host serves.
  const report = await verifyTree(httpSource(mirror.url), rootKey, { log, anyContentType: true });
  if (report.ok) return mirror;
  const failed = report.checks.filter(({ result }) => result === 'failed');
  const problems = failed.flatMap((check) => check.problems);
  const isOld = failed.every(({ name }) => name === 'freshness');
  const state = report.unreachable ? 'unreachable' : isOld ? 'expired' : 'altered';
  return { ...mirror, state, problem: `\`verify\` refuses it: ${problems.join('; ')}` };
}

function describePrimary({ failure, ...served }: ServedTree): HostStatus {
  return {
    ...served,
    state: failure ?? 'primary',
    behind: served.updatedAt === undefined ? undefined : 0,
  };
}

/** A log with a second history is an alarm, whatever the lists are. */
async function compare(
  mirror: ServedTree,
  primary: ServedTree,
  signal: AbortSignal | undefined,
): Promise<HostStatus> {
  const status = compareWithPrimary(mirror, primary);
  if (mirror.failure !== undefined && mirror.failure !== 'expired') return status;
  try {
    const problem = await findForkedLog(mirror, primary, signal);
    return problem === undefined ? status : { ...status, state: 'altered', problem, isForked: true };
  } catch (error) {
    if (!(error instanceof IoFailed)) throw error;
    const state = isUnreachable(error) ? 'unreachable' : 'altered';
    return { ...status, state, problem: `the logs cannot be compared: ${error.message}` };
  }
}

function compareWithPrimary({ failure, ...mirror }: ServedTree, primary: ServedTree): HostStatus {
  if (mirror.updatedAt === undefined || primary.updatedAt === undefined) {
    return { ...mirror, state: failure ?? 'unknown', behind: undefined };
  }
  const behind = (Date.parse(primary.updatedAt) - Date.parse(mirror.updatedAt)) / 1000;
  if (behind === 0 && mirror.sha256 !== primary.sha256) {
    const problem = `the list has the updated_at of the primary's list, but another hash, ${mirror.sha256}`;
    return { ...mirror, state: 'altered', behind, problem, isForked: true };
  }
  const [its, newest] = [mirror.publication, primary.publication];
  // Another root key may begin again with its own numbers.
  if (its && newest && mirror.rootKey === primary.rootKey && areForked(its, newest)) {
    const problem = `two histories: its publication ${its.sequence} and publication ${newest.sequence} of the primary do not continue each other`;
    return { ...mirror, state: 'altered', behind, problem, isForked: true };
  }
  const late = behind === 0 ? statementsBehind(mirror, primary) : behind;
  const state = failure ?? (late === 0 ? 'in sync' : late > 0 ? 'behind' : 'ahead');
  return { ...mirror, state, behind: late, ...holdsBehind(mirror, primary) };
}

/** What a publication statement says of its place in a history. */
type Place = Pick<ServedPublication, 'sequence' | 'sha256' | 'previous'>;

/** Whether two statements of one root key prove two histories: each names those before it, and every one has a higher sequence. */
export function areForked(one: Place, other: Place): boolean {
  if (one.sequence === other.sequence) return one.sha256 !== other.sha256;
  const [earlier, later] = one.sequence < other.sequence ? [one, other] : [other, one];
  const isWithin = later.sequence - earlier.sequence <= later.previous.length;
  return isWithin && !later.previous.includes(earlier.sha256);
}

/** Names the issuers that only the newer checkpoint of the primary holds. */
function holdsBehind(
  { checkpoint, problem }: Pick<ServedTree, 'checkpoint' | 'problem'>,
  { checkpoint: newest }: ServedTree,
): Pick<HostStatus, 'notHeld'> & { readonly problem?: string } {
  if (checkpoint === undefined || newest === undefined || checkpoint.issuedAt > newest.issuedAt) return {};
  const notHeld = newest.hold.filter((id) => !checkpoint.hold.includes(id));
  if (notHeld.length === 0) return {};
  const lacks = `it does not hold ${notHeld.join(', ')}, as the registry does`;
  return { notHeld, problem: problem === undefined ? lacks : `${problem}; ${lacks}` };
}

/** Returns how much older the publication statement of the same list is than the primary's, in seconds. */
function statementsBehind(
  { publication: its }: Pick<ServedTree, 'publication'>,
  { publication: newest }: ServedTree,
): number {
  if (its === undefined || newest === undefined || its.sequence === newest.sequence) return 0;
  const seconds = Math.abs(Date.parse(newest.issuedAt) - Date.parse(its.issuedAt)) / 1000;
  // Two statements of one second still differ.
  return Math.sign(newest.sequence - its.sequence) * Math.max(seconds, 1);
}

/** Says that two logs contradict each other. @param one - a log with its size, in words */
export function contradiction(one: string, other: string): string {
  return `${one} and ${other} contradict each other: keep both, one of them is a second history`;
}

/** A host or a folder, and the head of its log. */
interface LoggedHost {
  readonly url: string;
  readonly log: ServedLog | undefined;
}

/**
 * Compares the logs of a registry and a mirror. The larger one must contain the smaller one, which its tiles prove.
 *
 * @param signal - ends all requests
 * @returns what is wrong, in words; undefined if nothing is
 * @throws {@link IoFailed} if a tile cannot be read
 */
export async function findForkedLog(
  mirror: LoggedHost,
  primary: LoggedHost,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const [its, newest] = [mirror.log, primary.log];
  if (newest === undefined) return undefined;
  if (its === undefined) return `there is no ${PATHS.logHead}, but the primary has one`;
  if (its.origin !== newest.origin) {
    return `its log is ${its.origin}, but that of the primary is ${newest.origin}`;
  }
  const [older, newer, url] =
    its.size <= newest.size ? [its, newest, primary.url] : [newest, its, mirror.url];
  const forked = contradiction(
    `its log with ${its.size} entries`,
    `that of the primary with ${newest.size} entries`,
  );
  try {
    const { get } = sourceOf(url, signal);
    const read = async (path: string) => (await get(path))?.bytes;
    return (await containsHead(treeHead(newer), treeHead(older), read)) ? undefined : forked;
  } catch (error) {
    if (hasCode(error, 'ERR_LOG_INCONSISTENT')) return forked;
    throw error;
  }
}

function treeHead({ size, root }: ServedLog) {
  return { size, root: decodeBase64(root) ?? new Uint8Array() };
}
