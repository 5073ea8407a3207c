import type { RootKey } from '@passport-registry/verifier';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { KeyRejected, TreeRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfThere } from '../files/read-file.js';
import { type CheckpointChoice, withCheckpoint } from '../freshness/checkpoint.js';
import { freshnessFiles } from '../freshness/freshness.js';
import type { ListBytes } from '../list/list.js';
import { diffLists, type ListDiff } from '../list/list-diff.js';
import type { OnProgress, OnStage } from '../progress.js';
import type { RecordSet } from '../records/check-records.js';
import { assertPublishable, type RuleExceptions } from '../review/publication-rules.js';
import type { Signer } from '../signing/sign.js';
import { CHECKSUMS_PATH, sha256 } from '../tree/checksums.js';
import { deltaFiles } from '../tree/deltas.js';
import { PATHS } from '../tree/paths.js';
import { isSigned, type PublishedTree, readPublished } from '../tree/published-tree.js';
import { changesUpTo } from '../tree/site/changes.js';
import { assembleTree, type Tree } from '../tree/tree.js';
import { assertClientAccepts, treeFiles } from '../verification/assert-client-accepts.js';
import { memorySource } from '../verification/tree-source.js';
import { verifyTree } from '../verification/verify.js';
import { buildNotes } from './build-notes.js';
import { predecessorOf, publishedList, publishedRecords } from './predecessor.js';
import { assertWritten } from './read-back.js';
import { type Written, writeTree } from './write.js';

/** How a signed list is published. */
export interface PublishOptions extends RuleExceptions {
  /** The folder of the tree. */
  readonly out: string;
  /** Whether the root key may change without a rotation, so that every verifier that has pinned the old one is left behind. */
  readonly breakPinnedVerifiers?: boolean | undefined;
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
  /** The records of the list, which are held against the published ones. */
  readonly records: RecordSet;
  /** Gives the list, from what is published. */
  readonly makeList: (published: PublishedTree | undefined) => Promise<SignedListBytes>;
  readonly signer: RootSigner;
}

/**
 * Publishes a signed list: signature → tree. The whole tree is verified before a file is written, as a stranger would
 * verify it, and every file that was written is read back. If anything fails, the published tree is left unchanged.
 *
 * @param place - as `withOutputFolder` gives it
 * @throws {@link KeyRejected} | {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function publish(
  { records, makeList, signer }: Publication,
  { out, staging }: OutputFolder,
  options: PublishOptions,
): Promise<BuildReport> {
  const { onStage, onProgress } = options;
  const published = await readPublished(out);
  await assertRootContinues(published, signer, options);
  const predecessor = predecessorOf(published, signer.development);
  const old = predecessor && publishedRecords(predecessor, out);
  const warnings = assertPublishable(old, records, options, signer.development);
  onStage?.('published tree');
  const signed = await makeList(published);
  onStage?.('list and signature');
  const payloadHash = sha256(signed.list.list);
  const before = predecessor && publishedList(predecessor);
  const diff = before && diffLists(before, signed.list);
  const tree = await newTree({ out, published, predecessor, diff, signed, payloadHash, signer }, options);
  onStage?.('tree');
  await assertTreeGood(tree, signer.rootKey);
  onStage?.('verify');
  const written = writeTree(tree, out, staging, { onProgress });
  onStage?.('write');
  assertWritten(tree, written.written, out);
  onStage?.('read back');
  return reportOf({ tree, written, signed, payloadHash, signer, published, warnings }, options);
}

interface TreeContent {
  readonly out: string;
  readonly published: PublishedTree | undefined;
  /** What the registry has published before, as far as its history is concerned. */
  readonly predecessor: PublishedTree | undefined;
  readonly diff: ListDiff | undefined;
  readonly signed: SignedListBytes;
  readonly payloadHash: string;
  readonly signer: RootSigner;
}

async function newTree(
  { out, published, predecessor, diff, signed, payloadHash, signer }: TreeContent,
  options: PublishOptions,
): Promise<Tree> {
  const { list, signature } = signed;
  const { rootKey, development } = signer;
  const choice = {
    ...options,
    checkpoint: options.checkpoint !== undefined,
    breakPinnedVerifiers: options.breakPinnedVerifiers === true,
  };
  const changes = predecessor && readIfThere(out, PATHS.changes);
  const withoutCheckpoint = assembleTree({
    ...{ list, signature, rootKey, development },
    freshness: await freshnessFiles(out, published, { list: list.list, signature, rootKey }, choice),
    changes: changesUpTo(list.updatedAt, changes, diff, rootKey.thumbprint),
    deltas: deltaFiles({ out, published, diff }, list, payloadHash),
    precompress: options.precompress === true,
  });
  return withCheckpoint(withoutCheckpoint, list.updatedAt, options.checkpoint);
}

/** What shows that a tree is the newest, and how its root key came about. */
const FRESHNESS = [PATHS.checkpoint, PATHS.delegation, PATHS.rotation];

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
  readonly warnings: readonly Diagnostic[];
}

function reportOf(
  { tree, written, signed, payloadHash, signer, published, warnings }: PublishedContent,
  { out, updatedAt: requested }: PublishOptions,
): BuildReport {
  const { list, kept } = signed;
  const { updatedAt } = list;
  const checkpoint = tree.get(PATHS.checkpoint);
  return {
    ...{ out, updatedAt, kept, warnings },
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
      delegated: tree.has(PATHS.delegation),
      treeSha256: sha256(tree.get(CHECKSUMS_PATH) ?? new Uint8Array()),
      before: published,
    }),
  };
}

/**
 * The tree's root key is what verifiers have pinned: another one takes its place only by a rotation, which leads them there, or
 * when the operator says that they are to be left behind (SPEC C4).
 */
async function assertRootContinues(
  published: PublishedTree | undefined,
  signer: RootSigner,
  { out, rotation, breakPinnedVerifiers }: PublishOptions,
): Promise<void> {
  if (published === undefined || published.development) return;
  const previous = await rootOf(published, signer, rotation !== undefined);
  if (previous === signer.rootKey.thumbprint) return;
  if (signer.development) {
    throw new KeyRejected(
      `the tree in ${out} is signed by ${previous}: a development key does not replace it; give --key or another --out`,
    );
  }
  // Whether the rotation leads from there to this key is seen when the chain is made.
  if (breakPinnedVerifiers === true || (rotation !== undefined && published.intact.rootKey)) return;
  throw new KeyRejected(
    `the tree in ${out} is signed by ${previous}, the key is ${signer.rootKey.thumbprint}: give the step from the one to the other, ` +
      'which `keys rotate` makes, with --rotation. Without a step every verifier that has pinned the old key refuses the registry; if ' +
      'that is meant, say --break-pinned-verifiers',
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
    : 'a key that keys/root.json no longer tells';
}

function sizeOf(tree: Tree): number {
  let size = 0;
  for (const bytes of tree.values()) size += bytes.length;
  return size;
}
