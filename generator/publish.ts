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
import { type PublishedTree, publishedList, readPublished } from './published.js';
import { assertWritten } from './read-back.js';
import { readIfThere } from './read-file.js';
import type { Signer } from './sign.js';
import { type SincePublished, sincePublished } from './since-published.js';
import { changesUpTo } from './site/changes.js';
import { untilNoLongerRecent } from './stamps.js';
import { assembleTree, type Tree } from './tree.js';
import { memorySource } from './tree-source.js';
import { TreeStamps } from './tree-stamps.js';
import { verifyTree } from './verify.js';
import { assertChangeGood } from './verify-change.js';
import { type Written, writeTree } from './write.js';

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
  /**
   * What this build has verified: the whole tree, the changed records and what is made of them, or nothing. The rest a build before
   * has verified, and nobody has touched it since.
   */
  readonly verified: 'all' | 'changes' | 'nothing';
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
 * Publishes a signed list: signature → tree. The tree is verified before it is written, as a stranger would, except for
 * what is known to have been verified; and what was written is read back from the disk, byte for byte. Whatever goes wrong,
 * what was published before stays.
 *
 * @param place - as `onOutput` gives it
 * @throws {@link KeyRejected} | {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function publish(
  { makeList, signer, warnings, known }: Publication,
  { out, staging }: OutputFolder,
  options: PublishOptions,
): Promise<Published> {
  const { onStage, onProgress } = options;
  const published = await readPublished(out, known);
  assertSameRoot(published, signer, options);
  onStage?.('published tree');
  const signed = await makeList(published);
  onStage?.('list and signature');
  const payloadHash = sha256(signed.list.list);
  const predecessor = inherited(published, signer.development);
  const before = predecessor && publishedList(predecessor, known);
  const since = before && sincePublished(before, signed.list);
  const tree = await newTree({ out, published, predecessor, since, signed, payloadHash, signer }, options);
  onStage?.('tree');
  const onlyRecords = known?.rootKey === signer.rootKey.thumbprint && isPlain(tree);
  const changed = onlyRecords ? since?.changed : undefined;
  if (changed !== undefined) assertChangeGood(signed.list, changed);
  else await assertTreeGood(tree, signer.rootKey);
  const verified = changed === undefined ? 'all' : 'changes';
  onStage?.('verify');
  const stamps = new TreeStamps(tree, known);
  const written = writeTree(tree, out, staging, { onProgress, known, onHeld: stamps.note });
  onStage?.('write');
  if (written.written.length > 0) await untilNoLongerRecent();
  assertWritten(tree, written.written, out, stamps.note);
  onStage?.('read back');
  const content = { tree, written, verified, signed, payloadHash, signer, published, warnings } as const;
  const report = reportOf(content, options);
  return { report, stamps };
}

interface TreeContent {
  readonly out: string;
  readonly published: PublishedTree | undefined;
  /** What the registry has published before, as far as its history is concerned. */
  readonly predecessor: PublishedTree | undefined;
  readonly since: SincePublished | undefined;
  readonly signed: SignedListBytes;
  readonly payloadHash: string;
  readonly signer: RootSigner;
}

async function newTree(
  { out, published, predecessor, since, signed, payloadHash, signer }: TreeContent,
  options: PublishOptions,
): Promise<Tree> {
  const { list, signature } = signed;
  const { rootKey, development } = signer;
  const choice = { ...options, checkpoint: options.checkpoint !== undefined };
  const changes = predecessor && readIfThere(out, PATHS.changes);
  const unstamped = assembleTree({
    ...{ list, signature, rootKey, development },
    freshness: await freshnessFiles(out, published, { list: list.list, signature, rootKey }, choice),
    changes: changesUpTo(list.updatedAt, changes, since, rootKey.thumbprint),
    deltas: deltaFiles(out, since, list, payloadHash),
    precompress: options.precompress === true,
  });
  return withCheckpoint(unstamped, list.updatedAt, options.checkpoint);
}

/** What shows that a tree is the newest, and how its root key came about. */
const FRESHNESS = [PATHS.checkpoint, PATHS.delegation, PATHS.rotation];

/** Whether nothing in a tree depends on its list but what is in every tree. */
function isPlain(tree: Tree): boolean {
  return ![...FRESHNESS, PATHS.gzipped, PATHS.brotli].some((path) => tree.has(path));
}

async function assertTreeGood(tree: Tree, rootKey: RootKey): Promise<void> {
  const report = await verifyTree(memorySource(tree), rootKey);
  // A checkpoint that has expired is no fault of the tree: `checkpoint` is run as soon as it is there.
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && name !== 'freshness');
  if (failed.length > 0) {
    const problems = failed.flatMap(({ problems }) => problems).slice(0, 5);
    throw new TreeRejected(`${report.source} does not stand its verification: ${problems.join('; ')}`);
  }
  // Without these files a client looks at nothing that the verification has not seen; with a checkpoint it is asked there.
  const unasked = FRESHNESS.some((path) => tree.has(path)) && !tree.has(PATHS.checkpoint);
  if (unasked) await assertClientAccepts(treeFiles(tree), rootKey);
}

interface PublishedContent extends Pick<TreeContent, 'signed' | 'payloadHash' | 'signer' | 'published'> {
  readonly tree: Tree;
  readonly written: Written;
  readonly verified: BuildReport['verified'];
  readonly warnings: readonly Diagnostic[];
}

function reportOf(
  { tree, written, verified, signed, payloadHash, signer, published, warnings }: PublishedContent,
  { out, updatedAt: requested }: PublishOptions,
): BuildReport {
  const { list, kept } = signed;
  const { updatedAt } = list;
  const checkpoint = tree.get(PATHS.checkpoint);
  return {
    ...{ out, updatedAt, kept, verified, warnings },
    ...{ ...written, written: written.written.length },
    issuers: list.records.size,
    sha256: payloadHash,
    rootKey: signer.rootKey.thumbprint,
    development: signer.development,
    bytes: sizeOf(tree),
    notes: buildNotes({
      out,
      updatedAt,
      requested,
      kept,
      sha256: payloadHash,
      checkpoint,
      before: published,
    }),
  };
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

function sizeOf(tree: Tree): number {
  let size = 0;
  for (const bytes of tree.values()) size += bytes.length;
  return size;
}
