import { existsSync, realpathSync } from 'node:fs';
import type { RootKey } from '@passport-registry/verifier';
import { assertClientAccepts, treeFiles } from './assert-client-accepts.js';
import { type CheckpointChoice, withCheckpoint } from './checkpoint.js';
import { deltaFiles } from './deltas.js';
import type { Diagnostic } from './diagnostic.js';
import { KeyRejected, TreeRejected } from './errors.js';
import { freshnessFiles, namedList } from './freshness.js';
import type { ListBytes } from './list.js';
import { PATHS } from './paths.js';
import type { OnProgress, OnStage } from './progress.js';
import { type PublishedTree, publishedList, readIfThere, readPublished } from './published.js';
import { assertWritten } from './read-back.js';
import type { Signer } from './sign.js';
import { sincePublished } from './since-published.js';
import { changesUpTo } from './site/changes.js';
import { withStaging } from './staging.js';
import { assembleTree, type Tree } from './tree.js';
import { memorySource } from './tree-source.js';
import { verifyTree } from './verify.js';
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

/**
 * Publishes a signed list: signature → tree. The tree is verified before it is written, as a stranger would, and what was
 * written is read back from the disk, byte for byte. Whatever goes wrong, what was published before stays.
 *
 * @param makeList - gives the list, from what is published
 * @throws {@link KeyRejected} | {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function publish(
  makeList: (published: PublishedTree | undefined) => Promise<SignedListBytes>,
  { rootKey, development }: RootSigner,
  options: PublishOptions,
  warnings: readonly Diagnostic[],
): Promise<BuildReport> {
  // Behind a link the tree itself is what is switched, from beside where it really is.
  const out = existsSync(options.out) ? realpathSync(options.out) : options.out;
  return withStaging(out, async (staging) => {
    const published = await readPublished(out);
    assertSameRoot(published, { rootKey, development }, options);
    options.onStage?.('published tree');
    const { list, signature, kept } = await makeList(published);
    options.onStage?.('list and signature');
    const signed = { list: list.list, signature, rootKey };
    const choice = { ...options, checkpoint: options.checkpoint !== undefined };
    const freshness = await freshnessFiles(out, published, signed, choice);
    const predecessor = inherited(published, development);
    const before = predecessor && publishedList(predecessor);
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
    const sha256 = await assertGood(tree, rootKey);
    // Without these files a client looks at nothing that the verification has not seen; with a checkpoint it is asked there.
    if (freshness.size > 0 && !tree.has(PATHS.checkpoint))
      await assertClientAccepts(treeFiles(tree), rootKey);
    options.onStage?.('verify');
    const { written, unchanged, removed } = writeTree(tree, out, staging, options.onProgress);
    options.onStage?.('write');
    assertWritten(tree, written, out);
    options.onStage?.('read back');
    return {
      out: options.out,
      updatedAt: list.updatedAt,
      issuers: list.records.size,
      sha256,
      rootKey: rootKey.thumbprint,
      development,
      kept,
      bytes: sizeOf(tree),
      ...{ written: written.length, unchanged, removed },
      warnings,
      notes: [...notes(list.updatedAt, kept, published, options), ...checkpointNotes(tree, sha256)],
    };
  });
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

function notes(
  updatedAt: string,
  kept: boolean,
  published: PublishedTree | undefined,
  { out, updatedAt: requested }: PublishOptions,
): string[] {
  const found: string[] = [];
  if (kept && requested !== undefined && requested !== updatedAt) {
    found.push(
      `The records are those of ${updatedAt}, so the list keeps that time; ${requested} was not used.`,
    );
  }
  if (published !== undefined && !published.signed) {
    found.push(`The tree in ${out} was damaged, as after a build that was killed; it is whole again.`);
  }
  if (Date.parse(updatedAt) > Date.now() + IN_THE_FUTURE) {
    found.push(`The updated_at ${updatedAt} lies in the future: no later list can be published before then.`);
  }
  return found;
}

/** A list that no checkpoint vouches for yet is not used by verifiers that have one which still holds. */
function checkpointNotes(tree: Tree, sha256: string): string[] {
  const checkpoint = tree.get(PATHS.checkpoint);
  if (checkpoint === undefined || namedList(checkpoint) === sha256) return [];
  return [
    'The checkpoint still vouches for an older list: verifiers learn of this one when `checkpoint` is run.',
  ];
}

/** Beyond this a time in the future is no matter of clocks, in milliseconds. */
const IN_THE_FUTURE = 10 * 60 * 1000;

/** @returns the payload hash */
async function assertGood(tree: Tree, rootKey: RootKey): Promise<string> {
  const report = await verifyTree(memorySource(tree), rootKey);
  // A checkpoint that has expired is no fault of the tree: `checkpoint` is run as soon as it is there.
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && name !== 'freshness');
  if (failed.length === 0 && report.sha256 !== undefined) return report.sha256;
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
