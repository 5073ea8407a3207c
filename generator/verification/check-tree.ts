import type { IssuerRegistry, RootKey } from '@passport-registry/verifier';
import {
  assertCanonical,
  assertSorted,
  type Checkpoint,
  logTrustOf,
  type PublicationStatement,
  parseList,
  readList,
  type StatementsFile,
} from '@passport-registry/verifier/core';
import type { OnProgress } from '../progress.js';
import { sha256 } from '../tree/checksums.js';
import { isLogPath } from '../tree/files.js';
import { PATHS } from '../tree/paths.js';
import { checkChanges, checkLists } from './check-history.js';
import { type CheckedLog, checkLog, checkQuorum } from './check-log.js';
import { checkAbout, checkPublication, checkSums } from './check-publication.js';
import {
  type CheckedList,
  checkCheckpoint,
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
import { type Note, unknownClaimNotes, unknownFiles, unknownMembers } from './unknown-parts.js';

/** Options of a verification. */
export interface VerifyOptions {
  /** What a trust anchor says of the log and its witnesses. Default: nothing is demanded. */
  readonly log?: PinnedLog;
  /** Whether the log is not checked: a new tree has only the newest files of its log. Default: false. */
  readonly withoutLog?: boolean;
  /** Whether a live host may send any content types. Verifiers ignore them; other readers may not. */
  readonly anyContentType?: boolean;
  /** Returns the time in milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  /** Called for every record that is compared. */
  readonly onProgress?: OnProgress | undefined;
}

/** The statements of a tree that an audit has proven. Undefined: its check did not pass. */
export interface ProvenStatements {
  readonly publication: PublicationStatement | undefined;
  readonly checkpoint: Checkpoint | undefined;
}

/** An audit of a tree, and what its checks have found so far. Undefined: the check did not pass, or did not run. */
export class Audit {
  readonly files: SeenFiles;
  readonly checks: CheckList;
  readonly options: VerifyOptions;
  readonly pinned: RootKey | undefined;
  root: TrustedRoot | undefined;
  statements: StatementsFile | undefined;
  rotation: RootHistory | undefined;
  /** The list, which the root key has signed. */
  list: Uint8Array | undefined;
  registry: IssuerRegistry | undefined;
  publication: PublicationStatement | undefined;
  logged: CheckedLog | undefined;
  checkpoint: Checkpoint | undefined;
  readonly warnings: string[] = [];
  readonly notes: Note[] = [];

  constructor(files: SeenFiles, pinned: RootKey | undefined, options: VerifyOptions) {
    this.files = files;
    this.checks = new CheckList(files);
    this.options = options;
    this.pinned = pinned;
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
  const { files, checks, rootKey } = audit;
  const statements = await checks.run('statements', () => checkStatementsFile(files));
  audit.statements = statements;
  if (rootKey !== undefined) {
    if (statements !== undefined) await checkRootKeys(audit, statements, rootKey);
    audit.list = await checks.run('signature', () => checkSignature(files, rootKey));
  }
  if (audit.list !== undefined) audit.registry = await checkList(audit, audit.list);
  await checkNamedFiles(audit);
  audit.logged = await checkLogFiles(audit);
  await checkOtherFiles(audit);
  await checkShortLived(audit);
  if (statements !== undefined) {
    audit.notes.push(...unknownMembers(await files.require(PATHS.statements)));
    audit.notes.push(...unknownClaimNotes(statements, (check) => checks.resultOf(check) === 'passed'));
  }
  audit.notes.push(...(audit.logged?.notes ?? []));
}

/** The check `rotation`. */
async function checkRootKeys(audit: Audit, statements: StatementsFile, rootKey: RootKey): Promise<void> {
  const { checks, pinned } = audit;
  if (statements.rotation.length === 0) checks.skip('rotation', 'the root key was never replaced');
  else audit.rotation = await checks.run('rotation', () => checkRotation(statements, rootKey, pinned));
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
  const { files, checks, rootKey, signed, registry, statements } = audit;
  if (rootKey !== undefined && signed !== undefined && statements !== undefined) {
    audit.publication = await checks.run('publication', () => checkPublication(statements, rootKey, signed));
  }
  const { publication } = audit;
  if (publication !== undefined && registry !== undefined && checks.resultOf('records') === 'passed') {
    await checks.run('sums', () => checkSums(files, registry, publication));
  }
  const isNeeded = registry?.issuers.some(({ status }) => status !== 'active');
  const isNamed = publication?.aboutSha256 !== undefined;
  if (!isNeeded && !isNamed && !(await fileExists(files, PATHS.about)))
    checks.skip('about', `the tree has no ${PATHS.about}`);
  else if (registry !== undefined && publication !== undefined)
    await checks.run('about', () => checkAbout(files, registry, publication));
}

/** The check `log`: the log of the tree, and its witnesses. */
async function checkLogFiles(audit: Audit): Promise<CheckedLog | undefined> {
  const { files, checks, options, publication, statements, roots, now } = audit;
  if (options.withoutLog === true) {
    checks.skip('log', 'it was not asked for');
    return undefined;
  }
  // A statement that is not valid could name a log.
  if (publication === undefined || statements === undefined) return undefined;
  const trust = logTrustOf(options.log ?? {});
  if (publication.log === undefined && trust === undefined && !(await hasLogFiles(files, statements))) {
    checks.skip('log', 'the tree has no log');
    return undefined;
  }
  if (roots === undefined) return undefined;
  return checks.run('log', async () => {
    if (publication.log === undefined) await assertNoLogFiles(files, statements);
    const stated = { statement: publication, statements, roots };
    const found = publication.log && (await checkLog(files, stated));
    if (trust !== undefined) await checkQuorum(statements, publication, { ...trust, now });
    return found;
  });
}

async function hasLogFiles(files: SeenFiles, { logProof }: StatementsFile): Promise<boolean> {
  if (logProof !== undefined) return true;
  return files.paths()?.some(isLogPath) ?? fileExists(files, PATHS.logHead);
}

/** Without a log that the publication names, there is neither a proof nor a file of one. */
async function assertNoLogFiles(files: SeenFiles, statements: StatementsFile): Promise<void> {
  if (!(await hasLogFiles(files, statements))) return;
  const path = files.paths()?.find(isLogPath) ?? PATHS.logHead;
  const what = statements.logProof === undefined ? path : `log_proof in ${PATHS.statements}`;
  throw new Problems([
    `${what} belongs to a log, but the publication names none: delete it if it was not meant`,
  ]);
}

/** The checks `checksums`, `lists` and `changes`. */
async function checkOtherFiles(audit: Audit): Promise<void> {
  const { files, checks, list } = audit;
  const sums = await checks.run('checksums', () => checkChecksums(files));
  const paths = await pathsOf(files, sums);
  audit.notes.push(...unknownFiles(paths, (path) => sums?.has(path) === true));
  await checks.run('lists', () => checkLists(files, list && sha256(list)));
  await checks.runIfThere('changes', PATHS.changes, () => checkChanges(files));
}

/** The checks `checkpoint` and `freshness`. */
async function checkShortLived(audit: Audit): Promise<void> {
  const { files, checks, rootKey, signed, publication, statements } = audit;
  // Checkpoint and freshness depend on the publication statement.
  if (rootKey !== undefined && publication !== undefined && statements !== undefined) {
    const work = () => checkCheckpoint(statements, { rootKey, publication });
    audit.checkpoint = await checks.run('checkpoint', work);
  }
  const { rotation, checkpoint } = audit;
  if (signed === undefined || publication === undefined || checkpoint === undefined) return;
  const work = () => checkFreshness(files, { ...signed, rotation, publication, checkpoint, now: audit.now });
  audit.warnings.push(...((await checks.run('freshness', work)) ?? []));
}
