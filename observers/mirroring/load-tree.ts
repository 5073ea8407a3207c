import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { GRAMMAR, hasCode } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected, UsageError } from '../../generator/errors.js';
import { flushFolder, flushTree } from '../../generator/files/flush.js';
import { assertOutside, type OutputFolder, withOutputFolder } from '../../generator/files/output-folder.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { withTemporaryFolder } from '../../generator/files/temporary-folder.js';
import type { ReadFileSync } from '../../generator/log/log-files.js';
import { publicationOf, readerOver, recoverStage, stageFollows } from '../../generator/publishing/journal.js';
import { READ_AT_URL } from '../../generator/publishing/read-at-url.js';
import { PATHS } from '../../generator/tree/paths.js';
import { readUnverified, statementsIn } from '../../generator/tree/statements-file.js';
import { Candidate, type CandidateOptions } from './candidate.js';
import { downloadVerified } from './download.js';
import { HeldRelease } from './held-release.js';
import type { TransferStats } from './new-release.js';

/** What a tree does to an issuer that verifiers then reject. */
type Stop = 'suspended' | 'revoked' | 'held';

/** An issuer that a replaced tree stops, and the loaded one does not. */
interface ReleasedIssuer {
  readonly issuer_id: string;
  readonly was: Stop;
}

/** What `load` has done. */
export interface LoadReport extends TransferStats {
  readonly updatedAt: string;
  /** SHA-256 of the list, lower-case hexadecimal. */
  readonly sha256: string;
  readonly issuers: number;
  /** Whether the folder has had this tree already, so that nothing was replaced. */
  readonly unchanged: boolean;
  /** The folder to which the replaced tree was moved, with its stage. Undefined if there was none. */
  readonly movedTo: string | undefined;
  /** The issuers that it stops, and the loaded tree does not. Undefined if its list or its checkpoint cannot be read. */
  readonly released: readonly ReleasedIssuer[] | undefined;
}

/** What to load, and where to. */
interface LoadOptions extends Omit<CandidateOptions, 'anyAge'> {
  /** The folder of the tree. */
  readonly out: string;
}

/**
 * Brings a folder to what a host or another folder serves, of any age: downloads the tree beside the folder, audits all of it
 * under the root key, moves the old content aside, and moves the new tree into its place. A tree that is older than the
 * statements that this machine has read at the registry's URL is refused.
 *
 * @throws {@link TreeRejected} | {@link UsageError} | {@link IoFailed}. The folder is left as it was
 */
export function loadTree({ out, ...options }: LoadOptions): Promise<LoadReport> {
  return withOutputFolder(out, (output) =>
    withTemporaryFolder(output.out, (temporary) => loadInto(output, join(temporary, 'tree'), options)),
  );
}

async function loadInto(
  output: OutputFolder,
  folder: string,
  options: Omit<LoadOptions, 'out'>,
): Promise<LoadReport> {
  const { out } = output;
  assertTreeOrNothing(output);
  const held = hasTree(out) ? new HeldRelease(out) : undefined;
  const releases = [new HeldRelease(READ_AT_URL)];
  const candidate = new Candidate({ ...options, anyAge: true }, folder, { held, releases });
  const { report, stats, isHeld } = await downloadVerified(candidate).catch((error) => {
    throw error instanceof TreeRejected ? notLoaded(options.source, error) : error;
  });
  const { updatedAt = '', sha256 = '', issuers = 0 } = report;
  const loaded = { ...stats, updatedAt, sha256, issuers };
  if (isHeld) return { ...loaded, unchanged: true, movedTo: undefined, released: [] };
  // A witness may have seen the publication of the stage: it is kept, unless another publication has overtaken it.
  const keepsStage = stageFollows(output, publicationOf(readerOf(folder)));
  const released = releasedBetween(replacedBy(output, keepsStage), readerOf(folder));
  await flushTree(folder);
  output.assertHeld();
  const movedTo = replace(output, folder, keepsStage);
  return { ...loaded, unchanged: false, movedTo, released: movedTo === undefined ? [] : released };
}

const readerOf =
  (folder: string): ReadFileSync =>
  (path) =>
    readIfReadable(folder, path);

/** Returns the trees that `load` replaces: the tree of the folder, and the tree of the stage unless the stage is kept. */
function replacedBy(output: OutputFolder, keepsStage: boolean): readonly ReadFileSync[] {
  const { out } = output;
  const own = existsSync(out) && readdirSync(out).length > 0 ? [readerOf(out)] : [];
  try {
    const stage = keepsStage ? undefined : recoverStage(output);
    return stage === undefined ? own : [...own, readerOver(output, stage)];
  } catch (error) {
    if (error instanceof TreeRejected) return own;
    throw error;
  }
}

const hasTree = (out: string) => existsSync(join(out, PATHS.statements));

/** Asserts that only a tree is moved aside. A damaged tree may lack any file. */
function assertTreeOrNothing({ out, named }: OutputFolder): void {
  assertOutside(out, []);
  if (!existsSync(out) || readdirSync(out).length === 0) return;
  const parts = [PATHS.statements, PATHS.list, PATHS.checksums, PATHS.logHead];
  if (parts.some((path) => existsSync(join(out, path)))) return;
  throw new UsageError(`${named} has files, but is not a published tree: name another folder with --out`);
}

const ROLLED_BACK = [
  'ERR_PUBLICATION_ROLLED_BACK',
  'ERR_LIST_ROLLED_BACK',
  'ERR_CHECKPOINT_ROLLED_BACK',
] as const;

function notLoaded(source: string, cause: TreeRejected): TreeRejected {
  const why = hasCode(cause.cause, ...ROLLED_BACK)
    ? `older than what this machine has read at the registry's URL (${READ_AT_URL}): ${cause.message}`
    : cause.message;
  return new TreeRejected(`${source} was not loaded: ${why}`, { cause });
}

/**
 * Moves away the tree of a folder, and the stage beside it unless it follows the new tree, and moves the new tree there.
 *
 * @returns the folder to which the old one was moved; undefined if there was none
 */
function replace(
  { out, named, stage }: OutputFolder,
  folder: string,
  keepsStage: boolean,
): string | undefined {
  const parent = dirname(out);
  try {
    if (existsSync(out) && readdirSync(out).length === 0) rmdirSync(out);
    const movesStage = !keepsStage && existsSync(stage);
    const movesTree = existsSync(out);
    const aside = movesStage || movesTree ? newFolderBeside(out) : parent;
    // The stage first: it must never be applied to another tree than its own.
    if (movesStage) renameSync(stage, join(aside, 'stage'));
    if (movesTree) renameSync(out, join(aside, 'tree'));
    renameSync(folder, out);
    flushFolder(parent);
    return aside === parent ? undefined : join(dirname(named), relative(parent, aside));
  } catch (cause) {
    throw new IoFailed(`${out} cannot be replaced: ${(cause as Error).message}`, { cause });
  }
}

function newFolderBeside(out: string): string {
  for (let number = 1; ; number++) {
    const folder = join(dirname(out), `.${basename(out)}.replaced-${number}`);
    if (existsSync(folder)) continue;
    mkdirSync(folder);
    return folder;
  }
}

/**
 * Returns the issuers that the replaced trees stop, and the new one does not. Undefined if one of the trees cannot be read.
 */
function releasedBetween(
  replaced: readonly ReadFileSync[],
  loaded: ReadFileSync,
): readonly ReleasedIssuer[] | undefined {
  const released = new Map<string, Stop>();
  const still = stopsOf(loaded);
  for (const read of replaced) {
    const stopped = stopsOf(read);
    if (stopped === undefined) return undefined;
    for (const [id, was] of stopped) if (still?.has(id) !== true) released.set(id, was);
  }
  return [...released].map(([issuer_id, was]) => ({ issuer_id, was }));
}

/** Returns the issuers that the list and the checkpoint of a tree stop. Nothing is verified: too many do no harm. */
function stopsOf(read: ReadFileSync): ReadonlyMap<string, Stop> | undefined {
  const statements = statementsIn(read);
  const checkpoint = statements && readUnverified(statements.checkpoint, 'registry-checkpoint+jwt');
  const list = issuersIn(read(PATHS.list));
  if (checkpoint === undefined || list === undefined) return undefined;
  const hold = Array.isArray(checkpoint.claims.hold) ? checkpoint.claims.hold : [];
  const stops: (readonly [string, Stop])[] = list.flatMap(({ issuer_id, status }) =>
    status === 'suspended' || status === 'revoked' ? [[issuer_id, status] as const] : [],
  );
  const held = hold.map((id: string) => [id, 'held'] as const);
  return new Map([...held, ...stops].filter(([id]) => GRAMMAR.issuerId.pattern.test(id)));
}

function issuersIn(list: Uint8Array | undefined): { issuer_id: string; status: string }[] | undefined {
  try {
    const { issuers } = JSON.parse(Buffer.from(list ?? '').toString());
    return Array.isArray(issuers) ? issuers : undefined;
  } catch {
    return undefined;
  }
}
