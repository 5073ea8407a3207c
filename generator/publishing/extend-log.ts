import {
  type AnyEntry,
  entryBytes,
  formatNote,
  isSameBytes,
  type LogIdentity,
  parseAnyEntry,
  readLogged,
  readRotation,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { AlreadyPublished, TreeRejected, UsageError } from '../errors.js';
import { appendEntries, replacedFolders } from '../log/append.js';
import { collectCosignatures } from '../log/collect.js';
import type { LogChoice } from '../log/log-choice.js';
import { damagedLog, EMPTY_LOG, type LogEnd, readLogEnd, readLogHead, rootOf } from '../log/log-files.js';
import { logIdentity, signHead } from '../log/sign-head.js';
import type { Signer } from '../signing/sign.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { Tree } from '../tree/tree.js';

/** The log of a tree with everything that the tree publishes. */
export interface ExtendedLog {
  readonly head: SignedHead;
  /** The new files of the log, with its head. */
  readonly files: Tree;
  /** The folders of partial tiles and bundles that full ones have replaced. */
  readonly replaced: readonly string[];
}

/** What a publication adds to the log. */
interface Addition {
  /** The rotation of the new tree: steps, oldest first. */
  readonly rotation: readonly string[];
  /** The publication statement, a JWT. */
  readonly statement: string;
  /** The log that the statement names. */
  readonly log: LogIdentity;
}

/** How long witnesses may take to say whether they have seen a larger log, in milliseconds. */
const VETO_MS = 5000;

/**
 * Adds to the log the rotation steps and the publication statement of a new tree: the publication is the last entry
 * (rule log-files). Only the right edge of the log is read, so the cost does not depend on its size. Before the log signs, its
 * head is sent to all witnesses: one that has seen what this log lacks refuses the signature.
 *
 * @param newest - the tree that the publication follows
 * @throws {@link TreeRejected} if the log is damaged; {@link AlreadyPublished} if a witness has seen another one;
 *   {@link UsageError} | {@link KeyRejected}
 */
export async function extendLog(
  addition: Addition,
  newest: PublishedTree | undefined,
  choice: LogChoice | undefined,
): Promise<ExtendedLog> {
  const { log, rotation, statement } = addition;
  const signer = logSigner(log, choice);
  const end = await publishedEnd(newest, log, choice);
  const entries = [...(await newSteps(rotation, newest)), await entryOf(statement)];
  const added = appendEntries(
    end,
    entries.map(({ entry }) => entryBytes(entry)),
  );
  const { size } = added.end;
  const head = await signHead({ origin: log.origin, size, root: await rootOf(added.end) }, signer);
  const statements = entries.map(({ jwt }, at): [string, Buffer] => [
    PATHS.loggedStatement(end.size + at),
    Buffer.from(jwt),
  ]);
  const files = [...statements, ...added.files, [PATHS.logHead, Buffer.from(formatNote(head.note))] as const];
  return { head, files: new Map(files), replaced: replacedFolders(added.end) };
}

/** @throws {@link UsageError} if the key of the log is not here */
function logSigner(log: LogIdentity, choice: LogChoice | undefined): Signer {
  if (choice?.signer === undefined) {
    throw new UsageError(
      `the registry has the log ${log.origin}: set log.signer in registry.yaml, which signs the head of the log`,
    );
  }
  if (logIdentity(log.origin, choice.signer.rootKey).vkey === log.vkey) return choice.signer;
  throw new UsageError(
    'the publication statement names another key of the log: set that key in log.signer in registry.yaml',
  );
}

/** Returns the end of the published log, which no witness has refused. */
async function publishedEnd(
  newest: PublishedTree | undefined,
  log: LogIdentity,
  choice: LogChoice | undefined,
): Promise<LogEnd> {
  if (newest?.statement.log === undefined) return EMPTY_LOG;
  const { head, end } = await readPublishedLog(newest, log);
  if (choice !== undefined) await assertNotVetoed(newest, head, choice);
  return end;
}

async function assertNotVetoed(
  { folder, read }: PublishedTree,
  head: SignedHead,
  choice: LogChoice,
): Promise<void> {
  const { witnesses } = choice;
  if (witnesses.length === 0) return;
  const asked = await collectCosignatures(head, { witnesses, quorum: 0, waitMs: VETO_MS }, read);
  const veto = asked.missing.find(({ isOtherHistory }) => isOtherHistory === true);
  if (veto === undefined) return;
  throw oldCopy(folder, `the witness ${veto.witness} ${veto.problem}`);
}

/** The error for a tree of which a witness has seen more. @param seen - what the witness has seen, as a clause */
export function oldCopy(folder: string, seen: string): AlreadyPublished {
  return new AlreadyPublished(
    `${seen}, so ${folder} is an old copy, or the log is forked: \`load\` the published tree first`,
  );
}

/** A statement of the root key and its entry in the log. */
interface NewStatement {
  readonly jwt: string;
  readonly entry: AnyEntry;
}

async function entryOf(jwt: string, steps = 0): Promise<NewStatement> {
  const invalid = (message: string) => new TreeRejected(`a statement of the new publication ${message}`);
  const { entry } = await readLogged(jwt, steps, invalid);
  if (entry === undefined) throw invalid('has a type that no log of this version contains');
  return { jwt, entry };
}

/** Returns the rotation steps that the log has not. A log that begins gets all of them. */
async function newSteps(
  rotation: readonly string[],
  newest: PublishedTree | undefined,
): Promise<NewStatement[]> {
  const before = newest?.statement.log === undefined ? 0 : newest.statements.rotation.length;
  const steps = readRotation(rotation).slice(before);
  return Promise.all(steps.map(({ text }, at) => entryOf(text, before + at)));
}

/** The right edge of a published log, and its head. */
interface PublishedLog {
  readonly head: SignedHead;
  readonly end: LogEnd;
}

/**
 * Reads the right edge of a published log, and verifies that it belongs to the signed head, and ends with the publication of the
 * tree, of which the log has the statement. The cost does not depend on the size of the log.
 *
 * @throws {@link TreeRejected} if the log is damaged, or another one
 */
export async function readPublishedLog(
  { read, statement, statements }: PublishedTree,
  { origin, vkey }: LogIdentity,
): Promise<PublishedLog> {
  const head = readLogHead(read);
  if (head === undefined) throw damagedLog('is missing');
  if (head.origin !== origin) throw damagedLog(`is ${head.origin}, not ${origin}`);
  const end = await readLogEnd(read, head, [
    vkey,
    ...(statement.log === undefined ? [] : [statement.log.vkey]),
  ]);
  const last = end.bundle.at(-1);
  const invalid = (message: string) => damagedLog(`has a last entry that ${message}`);
  if (last === undefined || parseAnyEntry(last, invalid).sha256 !== statement.hash)
    throw damagedLog('does not end with the publication statement of the tree');
  const path = PATHS.loggedStatement(head.size - 1);
  const logged = read(path);
  if (logged === undefined || !isSameBytes(logged, Buffer.from(statements.publication)))
    throw damagedLog(`lacks the file ${path}, or has another one`);
  return { head, end };
}
