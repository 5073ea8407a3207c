import type { OutputFolder } from '../files/output-folder.js';
import { hasCheckpoint } from '../freshness/freshness.js';
import type { Listeners } from '../progress.js';
import { readPublished } from '../tree/published-tree.js';
import { assertDescription } from '../tree/registry-description.js';
import { assemble } from './assemble.js';
import { applyRules } from './assert-permitted.js';
import { assertTreeGood } from './assert-tree-good.js';
import type { Publication } from './publication.js';
import { assertWritten } from './read-back.js';
import { type BuildReport, reportOf } from './report.js';
import { signedList } from './sign-list.js';
import { writeTree } from './write.js';

/**
 * Publishes a list in six steps: reads the published tree, applies the rules of change, signs, assembles, verifies and
 * writes. The whole tree is verified, as an outsider would, before any file is written. Every written file is read
 * back. If a step before writing fails, the published tree is left unchanged.
 *
 * @param place - the output folder, from `withOutputFolder`
 * @throws {@link RecordsRejected} | {@link KeyRejected} | {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function publish(
  publication: Publication,
  place: OutputFolder,
  { onStage, onProgress }: Listeners = {},
): Promise<BuildReport> {
  const { records, signer, exceptions = {}, time = {}, freshness = {}, about = {} } = publication;
  assertDescription(about);
  const published = await readPublished(place.out);
  const { rotation } = freshness;
  const warnings = await applyRules({ records, signer, exceptions, rotation }, published, place);
  onStage?.('published tree');
  const checkpoint = freshness.checkpoint !== undefined || hasCheckpoint(published);
  const signed = await signedList({ records, signer, time, checkpoint }, published, place);
  onStage?.('list and signature');
  const tree = await assemble(publication, published, signed);
  onStage?.('tree');
  await assertTreeGood(tree, signed.rootKey);
  onStage?.('verify');
  const written = writeTree(tree, place, onProgress);
  onStage?.('write');
  assertWritten(tree, written.written, place.out);
  onStage?.('read back');
  return reportOf({ place, requested: time.updatedAt, published, signed, tree }, written, warnings);
}
