import type { RootKey } from '@passport-registry/verifier';
import { assertClientAccepts, treeFiles } from './assert-client-accepts.js';
import { buildNotes } from './build-notes.js';
import { type CheckpointChoice, withCheckpoint } from './checkpoint.js';
import { sha256 } from './checksums.js';
import { deltaFiles } from './deltas.js';
import type { Diagnostic } from './diagnostic.js';
import { KeyRejected, TreeRejected } from './errors.js';
import { freshnessFiles } from './freshness.js';
import type { KnownPublication } from './known-publication.js';
import type { ListBytes } from './list.js';
import type { OutputFolder } from './output-folder.js';
import { PATHS } from './paths.js';
import type { OnProgress, OnStage } from './progress.js';
import { type PublishedTree, publishedList, readIfThere, readPublished } from './published.js';
import { assertWritten } from './read-back.js';
import type { Signer } from './sign.js';
import { sincePublished } from './since-published.js';
import { changesUpTo } from './site/changes.js';
import { assembleTree, type Tree } from './tree.js';
import { memorySource } from './tree-source.js';
import { TreeStamps } from './tree-stamps.js';
import { verifyTree } from './verify.js';
import { assertChangeGood } from './verify-change.js';
import { writeTree } from './write.js';

/** How a signed list is published. */
export interface PublishOptions {
  /** The folder of the tree. */
  readonly out: string;
  /** The file of the root key, which permits a change of it. */
  readonly rootKey?: string | undefined;
  /** The updated_at of the list, should it differ from the published one: UTC to the second. Default: now. */
  readonly updatedAt?: string | undefined;
  /** The text of a delegation to online keys, by the root key. Default: the published one. */
  readonly delegation?: string | undefined;
  /** The text of a rotation's step, from the root key before to this one. */
  readonly rotation?: string | undefined;
  /** Signs a checkpoint together with the tree. */
  readonly checkpoint?: CheckpointChoice | undefined;
  /** Whether the list is published in compressed form, too. */
  readonly precompress?: boolean;
  /** Told how far the longer stages have come. */
  readonly onProgress?: OnProgress;
  /** Told when a stage ends: `records`, `published tree`, `list and signature`, `tree`, `verify`, `write`, `read back`. */
  readonly onStage?: OnStage;
}

/** What a build did. */
export interface BuildReport {
  /** How many files were written. */
  readonly written: number;
  /** How many were as they should be. */
  readonly unchanged: number;
  /** How many did not belong, and are gone. */
  readonly removed: number;
  readonly out: string;
  readonly updatedAt: string;
  /** How many issuers the list has. */
  readonly issuers: number;
  /** The payload hash: SHA-256 of issuers.json, lower-case hexadecimal. */
  readonly sha256: string;
  /** RFC 7638 thumbprint of the root key. */
  readonly rootKey: string;
  /** Whether a development key signed the tree. */
  readonly development: boolean;
  /** Whether the list and its signature are those that were published before. */
  readonly kept: boolean;
  /** Size of the whole tree, in bytes. */
  readonly bytes: number;
  /** What is allowed in the records and still deserves a second look. */
  readonly warnings: readonly Diagnostic[];
  /** What the user may not expect, in whole sentences. */
  readonly notes: readonly string[];
}

/** A list with its signature. */
export interface SignedListBytes {
  readonly list: ListBytes;
  readonly signature: string;
  readonly kept: boolean;
}

/** Whose signature it is. */
export type RootSigner = Pick<Signer, 'rootKey' | 'development'>;

/** A publication: what is published, and by whom. */
export interface Publication {
  /** Gives the list, from what is published. */
  readonly makeList: (published: PublishedTree | undefined) => Promise<SignedListBytes>;
  readonly signer: RootSigner;
  readonly warnings: readonly Diagnostic[];
  /** What is known of what is published, if its files need not all be read. */
  readonly known?: KnownPublication | undefined;
}

/** What a publication did. */
export interface Published {
  readonly report: BuildReport;
  /** What to remember of the files of the tree. */
  readonly stamps: TreeStamps;
}

/**
 * Publishes a signed list: signature → tree. The tree is verified before it is written, as a stranger would, and what was
 * written is read back from the disk, byte for byte. Whatever goes wrong, what was published before stays.
 *
 * @param place - as `onOutput` gives it
 * @throws {@link KeyRejected} | {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function publish(
  { makeList, signer, warnings, known }: Publication,
  { out, staging }: OutputFolder,
  options: PublishOptions,
): Promise<Published> {
  const { rootKey, development } = signer;
  const published = await readPublished(out);
  assertSameRoot(published, signer, options);
  options.onStage?.('published tree');
  const { list, signature, kept } = await makeList(published);
  options.onStage?.('list and signature');
  const signed = { list: list.list, signature, rootKey };
  const choice = { ...options, checkpoint: options.checkpoint !== undefined };
  const freshness = await freshnessFiles(out, published, signed, choice);
  const predecessor = inherited(published, development);
  const sameAsKnown = known !== undefined && isList(predecessor, known.list) ? known : undefined;
  const before = predecessor && publishedList(predecessor, sameAsKnown?.records);
  const since = before && sincePublished(before, list);
  const unstamped = assembleTree({
    ...{ list, signature, rootKey, development, freshness },
    changes: changesUpTo(
      list.updatedAt,
      predecessor && readIfThere(out, PATHS.changes),
      since,
      rootKey.thumbprint,
    ),
    deltas: deltaFiles(out, since, list),
    precompress: options.precompress === true,
  });
  const tree = await withCheckpoint(unstamped, list.updatedAt, options.checkpoint);
  options.onStage?.('tree');
  const plain = freshness.size === 0 && options.precompress !== true;
  if (plain && since !== undefined && sameAsKnown?.rootKey === rootKey.thumbprint) {
    assertChangeGood(list, since.changed);
  } else {
    await assertGood(tree, rootKey);
    // Without these files a client looks at nothing that the verification has not seen; with a checkpoint it is asked there.
    if (freshness.size > 0 && !tree.has(PATHS.checkpoint))
      await assertClientAccepts(treeFiles(tree), rootKey);
  }
  options.onStage?.('verify');
  const stamps = new TreeStamps(tree, known);
  const { onProgress } = options;
  const { written, unchanged, removed } = writeTree(tree, out, staging, {
    onProgress,
    known,
    onHeld: stamps.note,
  });
  options.onStage?.('write');
  assertWritten(tree, written, out, stamps.note);
  options.onStage?.('read back');
  const { updatedAt } = list;
  const hash = sha256(list.list);
  const report = {
    out: options.out,
    updatedAt,
    issuers: list.records.size,
    sha256: hash,
    rootKey: rootKey.thumbprint,
    development,
    kept,
    bytes: sizeOf(tree),
    ...{ written: written.length, unchanged, removed },
    warnings,
    notes: buildNotes({
      ...{ out: options.out, updatedAt, requested: options.updatedAt, kept, sha256: hash, before: published },
      checkpoint: tree.get(PATHS.checkpoint),
    }),
  };
  return { report, stamps };
}

function isList(published: PublishedTree | undefined, list: Uint8Array): boolean {
  return published?.list !== undefined && Buffer.compare(published.list, list) === 0;
}

/** What a development key has published is no part of what a registry has said. */
function inherited(published: PublishedTree | undefined, development: boolean): PublishedTree | undefined {
  return published?.development && !development ? undefined : published;
}

/** The tree's root key is what verifiers have pinned: it changes only when somebody names the new one. */
function assertSameRoot(
  published: PublishedTree | undefined,
  signer: RootSigner,
  { out, rootKey }: PublishOptions,
): void {
  const previous = published?.rootKey?.thumbprint;
  if (previous === undefined || previous === signer.rootKey.thumbprint || published?.development) return;
  if (signer.development) {
    throw new KeyRejected(
      `the tree in ${out} is signed by ${previous}: a development key does not replace it; give --key or another --out`,
    );
  }
  if (rootKey === undefined) {
    throw new KeyRejected(
      `the tree in ${out} is signed by ${previous}, the key is ${signer.rootKey.thumbprint}: ` +
        'to change the root key of a registry, name the new one with --root-key',
    );
  }
}

async function assertGood(tree: Tree, rootKey: RootKey): Promise<void> {
  const report = await verifyTree(memorySource(tree), rootKey);
  // A checkpoint that has expired is no fault of the tree: `checkpoint` is run as soon as it is there.
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && name !== 'freshness');
  if (failed.length === 0) return;
  const problems = failed.flatMap(({ problems }) => problems);
  throw new TreeRejected(
    `${report.source} does not stand its verification: ${problems.slice(0, 5).join('; ')}`,
  );
}

function sizeOf(tree: Tree): number {
  let size = 0;
  for (const bytes of tree.values()) size += bytes.length;
  return size;
}
