import type { IssuerRegistry, RootKey } from '@passport-registry/verifier';
import {
  assertCanonical,
  assertSorted,
  type Checkpoint,
  type Delegation,
  logTrustOf,
  MAX_AGE_MS,
  type PublicationStatement,
  parseList,
  readList,
} from '@passport-registry/verifier/core';
import type { OnProgress } from '../progress.js';
import { isLogPath } from '../tree/files.js';
import { PATHS } from '../tree/paths.js';
import { checkChanges, checkSnapshots } from './check-history.js';
import { type CheckedLog, checkLog, checkQuorum } from './check-log.js';
import { checkAbout, checkPublication, checkSums } from './check-publication.js';
import {
  type CheckedList,
  checkCheckpoint,
  checkDelegation,
  checkFreshness,
  checkRotation,
  checkStatementsFile,
  type RootHistory,
  type TrustedRoot,
} from './check-statements.js';
import { CheckList, fileExists } from './checks.js';
import { checkChecksums, checkRecordFiles, checkSignature, pathsOf } from './file-checks.js';
import type { PinnedLog } from './pinned-trust.js';
import { Problems, type SeenFiles } from './seen-files.js';
import { type Note, unknownClaimNotes, unknownFiles } from './unknown-parts.js';

/** Options of a verification. */
export interface VerifyOptions {
  /** The maximum age of a list without a checkpoint, in seconds. Default: 30 days, as in the verifier. */
  readonly maxAge?: number;
  /** Whether a tree without a checkpoint fails. Default: false. */
  readonly requireCheckpoint?: boolean;
  /** Whether a tree without a publication statement fails. Default: false. */
  readonly requirePublication?: boolean;
  /** What a trust anchor says of the log and its witnesses. Default: nothing is demanded. */
  readonly log?: PinnedLog;
  /** Whether the log is not checked: a new tree has only the newest files of its log. Default: false. */
  readonly withoutLog?: boolean;
  /** What a check of the log of this tree has found. Default: the log is checked. @internal */
  readonly checkedLog?: CheckedLog | undefined;
  /** Whether a live host may send any content types. Verifiers ignore them; other readers may not. */
  readonly anyContentType?: boolean;
  /** Returns the time in milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  /** Called for every record that is compared. */
  readonly onProgress?: OnProgress | undefined;
}

/** The statements of a tree that an audit has proven. Undefined: the tree has none, or its check did not pass. */
export interface ProvenStatements {
  readonly publication: PublicationStatement | undefined;
  readonly delegation: Delegation | undefined;
  readonly checkpoint: Checkpoint | undefined;
}

/** An audit of a tree, and what its checks have found so far. Undefined: the check did not pass, or did not run. */
export class Audit {
  readonly files: SeenFiles;
  readonly checks: CheckList;
  readonly options: VerifyOptions;
  readonly pinned: RootKey | undefined;
  /** The maximum age of a list without a checkpoint, in milliseconds. */
  readonly maxAgeMs: number;
  root: TrustedRoot | undefined;
  rotation: RootHistory | undefined;
  /** The list, which the root key has signed. */
  list: Uint8Array | undefined;
  registry: IssuerRegistry | undefined;
  /** Whether the tree has a publication statement, which need not be valid. */
  isStated = false;
  publication: PublicationStatement | undefined;
  logged: CheckedLog | undefined;
  delegation: Delegation | undefined;
  checkpoint: Checkpoint | undefined;
  readonly warnings: string[] = [];
  readonly notes: Note[] = [];

  constructor(files: SeenFiles, pinned: RootKey | undefined, options: VerifyOptions) {
    const { maxAge } = options;
    this.files = files;
    this.checks = new CheckList(files);
    this.options = options;
    this.pinned = pinned;
    this.maxAgeMs = maxAge === undefined ? MAX_AGE_MS : maxAge * 1000;
  }

  /** The time at a check, in milliseconds since 1970: what a host serves may have been signed since the audit began. */
  get now(): number {
    return (this.options.now ?? Date.now)();
  }

  get rootKey(): RootKey | undefined {
    return this.root?.rootKey;
  }

  /** The signed list, if it is valid. */
  get signed(): CheckedList | undefined {
    const { list, registry } = this;
    return list && registry && { list, registry };
  }

  /** The root keys of the tree. */
  get roots(): Pick<RootHistory, 'keys' | 'unknown'> | undefined {
    return this.rotation ?? (this.rootKey && { keys: [this.rootKey], unknown: undefined });
  }
}

/** Runs all checks that need no live host, in the order of `CHECKS`. */
export async function checkTree(audit: Audit): Promise<void> {
  const { files, checks, rootKey, pinned } = audit;
  if (rootKey !== undefined) {
    const rotation = () => checkRotation(files, rootKey, pinned);
    audit.rotation = await checks.runIfThere('rotation', PATHS.rotation, rotation);
    audit.list = await checks.run('signature', () => checkSignature(files, rootKey));
  }
  if (audit.list !== undefined) audit.registry = await checkList(audit, audit.list);
  audit.isStated = await fileExists(files, PATHS.publication);
  await checkNamedFiles(audit);
  audit.logged = await checkLogFiles(audit);
  audit.warnings.push(...(audit.logged?.warnings ?? []));
  await checkOtherFiles(audit);
  await checkShortLived(audit);
  audit.notes.push(...(await unknownClaimNotes(files, (check) => checks.resultOf(check) === 'passed')));
  audit.notes.push(...(audit.logged?.notes ?? []));
}

/**
 * The checks `schema`, `order` and `canonical form` of the list itself, and `records`. One combined check costs a fraction
 * of the first three; they run separately only if it fails, to find out which one fails.
 */
async function checkList(
  { files, checks, options }: Audit,
  list: Uint8Array,
): Promise<IssuerRegistry | undefined> {
  const valid = readValidList(list);
  const registry = await checks.run('schema', async () => valid ?? parseList(list));
  if (registry === undefined) return undefined;
  await checks.run('order', async () => valid ?? assertSorted(registry));
  await checks.run('canonical form', async () => valid ?? assertCanonical(list, registry));
  const canonical = checks.resultOf('canonical form') === 'passed';
  await checks.run('records', () => checkRecordFiles(files, { ...registry, canonical }, options.onProgress));
  return registry;
}

function readValidList(list: Uint8Array): IssuerRegistry | undefined {
  try {
    return readList(list);
  } catch {
    return undefined;
  }
}

/** The checks `publication`, `sums` and `about`: the publication statement, and the files that it names. */
async function checkNamedFiles(audit: Audit): Promise<void> {
  const { files, checks, rootKey, signed, registry, isStated, options } = audit;
  if (rootKey !== undefined && signed !== undefined) {
    const work = () => checkPublication(files, rootKey, signed);
    audit.publication = await (options.requirePublication === true
      ? checks.run('publication', work)
      : checks.runIfThere('publication', PATHS.publication, work));
  }
  const { publication } = audit;
  if (!isStated) checks.skip('sums', `the tree has no ${PATHS.publication}`);
  else if (publication !== undefined && registry !== undefined && checks.resultOf('records') === 'passed') {
    await checks.run('sums', () => checkSums(files, registry, publication));
  }
  const isNeeded = isStated && registry?.issuers.some(({ status }) => status !== 'active');
  const isNamed = publication?.aboutSha256 !== undefined;
  if (!isNeeded && !isNamed && !(await fileExists(files, PATHS.about)))
    checks.skip('about', `the tree has no ${PATHS.about}`);
  else if (registry !== undefined && (publication !== undefined || !isStated))
    await checks.run('about', () => checkAbout(files, registry, publication));
}

/** The check `log`: the log of the tree, and its witnesses. */
async function checkLogFiles(audit: Audit): Promise<CheckedLog | undefined> {
  const { files, checks, options, publication, isStated, roots, now, maxAgeMs } = audit;
  if (options.withoutLog === true) {
    checks.skip('log', 'it was not asked for');
    return undefined;
  }
  const trust = logTrustOf(options.log ?? {});
  const isLogged = publication?.log !== undefined || trust !== undefined;
  const hasLog = isLogged || (await hasLogFiles(files));
  // A statement that is not valid could name a log.
  if (isStated && publication === undefined) return undefined;
  if (!hasLog) checks.skip('log', 'the tree has no log');
  if (!hasLog || roots === undefined) return undefined;
  return checks.run('log', async () => {
    if (!isLogged) await assertHasHead(files);
    const found = options.checkedLog ?? (await checkLog(files, { statement: publication, roots }));
    if (trust !== undefined) await checkQuorum(files, publication, { ...trust, now, maxAgeMs });
    return found;
  });
}

/** Whether a tree has files of a log. The first publication in a log can be pending before a statement names the log. */
async function hasLogFiles(files: SeenFiles): Promise<boolean> {
  return files.paths()?.some(isLogPath) ?? fileExists(files, PATHS.logHead);
}

/** Without a head, no file belongs in the folders of a log: names one that is there. */
async function assertHasHead(files: SeenFiles): Promise<void> {
  const path = files.paths()?.find(isLogPath);
  if (path === undefined || (await fileExists(files, PATHS.logHead))) return;
  throw new Problems([
    `${path} is in a folder of the log, but the tree has no log, because ${PATHS.logHead} is missing: delete the file if it was not meant`,
  ]);
}

/** The checks `checksums`, `snapshots` and `changes`. */
async function checkOtherFiles(audit: Audit): Promise<void> {
  const { files, checks, isStated, roots, logged } = audit;
  const sums = await checks.run('checksums', () => checkChecksums(files, isStated, logged?.pendingList));
  const paths = await pathsOf(files, sums);
  audit.notes.push(...unknownFiles(paths, (path) => sums?.has(path) === true));
  const snapshots = paths.filter((path) => path.startsWith('snapshots/')).sort();
  if (snapshots.length === 0) {
    if (sums !== undefined) checks.skip('snapshots', 'the tree has no snapshots');
  } else if (roots !== undefined) {
    const { pendingList, rootKeys = roots.keys } = logged ?? {};
    const history = { ...roots, keys: rootKeys, pendingList };
    const work = () => checkSnapshots(files, snapshots, history);
    audit.warnings.push(...((await checks.run('snapshots', work)) ?? []));
  }
  await checks.runIfThere('changes', PATHS.changes, () => checkChanges(files));
}

/** The checks `delegation`, `checkpoint`, `statements` and `freshness`. */
async function checkShortLived(audit: Audit): Promise<void> {
  const { files, checks, rootKey, signed, publication, options } = audit;
  if (rootKey !== undefined) {
    const work = () => checkDelegation(files, rootKey);
    audit.delegation = await checks.runIfThere('delegation', PATHS.delegation, work);
  }
  // Checkpoint and freshness depend on the publication statement.
  const isStatementBad = checks.resultOf('publication') === 'failed';
  if (rootKey !== undefined && signed !== undefined && !isStatementBad) {
    const work = () => checkCheckpoint(files, { rootKey, publication }, signed);
    audit.checkpoint = await (publication?.checkpoint === true || options.requireCheckpoint === true
      ? checks.run('checkpoint', work)
      : checks.runIfThere('checkpoint', PATHS.checkpoint, work));
  }
  await checks.runIfThere('statements', PATHS.statements, () => checkStatementsFile(files));
  if (signed === undefined || isStatementBad || checks.resultOf('checkpoint') === 'failed') return;
  const work = () => checkFreshness(files, { ...audit, ...signed, now: audit.now });
  audit.warnings.push(...((await checks.run('freshness', work)) ?? []));
}
