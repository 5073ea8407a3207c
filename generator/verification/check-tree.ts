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
import { isIssuerPage, isLogPath } from '../tree/files.js';
import type { HeldBy, VerifyHolders } from '../tree/held-by.js';
import { PATHS } from '../tree/paths.js';
import { checkChanges, checkSnapshots } from './check-history.js';
import { type CheckedLog, checkLog, checkQuorum } from './check-log.js';
import { checkAbout, checkPublication, checkSums } from './check-publication.js';
import {
  type CheckedList,
  checkCheckpoint,
  checkDelegation,
  checkFreshness,
  checkHolders,
  checkOperations,
  checkRotation,
  checkStatementsFile,
  type RootHistory,
  type TrustedRoot,
} from './check-statements.js';
import { type CheckList, fileExists } from './checks.js';
import { checkChecksums, checkPages, checkRecordFiles, checkSignature, pathsOf } from './file-checks.js';
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
  /**
   * Verifies the record of the holders of the root key. Default: the record is not verified, and its check is skipped.
   *
   * @internal
   */
  readonly verifyHolders?: VerifyHolders | undefined;
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

/** What the checks of a tree have found out. */
export interface CheckedTree {
  /** The list; undefined unless the root key has signed the list. */
  readonly list: Uint8Array | undefined;
  readonly registry: IssuerRegistry | undefined;
  readonly statements: ProvenStatements;
  readonly holders: HeldBy | undefined;
  /** Whether the tree has statements, which a client reads with code of its own. */
  readonly onlyClientReads: boolean;
  readonly warnings: readonly string[];
  readonly notes: readonly Note[];
}

export const NOTHING_CHECKED: CheckedTree = {
  list: undefined,
  registry: undefined,
  statements: { publication: undefined, delegation: undefined, checkpoint: undefined },
  holders: undefined,
  onlyClientReads: true,
  warnings: [],
  notes: [],
};

/** The state of an audit after the check of the root key. */
export interface Audit {
  readonly files: SeenFiles;
  readonly checks: CheckList;
  readonly root: TrustedRoot | undefined;
  readonly pinned: RootKey | undefined;
  readonly options: VerifyOptions;
}

/** What checks have found out for later ones. Undefined if they did not pass, or did not run. */
interface Known {
  readonly rotation: RootHistory | undefined;
  /** The root keys of the tree. */
  readonly roots: Pick<RootHistory, 'keys' | 'unknown'> | undefined;
  readonly registry: IssuerRegistry | undefined;
  readonly signed: CheckedList | undefined;
  /** Whether the tree has a publication statement, which need not be valid. */
  readonly isStated: boolean;
  readonly publication: PublicationStatement | undefined;
  readonly logged: CheckedLog | undefined;
}

/** Runs all checks that need no live host, in the order of `CHECKS`. */
export async function checkTree(audit: Audit): Promise<CheckedTree> {
  const { files, checks, root, pinned } = audit;
  const rootKey = root?.rootKey;
  const rotation =
    rootKey &&
    (await checks.runIfThere('rotation', PATHS.rotation, () => checkRotation(files, rootKey, pinned)));
  const roots = rotation ?? (rootKey && { keys: [rootKey], unknown: undefined });
  const list = rootKey && (await checks.run('signature', () => checkSignature(files, rootKey)));
  const registry = list && (await checkList(audit, list));
  const signed = list && registry && { list, registry };
  const isStated = await fileExists(files, PATHS.publication);
  const publication = await checkNamedFiles(audit, { signed, isStated });
  const logged = await checkLogFiles(audit, { publication, isStated, roots });
  const other = await checkOtherFiles(audit, { registry, isStated, roots, logged });
  const shortLived = await checkShortLived(audit, { signed, publication, rotation });
  const { delegation, checkpoint } = shortLived;
  const holders = await checkHoldersFile(audit);
  const operations =
    rootKey &&
    (await checks.runIfThere('operations', PATHS.operations, () =>
      checkOperations(files, rootKey, timesOf(audit).now),
    ));
  return {
    list,
    registry,
    statements: { publication, delegation, checkpoint },
    holders,
    onlyClientReads: (['rotation', 'delegation', 'checkpoint'] as const).some((name) => checks.wasRun(name)),
    warnings: [...(logged?.warnings ?? []), ...other.warnings, ...shortLived.warnings, ...(operations ?? [])],
    notes: [
      ...unknownFiles(other.paths, (path) => other.sums?.has(path) === true),
      ...(await unknownClaimNotes(files, (check) => checks.passed(check))),
      ...(logged?.notes ?? []),
    ],
  };
}

/** Returns the time now, and the maximum age of a list without a checkpoint, in milliseconds. */
function timesOf({ options }: Pick<Audit, 'options'>): { readonly now: number; readonly maxAgeMs: number } {
  const { maxAge, now = Date.now } = options;
  return { now: now(), maxAgeMs: maxAge === undefined ? MAX_AGE_MS : maxAge * 1000 };
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
  const canonical = checks.passed('canonical form');
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
async function checkNamedFiles(
  { files, checks, root, options }: Audit,
  { signed, isStated }: Pick<Known, 'signed' | 'isStated'>,
): Promise<PublicationStatement | undefined> {
  const rootKey = root?.rootKey;
  const registry = signed?.registry;
  let publication: PublicationStatement | undefined;
  if (rootKey !== undefined && signed !== undefined) {
    const work = () => checkPublication(files, rootKey, signed);
    publication = await (options.requirePublication === true
      ? checks.run('publication', work)
      : checks.runIfThere('publication', PATHS.publication, work));
  }
  if (!isStated) checks.skip('sums', `the tree has no ${PATHS.publication}`);
  else if (publication !== undefined && registry !== undefined && checks.passed('records')) {
    await checks.run('sums', () => checkSums(files, registry, publication));
  }
  const isAboutKnown = publication?.aboutSha256 !== undefined || (await fileExists(files, PATHS.about));
  if (!isAboutKnown) checks.skip('about', `the tree has no ${PATHS.about}`);
  else if (registry !== undefined && (publication !== undefined || !isStated))
    await checks.run('about', () => checkAbout(files, registry, publication));
  return publication;
}

/** The check `log`: the log of the tree, and its witnesses. */
async function checkLogFiles(
  audit: Audit,
  { publication, isStated, roots }: Pick<Known, 'publication' | 'isStated' | 'roots'>,
): Promise<CheckedLog | undefined> {
  const { files, checks, options } = audit;
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
    if (trust !== undefined) await checkQuorum(files, publication, { ...trust, ...timesOf(audit) });
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

/** The checks `checksums`, `snapshots`, `changes` and `pages`. */
async function checkOtherFiles(
  { files, checks }: Audit,
  { registry, isStated, roots, logged }: Pick<Known, 'registry' | 'isStated' | 'roots' | 'logged'>,
) {
  const sums = await checks.run('checksums', () => checkChecksums(files, isStated, logged?.pendingList));
  const paths = await pathsOf(files, sums);
  const snapshots = paths.filter((path) => path.startsWith('snapshots/')).sort();
  let warnings: readonly string[] | undefined;
  if (snapshots.length === 0) {
    if (sums !== undefined) checks.skip('snapshots', 'the tree has no snapshots');
  } else if (roots !== undefined) {
    const { pendingList, rootKeys = roots.keys } = logged ?? {};
    const history = { ...roots, keys: rootKeys, pendingList };
    warnings = await checks.run('snapshots', () => checkSnapshots(files, snapshots, history));
  }
  const changes = (await fileExists(files, PATHS.changes)) ? PATHS.changes : PATHS.feed;
  await checks.runIfThere('changes', changes, () => checkChanges(files));
  if (!paths.includes(PATHS.pageSums) && !paths.some(isIssuerPage))
    checks.skip('pages', `the tree has no ${PATHS.pageSums}`);
  else if (registry !== undefined) await checks.run('pages', () => checkPages(files, registry));
  return { sums, paths, warnings: warnings ?? [] };
}

/** The checks `delegation`, `checkpoint`, `statements` and `freshness`. */
async function checkShortLived(
  audit: Audit,
  { signed, publication, rotation }: Pick<Known, 'signed' | 'publication' | 'rotation'>,
) {
  const { files, checks, root, options } = audit;
  const rootKey = root?.rootKey;
  const delegation =
    rootKey &&
    (await checks.runIfThere('delegation', PATHS.delegation, () => checkDelegation(files, rootKey)));
  // Checkpoint and freshness depend on the publication statement.
  const isStatementBad = checks.hasFailed('publication');
  let checkpoint: Checkpoint | undefined;
  if (rootKey !== undefined && signed !== undefined && !isStatementBad) {
    const work = () => checkCheckpoint(files, rootKey, { ...signed, publication });
    checkpoint = await (publication?.checkpoint === true || options.requireCheckpoint === true
      ? checks.run('checkpoint', work)
      : checks.runIfThere('checkpoint', PATHS.checkpoint, work));
  }
  await checks.runIfThere('statements', PATHS.statements, () => checkStatementsFile(files));
  let warnings: readonly string[] | undefined;
  if (signed !== undefined && !isStatementBad && !checks.hasFailed('checkpoint')) {
    const clocks = { ...signed, rotation, delegation, checkpoint, publication, ...timesOf(audit) };
    warnings = await checks.run('freshness', () => checkFreshness(files, clocks));
  }
  return { delegation, checkpoint, warnings: warnings ?? [] };
}

/** The check `holders`. */
async function checkHoldersFile({ files, checks, root, options }: Audit): Promise<HeldBy | undefined> {
  const rootKey = root?.rootKey;
  const { verifyHolders } = options;
  if (rootKey === undefined) return undefined;
  if (verifyHolders !== undefined)
    return checks.runIfThere('holders', PATHS.holders, () => checkHolders(files, rootKey, verifyHolders));
  checks.skip('holders', 'the caller did not say how to verify the record of the holders');
  return undefined;
}
