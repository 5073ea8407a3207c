import { type IssuerRegistry, RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  assertCanonical,
  assertSorted,
  type Checkpoint,
  type Delegation,
  type FirstRoots,
  logTrustOf,
  type PublicationStatement,
  parseList,
  readList,
} from '@passport-registry/verifier/core';
import { IoFailed } from '../errors.js';
import type { OnProgress } from '../progress.js';
import { CHECKSUMS_PATH, isIssuerPage, sha256 } from '../tree/checksums.js';
import type { HeldBy, VerifyHolders } from '../tree/held-by.js';
import { PATHS } from '../tree/paths.js';
import { DEFAULT_MAX_AGE_DAYS } from './accept.js';
import { isLogPath } from './log-archive.js';
import { isUnreachable } from './network-failure.js';
import type { PinnedLog } from './pinned-trust.js';
import { Problems, RETRIES, SeenFiles } from './seen-files.js';
import {
  checkChecksums,
  checkClient,
  checkPages,
  checkRecordFiles,
  checkSignature,
  checkUnknownId,
  pathsOf,
} from './tree-checks.js';
import type { TreeSource } from './tree-source.js';
import { type Note, unknownClaimNotes, unknownFiles } from './unknown-parts.js';
import { checkChanges, checkSnapshots } from './verify-history.js';
import { type CheckedLog, checkLog, checkQuorum } from './verify-log.js';
import { checkAbout, checkPublication, checkSums } from './verify-publication.js';
import {
  checkCheckpoint,
  checkDelegation,
  checkFreshness,
  checkHolders,
  checkOperations,
  checkRotation,
  checkStatementsFile,
  type TrustedRoot,
  trustedRoot,
} from './verify-statements.js';

/** The checks of a verification, in order. */
export const CHECKS = [
  'root key',
  'rotation',
  'signature',
  'schema',
  'order',
  'canonical form',
  'records',
  'publication',
  'sums',
  'about',
  'log',
  'checksums',
  'snapshots',
  'changes',
  'pages',
  'delegation',
  'checkpoint',
  'statements',
  'freshness',
  'holders',
  'operations',
  'unknown id',
  'content types',
  'client',
] as const;

/** The checks that need a live host. */
const ONLY_LIVE = ['unknown id', 'content types'] as const;

/** The outcome of one check. A skipped check never counts as passed. */
export interface Check {
  readonly name: (typeof CHECKS)[number];
  readonly result: 'passed' | 'failed' | 'skipped';
  /** Why the check failed, as a stable code. docs/protocol/publishers.md#auditor-codes lists the codes. Undefined unless it failed. */
  readonly code?: string;
  /** The problems found, or why the check was skipped. */
  readonly problems: readonly string[];
}

/** The result of a verification. */
export interface TreeReport {
  readonly source: string;
  /** Whether no check failed. */
  readonly ok: boolean;
  /** Whether the source could not be reached, so that a failed check says nothing about the tree. */
  readonly unreachable: boolean;
  /** RFC 7638 thumbprint of the root key that was used. */
  readonly rootKey: string | undefined;
  /** RFC 7638 thumbprint of the pinned key, if the tree's rotation led from it to `rootKey`. */
  readonly rotatedFrom: string | undefined;
  /**
   * Whether the caller gave the root key. If not, the tree's own key was used, which only shows that the tree is
   * consistent.
   */
  readonly pinned: boolean;
  /** Whether the tree is marked as signed by a development key. */
  readonly development: boolean;
  readonly updatedAt: string | undefined;
  /** Who shares the root key, as the published record says; undefined if no valid record is published. */
  readonly holders: HeldBy | undefined;
  /** The number of issuers in the list. */
  readonly issuers: number | undefined;
  /** The payload hash: SHA-256 of issuers.json, lower-case hexadecimal. */
  readonly sha256: string | undefined;
  /**
   * The ids of the issuers that the checkpoint holds, sorted: verifiers treat them as suspended. Undefined without a valid
   * checkpoint: then it is unknown which issuers are on hold.
   */
  readonly hold: readonly string[] | undefined;
  readonly checks: readonly Check[];
  /** What is valid now but will soon expire, and what could not be verified, in words. */
  readonly warnings: readonly string[];
  /** What this version does not know: it was neither refused nor, but for its hash or its signature, verified. */
  readonly notes: readonly Note[];
}

/** The statements of a tree that an audit has proven. Undefined: the tree has none, or its check did not pass. */
export interface ProvenStatements {
  readonly publication: PublicationStatement | undefined;
  readonly delegation: Delegation | undefined;
  readonly checkpoint: Checkpoint | undefined;
}

/** A report for people, and the facts behind it for code that goes on with them. */
interface Audited {
  readonly report: TreeReport;
  readonly statements: ProvenStatements;
}

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

/**
 * Verifies everything in a tree as an outsider would: with nothing but the published files and a root key.
 *
 * @param source - the tree: `folderSource`, `httpSource` or `memorySource`
 * @param pinned - the root key that the caller trusts: the current one, or an earlier one from which the tree's
 *   rotation leads to the current one. Default: the tree's own key
 */
export async function verifyTree(
  source: TreeSource,
  pinned?: RootKey,
  options: VerifyOptions = {},
): Promise<TreeReport> {
  return (await auditTree(source, pinned, options)).report;
}

/** Verifies a tree like {@link verifyTree}, and also returns what it has proven. */
export async function auditTree(
  source: TreeSource,
  pinned?: RootKey,
  options: VerifyOptions = {},
): Promise<Audited> {
  let files = new SeenFiles(source);
  let audited = await auditOnce(files, pinned, options);
  for (let retry = 0; retry < RETRIES && source.live; retry++) {
    const { report } = audited;
    if (report.ok || report.unreachable || !(await mayHaveChanged(files, report))) break;
    files = new SeenFiles(source);
    audited = await auditOnce(files, pinned, options);
  }
  return audited;
}

/** A new publication statement can name the same list. */
const ALSO_CHANGED: readonly string[] = [PATHS.publication, CHECKSUMS_PATH, PATHS.statements];

/** Whether a publication during the verification may have made the verification fail. */
async function mayHaveChanged(files: SeenFiles, { checks, sha256: list }: TreeReport): Promise<boolean> {
  if (checks.some(({ name, result }) => name === 'signature' && result === 'failed')) return true;
  if (await differs(files.source, PATHS.list, list)) return true;
  for (const path of ALSO_CHANGED) {
    const seen = await files.hash(path).catch(() => undefined);
    if (await differs(files.source, path, seen)) return true;
  }
  return false;
}

/** Whether a source now has another file than the one that was seen. */
async function differs(source: TreeSource, path: string, seen: string | undefined): Promise<boolean> {
  const file = await source.get(path).catch(() => undefined);
  return file !== undefined && sha256(file.bytes) !== seen;
}

async function auditOnce(
  files: SeenFiles,
  pinned: RootKey | undefined,
  options: VerifyOptions,
): Promise<Audited> {
  const { source } = files;
  const checks = new CheckList();
  const root = await checks.run('root key', () => trustedRoot(files, pinned));
  const audited = checks.unreachable
    ? NOTHING_CHECKED
    : await checkTree({ files, checks, root, pinned }, options);
  if (source.live && !checks.unreachable) {
    await checks.run('unknown id', () => checkUnknownId(files));
    if (options.anyContentType === true) checks.skip('content types', 'any content type is accepted');
    else if (files.any) await checks.run('content types', async () => files.assertTypes());
  }
  const { list, registry, statements, holders, warnings, notes, onlyClientReads } = audited;
  // A host may serve a client differently. A folder that has already failed needs no check by a client.
  const needsClient = source.live || (onlyClientReads && checks.failed.length === 0);
  if (root !== undefined && registry !== undefined && needsClient) {
    const { requireCheckpoint = false, requirePublication = false, log = {} } = options;
    const trusted = { rootKey: root.rootKey, requireCheckpoint, requirePublication, log };
    await checks.run('client', () => checkClient(files, trusted, options.now?.()));
  }
  if (!source.live) for (const name of ONLY_LIVE) checks.skip(name, 'only for a live host');
  if (!onlyClientReads) {
    const reason =
      checks.failed.length > 0
        ? 'an earlier check failed'
        : 'the tree has no checkpoint, delegation or rotation';
    checks.skip('client', reason);
  }
  const development = await files.get(PATHS.developmentMark).catch(() => undefined);
  const report: TreeReport = {
    source: source.name,
    ok: checks.failed.length === 0,
    unreachable: checks.unreachable,
    rootKey: root?.rootKey.thumbprint,
    rotatedFrom: root?.rotatedFrom?.thumbprint,
    pinned: pinned !== undefined,
    development: development !== undefined,
    holders,
    updatedAt: registry?.updated_at,
    issuers: registry?.issuers.length,
    sha256: list && sha256(list),
    hold: statements.checkpoint?.hold,
    checks: checks.complete(),
    warnings,
    notes,
  };
  return { report, statements };
}

/** What the checks of a tree have found out. */
interface CheckedTree {
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

const NOTHING_CHECKED: CheckedTree = {
  list: undefined,
  registry: undefined,
  statements: { publication: undefined, delegation: undefined, checkpoint: undefined },
  holders: undefined,
  onlyClientReads: true,
  warnings: [],
  notes: [],
};

/** The state of an audit after the check of the root key. */
interface Audit {
  readonly files: SeenFiles;
  readonly checks: CheckList;
  readonly root: TrustedRoot | undefined;
  readonly pinned: RootKey | undefined;
}

/** Runs all checks that need no live host. */
async function checkTree(
  { files, checks, root, pinned }: Audit,
  options: VerifyOptions,
): Promise<CheckedTree> {
  const { maxAge = DEFAULT_MAX_AGE_DAYS * 24 * 60 * 60, now = Date.now, onProgress } = options;
  const rootKey = root?.rootKey;
  const warnings: string[] = [];
  const isRequired = (name: CheckName) =>
    (name === 'publication' && options.requirePublication === true) ||
    (name === 'checkpoint' && options.requireCheckpoint === true);
  /** Runs a check of a file that is optional unless the caller requires it. */
  const optional = async <T>(
    name: CheckName,
    path: string,
    work: () => Promise<T>,
  ): Promise<T | undefined> => {
    if (isRequired(name) || (await fileExists(files, path))) return checks.run(name, work);
    checks.skip(name, `the tree has no ${path}`);
    return undefined;
  };
  const rotation =
    rootKey && (await optional('rotation', PATHS.rotation, () => checkRotation(files, rootKey, pinned)));
  const list = rootKey && (await checks.run('signature', () => checkSignature(files, rootKey)));
  const registry = list && (await checkList(checks, list));
  const signed = list !== undefined && registry !== undefined ? { list, registry } : undefined;
  if (registry !== undefined) {
    const canonical = checks.passed('canonical form');
    await checks.run('records', () => checkRecordFiles(files, { ...registry, canonical }, onProgress));
  }
  const isStated = await fileExists(files, PATHS.publication);
  const publication =
    rootKey &&
    signed &&
    (await optional('publication', PATHS.publication, () => checkPublication(files, rootKey, signed)));
  if (!isStated) checks.skip('sums', `the tree has no ${PATHS.publication}`);
  else if (publication !== undefined && registry !== undefined && checks.passed('records')) {
    await checks.run('sums', () => checkSums(files, registry, publication));
  }
  const isAboutKnown = publication?.aboutSha256 !== undefined || (await fileExists(files, PATHS.about));
  if (!isAboutKnown) checks.skip('about', `the tree has no ${PATHS.about}`);
  else if (registry !== undefined && (publication !== undefined || !isStated))
    await checks.run('about', () => checkAbout(files, registry, publication));
  const roots = rotation ?? (rootKey && { keys: [rootKey], unknown: undefined });
  const isUnclear = isStated && publication === undefined;
  const logTrust = logTrustOf(options.log ?? {});
  const isLogged = publication?.log !== undefined || logTrust !== undefined;
  const hasLog = options.withoutLog !== true && (isLogged || (await hasLogFiles(files)));
  const checkWholeLog = async (known: FirstRoots) => {
    if (!isLogged) await assertHasHead(files);
    const found = options.checkedLog ?? (await checkLog(files, { statement: publication, roots: known }));
    if (logTrust !== undefined)
      await checkQuorum(files, publication, { ...logTrust, maxAgeMs: maxAge * 1000, now: now() });
    return found;
  };
  const logged =
    hasLog && roots !== undefined && !isUnclear
      ? await checks.run('log', () => checkWholeLog(roots))
      : undefined;
  warnings.push(...(logged?.warnings ?? []));
  if (options.withoutLog === true) checks.skip('log', 'it was not asked for');
  // A statement that is not valid could name a log.
  else if (!hasLog && !isUnclear) checks.skip('log', 'the tree has no log');
  const sums = await checks.run('checksums', () => checkChecksums(files, isStated, logged?.pendingList));
  const paths = await pathsOf(files, sums);
  const snapshots = paths.filter((path) => path.startsWith('snapshots/')).sort();
  if (snapshots.length === 0) {
    if (sums !== undefined) checks.skip('snapshots', 'the tree has no snapshots');
  } else if (roots !== undefined) {
    const { pendingList, rootKeys = roots.keys } = logged ?? {};
    const history = { ...roots, keys: rootKeys, pendingList };
    warnings.push(
      ...((await checks.run('snapshots', () => checkSnapshots(files, snapshots, history))) ?? []),
    );
  }
  const changes = (await fileExists(files, PATHS.changes)) ? PATHS.changes : PATHS.feed;
  await optional('changes', changes, () => checkChanges(files));
  if (!paths.includes(PATHS.pageSums) && !paths.some(isIssuerPage))
    checks.skip('pages', `the tree has no ${PATHS.pageSums}`);
  else if (registry !== undefined) await checks.run('pages', () => checkPages(files, registry));
  const delegation =
    rootKey && (await optional('delegation', PATHS.delegation, () => checkDelegation(files, rootKey)));
  // Checkpoint and freshness depend on the publication statement.
  const isStatementBad = checks.hasFailed('publication');
  const stated = signed && !isStatementBad ? { ...signed, publication } : undefined;
  const checkpoint =
    rootKey &&
    stated &&
    (publication?.checkpoint
      ? await checks.run('checkpoint', () => checkCheckpoint(files, rootKey, stated))
      : await optional('checkpoint', PATHS.checkpoint, () => checkCheckpoint(files, rootKey, stated)));
  await optional('statements', PATHS.statements, () => checkStatementsFile(files));
  if (signed !== undefined && !isStatementBad && !checks.hasFailed('checkpoint')) {
    const clocks = {
      ...signed,
      rotation,
      delegation,
      checkpoint,
      publication,
      maxAgeMs: maxAge * 1000,
      now: now(),
    };
    warnings.push(...((await checks.run('freshness', () => checkFreshness(files, clocks))) ?? []));
  }
  const { verifyHolders } = options;
  if (rootKey !== undefined && verifyHolders === undefined)
    checks.skip('holders', 'the caller did not say how to verify the record of the holders');
  const holders =
    rootKey &&
    verifyHolders &&
    (await optional('holders', PATHS.holders, () => checkHolders(files, rootKey, verifyHolders)));
  const operations =
    rootKey && (await optional('operations', PATHS.operations, () => checkOperations(files, rootKey, now())));
  warnings.push(...(operations ?? []));
  const onlyClientReads = (['rotation', 'delegation', 'checkpoint'] as const).some((name) =>
    checks.wasRun(name),
  );
  const notes = [
    ...unknownFiles(paths, (path) => sums?.has(path) === true),
    ...(await unknownClaimNotes(files, (check) => checks.passed(check))),
    ...(logged?.notes ?? []),
  ];
  const statements = { publication, delegation, checkpoint };
  return { list, registry, statements, holders, onlyClientReads, warnings, notes };
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

/** Whether a file exists. An unreadable file counts as existing. */
async function fileExists(files: SeenFiles, path: string): Promise<boolean> {
  try {
    return (await files.get(path)) !== undefined;
  } catch (error) {
    if (error instanceof IoFailed) return true;
    throw error;
  }
}

/**
 * Runs the three checks of the list itself. One combined check costs a fraction of them; the checks run separately only
 * if the combined check fails, to find out which one fails.
 */
async function checkList(checks: CheckList, list: Uint8Array): Promise<IssuerRegistry | undefined> {
  const valid = readValidList(list);
  const registry = await checks.run('schema', async () => valid ?? parseList(list));
  if (registry === undefined) return undefined;
  await checks.run('order', async () => valid ?? assertSorted(registry));
  await checks.run('canonical form', async () => valid ?? assertCanonical(list, registry));
  return registry;
}

function readValidList(list: Uint8Array): IssuerRegistry | undefined {
  try {
    return readList(list);
  } catch {
    return undefined;
  }
}

type CheckName = Check['name'];

/** Returns the code of a failed check: that of the verifier or of the disk, or else that of the check itself. */
function codeOf(name: CheckName, error: RegistryError | IoFailed | Problems): string {
  return error instanceof Problems ? `ERR_AUDIT_${name.toUpperCase().replaceAll(' ', '_')}` : error.code;
}

class CheckList {
  readonly #run: Check[] = [];
  readonly #skipped = new Map<CheckName, string>();
  /** Whether every failed check failed because the source did not respond. */
  #onlyUnreachable = true;

  /** Runs a check. An expected error is a failed check, for which the result is undefined. */
  async run<T>(name: CheckName, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await work();
      this.#run.push({ name, result: 'passed', problems: [] });
      return value;
    } catch (error) {
      const expected =
        error instanceof RegistryError || error instanceof IoFailed || error instanceof Problems;
      if (!expected) throw error;
      if (!isUnreachable(error)) this.#onlyUnreachable = false;
      const problems = error instanceof Problems ? error.texts : [error.message];
      this.#run.push({ name, result: 'failed', code: codeOf(name, error), problems });
      return undefined;
    }
  }

  /** Gives the reason to report if a check does not run. */
  skip(name: CheckName, why: string): void {
    this.#skipped.set(name, why);
  }

  get failed(): readonly Check[] {
    return this.#run.filter(({ result }) => result === 'failed');
  }

  /** Whether checks failed, and all of them because the source did not respond. */
  get unreachable(): boolean {
    return this.failed.length > 0 && this.#onlyUnreachable;
  }

  passed(name: CheckName): boolean {
    return this.#run.some((check) => check.name === name && check.result === 'passed');
  }

  hasFailed(name: CheckName): boolean {
    return this.failed.some((check) => check.name === name);
  }

  wasRun(name: CheckName): boolean {
    return this.#run.some((check) => check.name === name);
  }

  /** Returns all checks in order. Checks that did not run are skipped. */
  complete(): Check[] {
    const why = (name: CheckName) =>
      this.#skipped.get(name) ??
      (this.unreachable ? 'the source cannot be reached' : 'an earlier check failed');
    return CHECKS.map(
      (name): Check =>
        this.#run.find((check) => check.name === name) ?? { name, result: 'skipped', problems: [why(name)] },
    );
  }
}
