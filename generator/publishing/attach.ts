import { isSameBytes, type StatementsFile } from '@passport-registry/verifier/core';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { KeyRejected, TreeRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfReadable } from '../files/read-file.js';
import { isStillFor, signCheckpoint } from '../freshness/checkpoint.js';
import { readPublicationStatement } from '../freshness/statements.js';
import { aboutBytes, withStatusSince } from '../list/about.js';
import type { SignedPublication } from '../list/list.js';
import { assertNotAhead, formatUpdatedAt } from '../list/updated-at.js';
import { recordsOfList } from '../records/check-records.js';
import { assertPublishable } from '../review/assert-publishable.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { hasList, type PublishedTree } from '../tree/published-tree.js';
import { withStatements } from '../tree/statements-file.js';
import { sumsOfList } from '../tree/sums.js';
import type { Tree } from '../tree/tree.js';
import type { ProvenStatements } from '../verification/check-tree.js';
import { assembleOver } from './assemble.js';
import { assertTreeGood } from './assert-tree-good.js';
import { changeOf, isEmptyChange, listsToRemove } from './changes.js';
import { assertLastingName } from './choose-log.js';
import { type CommittedTree, checkpointBefore, countingFor } from './committed.js';
import { followingCheckpoint, outdated } from './following-checkpoint.js';
import { apply, commit, type Stage } from './journal.js';
import { type CosignedStage, cosignStage, logPublication } from './log-publication.js';
import { heldMeanwhile } from './open-tree.js';
import type { PublishOptions } from './publication.js';
import { type BuildReport, reportOf } from './report.js';
import type { SignedRequest } from './request.js';
import { rotationOf } from './rotation.js';
import { assertExpectedStatement } from './sign-statement.js';

/** A new tree that is audited, and not yet in the log. */
interface AuditedTree {
  readonly signed: SignedPublication;
  /** Warnings about the records. */
  readonly warnings: readonly Diagnostic[];
  /** The rotation of the new tree: steps, oldest first. */
  readonly rotation: readonly string[];
  /** The statements, without what proves that the log has them. */
  readonly unlogged: StatementsFile;
  /** All other files. */
  readonly files: Tree;
  readonly proven: ProvenStatements;
}

/** Assembles the tree of a request, and audits it in memory, without its log. */
async function audited(
  request: SignedRequest,
  tree: CommittedTree,
  options: PublishOptions,
): Promise<AuditedTree> {
  const { onStage } = options.listeners ?? {};
  const { newest: follows } = tree;
  const { signed, warnings } = signedPublication(request, follows, options);
  const rotation = await rotationOf(follows, request, options.freshness?.nextRoots);
  const files = assembleOver(follows, signed, options);
  const checkpoint = await checkpointFor(request, { tree, signed, files }, options);
  const unlogged = { publication: signed.statement.text, checkpoint, rotation, logProof: undefined };
  onStage?.('tree');
  const proven = isPublishedTree({ unlogged, files }, tree.published)
    ? { publication: tree.published?.statement, checkpoint: tree.published?.checkpoint }
    : await assertTreeGood(withStatements(files, unlogged), request.rootKey);
  onStage?.('verify');
  return { signed, warnings, rotation, unlogged, files, proven };
}

/** The files that name all others of a tree, but for its log. */
const NAMING_FILES = [PATHS.statements, PATHS.checksums, PATHS.signature];

/** Whether a new tree is the published one, which was audited when it was opened. */
function isPublishedTree(
  { unlogged, files }: Pick<AuditedTree, 'unlogged' | 'files'>,
  published: PublishedTree | undefined,
): boolean {
  if (published === undefined) return false;
  const { logProof } = published.statements;
  const tree = withStatements(files, { ...unlogged, logProof });
  return NAMING_FILES.every((path) => {
    const [bytes, before] = [tree.get(path), published.read(path)];
    return bytes !== undefined && before !== undefined && isSameBytes(bytes, before);
  });
}

/**
 * Publishes what its root key has signed: assembles the tree, audits it in memory as an outsider would, adds the publication to the
 * log, stages and commits the change, asks the witnesses, and applies. If a step before the commit fails, the published tree is left
 * as it was. After the commit, the next command goes on. Without a quorum of witnesses the stage waits, and the published tree
 * stays.
 *
 * @param found - the published tree, and the newest committed one, which the publication follows
 * @throws {@link RecordsRejected} | {@link RequestRejected} | {@link KeyRejected} | {@link TreeRejected} |
 *   {@link AlreadyPublished} | {@link UsageError} | {@link IoFailed}
 */
export async function attach(
  request: SignedRequest,
  found: CommittedTree,
  options: PublishOptions,
): Promise<BuildReport> {
  const { onStage } = options.listeners ?? {};
  const tree = countingFor(found, request);
  const { signed, warnings, rotation, unlogged, files, proven } = await audited(request, tree, options);
  const logged = await logPublication({ signed, rotation }, tree, options.log);
  onStage?.('log');
  const statements = { ...unlogged, logProof: logged.proof };
  const whole = withStatements(new Map([...files, ...logged.files]), statements);
  const oldLists = listsToRemove(tree, signed.sha256, options.log?.keepBytes);
  const change = changeOf(whole, tree, [...logged.replaced, ...oldLists]);
  const outcome = { tree, signed, statements: proven, files: whole, change, warnings };
  if (isEmptyChange(change)) return reportOf({ ...outcome, log: undefined, waits: false, held: [] });
  const { output } = tree;
  const committed = await commit(output, { ...change, over: found.published?.statement.hash });
  onStage?.('commit');
  const cosigned =
    logged.head && (await cosignStage({ output, committed, statements }, logged.head, options.log));
  onStage?.('witnesses');
  const completed = await complete(cosigned ?? { staged: committed }, {
    output,
    meanwhile: () => heldMeanwhile(proven.checkpoint, found, { signer: request, url: options.url }),
  });
  onStage?.('write');
  return reportOf({ ...outcome, log: cosigned?.report, ...completed });
}

/** A stage that is committed, with what the witnesses did; undefined if nothing new is in a log. */
type Cosigned = Pick<CosignedStage, 'staged'> & Partial<Pick<CosignedStage, 'report'>>;

/**
 * Applies a committed stage, unless it has to wait: for a quorum of witnesses, or for a new checkpoint, because somebody was held
 * while they were asked.
 */
async function complete(
  { staged, report }: Cosigned,
  {
    output,
    meanwhile,
  }: { readonly output: OutputFolder; readonly meanwhile: () => Promise<readonly string[]> },
): Promise<{ readonly waits: boolean; readonly held: readonly string[] }> {
  if (report !== undefined) {
    if (report.cosigned < report.quorum) return { waits: true, held: [] };
    const held = await meanwhile();
    if (held.length > 0) return { waits: true, held };
  }
  await applyAndRead(output, staged);
  return { waits: false, held: [] };
}

/** Applies a stage, and reads back every file that it wrote. @throws {@link TreeRejected} | {@link IoFailed} */
async function applyAndRead(output: OutputFolder, staged: Stage): Promise<void> {
  const paths = await apply(output, staged);
  const removed = new Set(staged.removed);
  const problems = paths.filter((path) => {
    const bytes = readIfReadable(output.out, path);
    return !removed.has(path) && (bytes === undefined || sha256(bytes) !== staged.files.get(path));
  });
  if (problems.length === 0) return;
  throw new TreeRejected(
    `${output.out} does not contain what was written: ${problems.slice(0, 5).join(', ')}`,
  );
}

/**
 * Returns the publication of a request that follows the newest one. The rules of change apply, and everything that the statement
 * says must be what this program computes, whoever has made the request (rule request-follows).
 */
function signedPublication(
  request: SignedRequest,
  follows: PublishedTree | undefined,
  { exceptions = {} }: PublishOptions,
): { readonly signed: SignedPublication; readonly warnings: readonly Diagnostic[] } {
  const { list, records, rootKey, development } = request;
  const said = readPublicationStatement(request.statement);
  const isSameKey = follows?.rootKey.thumbprint === rootKey.thumbprint;
  const isPublished = isSameKey && follows.statement.hash === said.hash;
  if (!isPublished) assertFollows(said, list.updatedAt, follows);
  const before = follows && recordsOfList(follows.issuers, follows.about);
  const warnings = assertPublishable({ before, after: records }, exceptions, development);
  const dated = { issuers: records.issuers.values(), updatedAt: list.updatedAt };
  const about = aboutBytes(withStatusSince(records.about, dated, before));
  const sums = sumsOfList(list, follows?.statement.levels ?? 0);
  const hash = sha256(list.list);
  const kept = isSameKey && hasList(follows, list);
  // Two signatures over one list are one publication: the published one stays.
  const signature = kept ? follows.signature : request.signature;
  const signed = { list, signature, kept, rootKey, development, sha256: hash, sums, about };
  if (isPublished) return { signed: { ...signed, statement: follows.statement }, warnings };
  const { log } = said;
  if (!development) assertLastingName(log, follows);
  const subject = { list, sha256: hash, sums, about: about && sha256(about) };
  assertExpectedStatement(request.statement.slice(0, request.statement.lastIndexOf('.')), subject, {
    rootKey,
    previous: follows?.statement,
  });
  return { signed: { ...signed, statement: said }, warnings };
}

/** A signed statement names the one that it follows, which must still be the newest. @throws {@link RequestRejected} */
function assertFollows(
  said: SignedPublication['statement'],
  updatedAt: string,
  follows: PublishedTree | undefined,
): void {
  if (said.previous[0] !== follows?.statement.hash) {
    const newest =
      follows === undefined
        ? 'there is no publication'
        : `the newest is publication ${follows.statement.sequence}`;
    throw outdated(`publication ${said.sequence} of the request does not follow the newest one: ${newest}`);
  }
  if (follows !== undefined && said.sha256 !== follows.statement.sha256 && updatedAt <= follows.updatedAt) {
    throw outdated(
      `the request is dated ${updatedAt}, not later than the published list of ${follows.updatedAt}`,
    );
  }
  assertNotAhead(updatedAt);
  assertNotAhead(formatUpdatedAt(said.issuedAt));
}

/** A new tree that has no checkpoint yet. */
interface Unchecked {
  readonly tree: CommittedTree;
  readonly signed: SignedPublication;
  readonly files: Tree;
}

/**
 * Returns the checkpoint of a new tree: that of the root key, or one that an online key signs now.
 *
 * @throws {@link KeyRejected} if neither has signed it; {@link RequestRejected} if that of the root key does not continue the
 *   published one
 */
async function checkpointFor(
  request: SignedRequest,
  { tree, signed, files }: Unchecked,
  { freshness = {} }: PublishOptions,
): Promise<string> {
  const { rootKey, statement } = signed;
  const checksums = files.get(PATHS.checksums) ?? new Uint8Array();
  const previous = checkpointBefore(tree);
  if (request.checkpoint !== undefined)
    return (await followingCheckpoint(request.checkpoint, { rootKey, checksums }, previous)).text;
  const { signer, hours } = freshness.checkpoint ?? {};
  if (signer === undefined && statement.online === undefined)
    throw new KeyRejected(
      'the request needs a checkpoint by the root key, because its publication names no online key',
    );
  if (signer === undefined)
    throw new KeyRejected(
      'no online key of the publication is here to sign its checkpoint: set checkpoint.signer in registry.yaml, or pass --checkpoint-by-root',
    );
  const named = { rootKey, statement, checksums };
  if (isStillFor({ ...named, rootKey: signer.rootKey }, previous)) return previous.text;
  return signCheckpoint({ signer, hours }, { ...named, previous });
}
