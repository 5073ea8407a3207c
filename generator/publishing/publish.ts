import type { StatementsFile } from '@passport-registry/verifier/core';
import { KeyRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfReadable } from '../files/read-file.js';
import { type CheckpointChoice, type CheckpointContext, signCheckpoint } from '../freshness/checkpoint.js';
import { checkpointValidity } from '../freshness/expiry.js';
import { type FreshnessChoice, rotationOf } from '../freshness/freshness.js';
import { type KnownCheckpoints, previousCheckpoint } from '../freshness/previous-checkpoint.js';
import type { SignedPublication } from '../list/list.js';
import { KEPT_LIST_BYTES, type LogChoice } from '../log/log-choice.js';
import { askForVeto } from '../log/witness-veto.js';
import type { Listeners } from '../progress.js';
import { assertPublishable } from '../review/assert-publishable.js';
import { sha256 } from '../tree/checksums.js';
import { LISTS_BEFORE, passingLists } from '../tree/named-lists.js';
import { PATHS } from '../tree/paths.js';
import { type PublishedTree, readPublished, withPending } from '../tree/published-tree.js';
import { assertDescription } from '../tree/registry-description.js';
import { withStatements } from '../tree/statements-file.js';
import { assembleOver } from './assemble.js';
import { assertTreeGood } from './assert-tree-good.js';
import { chooseOnline } from './choose-online.js';
import { assertLastingName, chooseLog, withDevelopmentKey } from './extend-log.js';
import { followUrl } from './follow-url.js';
import { logPublication, removeReplacedFiles } from './log-publication.js';
import { assertRootContinues, predecessorOf, publishedRecords } from './predecessor.js';
import type { NewPublication } from './publication.js';
import { followingCheckpoint } from './publish-checkpoint.js';
import { removeStrays, repairTree } from './repair.js';
import { type BuildReport, reportOf } from './report.js';
import { followingList, signedList } from './sign-list.js';
import { assertWritten, removeFromTree, writeTree } from './write.js';

/**
 * Publishes a list in seven steps: repairs and reads the published tree, applies the rules of change, signs, assembles, verifies,
 * logs and writes. The whole tree is verified, as an outsider would, before any new file is written. Every written file is read
 * back. If a step before logging fails, the published tree is left unchanged, but for damaged files that were made again. A
 * publication that fails or is killed after its head of the log was written is completed by the same command, or by `checkpoint`.
 *
 * @param output - the output folder, from `withOutputFolder`
 * @throws {@link RecordsRejected} | {@link KeyRejected} | {@link TreeRejected} | {@link AlreadyPublished} | {@link UsageError} |
 * {@link IoFailed}
 */
export async function publish(
  publication: NewPublication,
  output: OutputFolder,
  { onStage, onProgress }: Listeners = {},
): Promise<BuildReport> {
  const { records, signer, time = {}, exceptions = {} } = publication;
  const { freshness = {}, about = {} } = publication;
  assertDescription(about);
  const repair = await repairTree(output, publication.signer.rootKey);
  const served = await readPublished(output.named);
  const published = served && withPending(served);
  await assertRootContinues(publication, published, output);
  const follows = predecessorOf(published, signer);
  const { rootKey, development } = signer;
  const next = { rootKey, published: follows };
  const url = development ? {} : await followUrl(next, publication.url);
  const isAsked = !development && publication.url?.offline !== true;
  if (follows !== undefined && isAsked) await askForVeto(readerOf(follows), publication.log);
  // Over a tree that is not the newest, or for a request that was overtaken, the rules of change would blame the records.
  if (!('sign' in signer)) followingList(signer, follows, output);
  const old = follows && publishedRecords(follows, output.out);
  const warnings = assertPublishable({ before: old, after: records }, exceptions, development);
  onStage?.('published tree');
  const choice = withDevelopmentKey(publication.log, signer, follows);
  const log = chooseLog(choice, follows, 'sign' in signer ? undefined : signer.statement);
  if (!development) assertLastingName(log, follows);
  const online = chooseOnline(freshness.online, { rootKey, log, published: served });
  const toSign = { records, before: old, signer, time, log, online, predecessor: follows };
  const signed = await signedList(toSign, published, output);
  onStage?.('list and signature');
  const before = predecessorOf(served, signer);
  const known = { published: before, served: url.checkpoint };
  const { tree, statements } = await assemble(publication, served, { signed, known });
  onStage?.('tree');
  const proven = await assertTreeGood(withStatements(tree, statements), signed.rootKey);
  onStage?.('verify');
  const { rotation } = statements;
  const logged = await logPublication({ tree, rotation, signed, before }, choice, output);
  if (logged !== undefined) {
    tree.set(PATHS.logHead, logged.head);
    onStage?.('log');
  }
  const outcome = {
    output,
    repaired: [...repair.files.keys()],
    requested: time.updatedAt,
    answers: url.note,
    served,
    published,
    signed,
    statements: proven,
    tree: withStatements(tree, { ...statements, logProof: logged?.proof }),
    warnings,
    log: logged?.report,
  };
  const written = await writeTree(outcome.tree, output, onProgress);
  if (logged !== undefined) removeReplacedFiles(logged.log, output);
  removeOldLists({ signed, before }, choice, output);
  if (repair.hasStrays) await removeStrays(output);
  onStage?.('write');
  assertWritten(outcome.tree, written.written, output.out);
  onStage?.('read back');
  return reportOf(outcome, written);
}

const readerOf = ({ folder }: PublishedTree) => ({
  folder,
  read: (path: string) => readIfReadable(folder, path),
});

/** What is new in a tree, and what it follows. */
interface NextTree {
  readonly signed: SignedPublication;
  /** The published tree without a pending publication, from `predecessorOf`. */
  readonly before: PublishedTree | undefined;
}

/**
 * Decides who signs the checkpoint.
 *
 * @throws {@link KeyRejected} if no key for it is at hand: a root key that has signed elsewhere signs nothing here
 */
function chooseCheckpoint(
  { signer, hours }: NonNullable<FreshnessChoice['checkpoint']>,
  root: NewPublication['signer'],
): CheckpointChoice {
  if (signer !== undefined) return { signer, hours };
  if ('sign' in root) return { signer: root, hours };
  throw new KeyRejected(
    'the publication needs a checkpoint, and no key for it is here: set checkpoint.signer in registry.yaml to an online key',
  );
}

/**
 * Assembles the tree of a signed list, and its statements.
 *
 * @param served - the published files, without a pending publication
 * @throws {@link KeyRejected} | {@link UsageError} | {@link IoFailed}
 */
async function assemble(
  publication: NewPublication,
  served: PublishedTree | undefined,
  { signed, known }: Pick<NextTree, 'signed'> & { readonly known: KnownCheckpoints },
): Promise<{ readonly tree: Map<string, Uint8Array>; readonly statements: StatementsFile }> {
  const { signer, exceptions = {}, freshness = {} } = publication;
  const { rootKey, statement } = signed;
  const { breakPinnedVerifiers } = exceptions;
  const rotation = await rotationOf(served, rootKey, { ...freshness, breakPinnedVerifiers });
  const tree = assembleOver(known.published, signed, publication);
  const checksums = tree.get(PATHS.checksums) ?? new Uint8Array();
  const named = { rootKey, statement, checksums };
  const checkpoint =
    'checkpoint' in signer && signer.checkpoint !== undefined
      ? (await followingCheckpoint(signer.checkpoint, named, known)).text
      : await newCheckpoint(publication, named, known);
  const file = { publication: statement.text, checkpoint, rotation, logProof: undefined };
  return { tree: new Map(tree), statements: file };
}

/** Signs the checkpoint of a new tree, unless the published one is for it, too, is the newest, and does not expire soon. */
async function newCheckpoint(
  { signer, freshness = {} }: NewPublication,
  named: Pick<CheckpointContext, 'rootKey' | 'statement' | 'checksums'>,
  known: KnownCheckpoints,
): Promise<string> {
  const choice = chooseCheckpoint(freshness.checkpoint ?? {}, signer);
  const published = known.published?.checkpoint;
  const previous = await previousCheckpoint(known, choice.signer.rootKey);
  const isSame =
    published !== undefined &&
    previous === published &&
    published.publication === named.statement.hash &&
    published.treeSha256 === sha256(named.checksums) &&
    published.kid === choice.signer.rootKey.thumbprint;
  if (isSame && checkpointValidity(published, Date.now()) === 'valid') return published.text;
  return signCheckpoint(choice, { ...named, previous });
}

/**
 * Removes older lists: all but two, and those that a registry with a log keeps permanently (rule lists). A tree that follows
 * no other keeps none.
 */
function removeOldLists(
  { signed, before }: NextTree,
  log: LogChoice | undefined,
  { out }: OutputFolder,
): void {
  const isKept = before !== undefined && signed.statement.log !== undefined;
  const keepBytes = isKept ? (log?.keepBytes ?? KEPT_LIST_BYTES) : 0;
  const older = passingLists(out, signed.sha256, keepBytes);
  for (const path of older.slice(before === undefined ? 0 : LISTS_BEFORE)) removeFromTree(out, path);
}
