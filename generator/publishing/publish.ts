import type { OutputFolder } from '../files/output-folder.js';
import { readIfReadable } from '../files/read-file.js';
import { withCheckpoint } from '../freshness/checkpoint.js';
import { freshnessFiles, hasCheckpoint } from '../freshness/freshness.js';
import type { SignedPublication } from '../list/list.js';
import { diffLists } from '../list/list-diff.js';
import type { Listeners } from '../progress.js';
import { assertPublishable } from '../review/assert-publishable.js';
import { PATHS } from '../tree/paths.js';
import { type PublishedTree, readPublished, withPending } from '../tree/published-tree.js';
import { assertDescription } from '../tree/registry-description.js';
import { changesUpTo } from '../tree/site/changes.js';
import { readLogo } from '../tree/site/logo.js';
import { withStatementsFile } from '../tree/statements-file.js';
import { assembleTree, type Tree } from '../tree/tree.js';
import { assertTreeGood } from './assert-tree-good.js';
import { assertLastingName, chooseLog, withDevelopmentKey } from './extend-log.js';
import { logPublication, removeReplacedTiles } from './log-publication.js';
import { assertRootContinues, predecessorOf, publishedList, publishedRecords } from './predecessor.js';
import type { NewPublication, PublishOptions } from './publication.js';
import { removeStrays, repairTree } from './repair.js';
import { type BuildReport, reportOf } from './report.js';
import { followingList, signedList } from './sign-list.js';
import { assertWritten, writeTree } from './write.js';

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
  const checkpoint = freshness.checkpoint !== undefined || hasCheckpoint(published);
  const follows = predecessorOf(published, signer);
  const { rootKey, development } = signer;
  const next = { rootKey, published: follows, delegation: freshness.delegation };
  const answers = development ? undefined : await publication.assertFollowsHosts?.(next);
  // Over a tree that is not the newest, or for a request that was overtaken, the rules of change would blame the records.
  if (!('sign' in signer)) followingList(signer, follows, output);
  const old = follows && publishedRecords(follows, output.out);
  const warnings = assertPublishable({ before: old, after: records }, exceptions, development);
  onStage?.('published tree');
  const choice = withDevelopmentKey(publication.log, signer, follows);
  const log = chooseLog(choice, follows, 'sign' in signer ? undefined : signer.statement);
  if (!development) assertLastingName(log, follows);
  const signed = await signedList(
    { records, before: old, signer, time, checkpoint, log, predecessor: follows },
    published,
    output,
  );
  onStage?.('list and signature');
  const before = predecessorOf(served, signer);
  const assembled = await assemble(publication, served, { signed, before });
  onStage?.('tree');
  const statements = await assertTreeGood(assembled, signed.rootKey);
  onStage?.('verify');
  const logged = await logPublication({ tree: assembled, signed, before, served }, choice, output);
  if (logged !== undefined) onStage?.('log');
  const complete = logged?.tree ?? assembled;
  const outcome = {
    output,
    repaired: [...repair.files.keys()],
    requested: time.updatedAt,
    answers,
    served,
    published,
    signed,
    statements,
    tree: publication.statements ? withStatementsFile(complete) : complete,
    warnings,
    log: logged?.report,
  };
  const written = await writeTree(outcome.tree, output, onProgress);
  if (logged !== undefined) removeReplacedTiles(logged.log, output);
  if (repair.hasStrays) await removeStrays(output);
  onStage?.('write');
  assertWritten(outcome.tree, written.written, output.out);
  onStage?.('read back');
  return reportOf(outcome, written);
}

/** What is new in a tree, and what it follows. */
interface NextTree {
  readonly signed: SignedPublication;
  /** The published tree without a pending publication, from `predecessorOf`. */
  readonly before: PublishedTree | undefined;
}

/**
 * Assembles the tree of a signed list from new files and from files of the published tree.
 *
 * @param served - the published files, without a pending publication
 * @throws {@link KeyRejected} | {@link UsageError} | {@link IoFailed}
 */
async function assemble(
  { exceptions = {}, freshness, about = {}, page = {} }: PublishOptions,
  served: PublishedTree | undefined,
  { signed, before }: NextTree,
): Promise<Tree> {
  const list = before && publishedList(before);
  const diff = list && diffLists(list, signed.list);
  const changes = before && readIfReadable(before.folder, PATHS.changes);
  const { breakPinnedVerifiers } = exceptions;
  const tree = assembleTree({
    signed,
    about,
    freshness: await freshnessFiles(served, signed, { ...freshness, breakPinnedVerifiers }),
    changes: changesUpTo(signed.list.updatedAt, changes, diff),
    page: { ...page, logo: page.logo === undefined ? undefined : readLogo(page.logo) },
  });
  return withCheckpoint(tree, { signed, published: before }, freshness?.checkpoint);
}
