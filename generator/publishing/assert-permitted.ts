import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { KeyRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import type { RecordSet } from '../records/check-records.js';
import { assertPublishable } from '../review/assert-publishable.js';
import { isSigned, type PublishedTree } from '../tree/published-tree.js';
import { predecessorOf, publishedRecords } from './predecessor.js';
import type { PublicationExceptions, RootSigner } from './publication.js';

/** A change that the rules decide on. */
interface ProposedChange {
  readonly records: RecordSet;
  readonly signer: RootSigner;
  readonly exceptions: PublicationExceptions;
  /** The text of a rotation's step. */
  readonly rotation: string | undefined;
}

/**
 * Holds a publication against what is published: the root key goes on, and so do the records.
 *
 * @returns what is permitted and still deserves a second look
 * @throws {@link KeyRejected} | {@link RecordsRejected} | {@link TreeRejected}
 */
export async function applyRules(
  proposed: ProposedChange,
  published: PublishedTree | undefined,
  place: OutputFolder,
): Promise<readonly Diagnostic[]> {
  await assertRootContinues(proposed, published, place);
  const { records, signer, exceptions } = proposed;
  const predecessor = predecessorOf(published, signer.development);
  const before = predecessor && publishedRecords(predecessor, place.out);
  return assertPublishable({ before, after: records }, exceptions, signer.development);
}

/**
 * The tree's root key is what verifiers have pinned: another one takes its place only by a rotation, which leads them there, or
 * when the operator says that they are to be left behind (SPEC C4).
 */
async function assertRootContinues(
  { signer, exceptions: { breakPinnedVerifiers }, rotation }: ProposedChange,
  published: PublishedTree | undefined,
  { named }: OutputFolder,
): Promise<void> {
  if (published === undefined || published.development) return;
  const rotating = rotation !== undefined;
  const previous = await rootOf(published, signer, rotating);
  if (previous === signer.rootKey.thumbprint) return;
  if (signer.development) {
    throw new KeyRejected(
      `the tree in ${named} is signed by ${previous}: a development key does not replace it; give --key or another --out`,
    );
  }
  // Whether the rotation leads from there to this key is seen when the chain is made.
  if (breakPinnedVerifiers === true || (rotating && published.intact.rootKey)) return;
  throw new KeyRejected(
    `the tree in ${named} is signed by ${previous}, the key is ${signer.rootKey.thumbprint}: pass the step from the one to the other, ` +
      'which `keys rotate` makes, with --rotation. Without a step, every verifier that pinned the old key refuses the registry; if ' +
      'you want that, pass --break-pinned-verifiers',
  );
}

/**
 * The root key of a tree. Where keys/root.json is not the one that was published, the list still shows whether it was this one. A
 * rotation that was killed half-way leaves the next key there, and is completed by the same command.
 */
async function rootOf(
  { rootKey, list, signature, intact }: PublishedTree,
  signer: RootSigner,
  rotating: boolean,
): Promise<string> {
  const next = signer.rootKey.thumbprint;
  const counts = intact.rootKey || (rotating && rootKey?.thumbprint === next);
  if (rootKey !== undefined && counts) return rootKey.thumbprint;
  return (await isSigned(list, signature, signer.rootKey))
    ? next
    : 'a key that keys/root.json no longer names';
}
