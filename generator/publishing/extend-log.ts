import {
  type AnyEntry,
  entryBytes,
  formatNote,
  type IndexedEntry,
  type LogIdentity,
  readLogged,
  readRotation,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { KeyRejected, TreeRejected, UsageError } from '../errors.js';
import { readIfReadable } from '../files/read-file.js';
import { readPublicationStatement } from '../freshness/statements.js';
import type { SignedPublication } from '../list/list.js';
import { appendEntries } from '../log/append.js';
import { type LogChoice, NO_WITNESSES } from '../log/log-choice.js';
import {
  damagedLog,
  EMPTY_LOG,
  entriesSince,
  type LogEnd,
  readLogEnd,
  readLogHead,
  rootOf,
} from '../log/log-files.js';
import { isLocalOrigin } from '../log/log-name.js';
import { logIdentity, signHead } from '../log/sign-head.js';
import type { Signer } from '../signing/sign.js';
import { sha256 } from '../tree/checksums.js';
import { publishedSteps } from '../tree/commitment.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedFiles, PublishedTree } from '../tree/published-tree.js';
import type { Tree } from '../tree/tree.js';
import type { SignedElsewhere } from './publication.js';
import { holds } from './write.js';

/** The log of a tree with everything that the tree publishes. */
export interface ExtendedLog {
  readonly head: SignedHead;
  readonly end: LogEnd;
  /** The number of entries before the publication statement of the tree. */
  readonly index: number;
  /**
   * The files to write before the rest of the tree, the head last. Empty if the published log has all entries already.
   */
  readonly files: Tree;
  /** Whether the published tree has no log that this one continues. */
  readonly isNew: boolean;
}

/**
 * Returns the log that the publication statement names: that of the choice, or else the published one.
 *
 * @param signed - a publication statement that was signed elsewhere, which may begin a log
 * @throws {@link UsageError} if the choice has another name than the published log; {@link KeyRejected} if it has another key
 */
export function chooseLog(
  choice: LogChoice | undefined,
  published: Pick<PublishedFiles, 'statement' | 'development'> | undefined,
  signed?: string,
): LogIdentity | undefined {
  const known = published?.statement?.log;
  const named = signed === undefined ? undefined : readPublicationStatement(signed).log;
  const origin = choice?.origin ?? named?.origin ?? known?.origin;
  if (known !== undefined && origin !== known.origin) {
    throw new UsageError(
      `the log is ${known.origin}, and its name never changes: set log.origin in registry.yaml to ${known.origin}`,
    );
  }
  if (choice?.signer === undefined) return known;
  if (origin === undefined) {
    throw new UsageError(
      'a new log needs a name: set log.origin in registry.yaml to the host of the registry and /log',
    );
  }
  const chosen = logIdentity(origin, choice.signer.rootKey);
  const isNamed = chosen.vkey === known?.vkey || chosen.vkey === named?.vkey;
  if (known !== undefined && !isNamed && !published?.development && choice.mayReplaceKey !== true)
    throw otherLogKey(known, chosen);
  return chosen;
}

/**
 * Asserts that a production key begins no log under a name that only one machine has, such as that of a trial: the name of a log
 * never changes (rule log-name).
 *
 * @throws {@link UsageError}
 */
export function assertLastingName(
  log: LogIdentity | undefined,
  published: Pick<PublishedFiles, 'statement'> | undefined,
): void {
  if (log === undefined || published?.statement?.log !== undefined || !isLocalOrigin(log.origin)) return;
  throw new UsageError(
    `the log cannot be named ${log.origin}: the name of a log is permanent, and this is the name of a single machine; set log.origin in ` +
      'registry.yaml to the host at which the registry will be published, and /log',
  );
}

/** The end of a key's life looks like a wrong file, so the operator has to name the new key, too. */
function otherLogKey(known: LogIdentity, chosen: LogIdentity): KeyRejected {
  const id = ({ vkey }: LogIdentity) => vkey.split('+')[1];
  return new KeyRejected(
    `the published log ${known.origin} has the key ${id(known)}, and log.signer is the key ${id(chosen)}: let log.signer name the key of ` +
      'the log. Only to replace that key for good, also name the public key of the new one, with log.public_key in registry.yaml',
    { isOtherKey: true },
  );
}

/** A development build signs its log with the development key, unless it is given another one. */
export function withDevelopmentKey(
  choice: LogChoice | undefined,
  signer: Signer | SignedElsewhere,
  published: Pick<PublishedFiles, 'statement'> | undefined,
): LogChoice | undefined {
  const hasLog = choice !== undefined || published?.statement?.log !== undefined;
  if (!signer.development || !('sign' in signer) || !hasLog || choice?.signer !== undefined) return choice;
  return { ...NO_WITNESSES, ...choice, signer };
}

/** A verified tree that is about to be written. */
export interface Publishing {
  readonly tree: Tree;
  readonly signed: SignedPublication;
  /** The published tree that the new tree follows, without a pending publication. */
  readonly before: PublishedTree | undefined;
}

/**
 * Adds to the log what the tree publishes and the log lacks: rotation steps, a delegation, the publication statement
 * (rule log-files). The new log contains the published one.
 *
 * @returns undefined if the registry has no log
 * @throws {@link TreeRejected} if the published log is damaged; {@link UsageError} | {@link KeyRejected}
 */
export async function extendLog(
  { tree, signed, before }: Publishing,
  choice: LogChoice,
): Promise<ExtendedLog | undefined> {
  const { log } = signed.statement;
  if (log === undefined) return undefined;
  const { head, end, tail } = await publishedLog(before, log);
  const wanted = [...(await newStatements(tree, before)), await entryOf(signed.statement.text)];
  const missing = wanted.filter(({ entry }) => !tail.some((known) => known.entry.sha256 === entry.sha256));
  const known = tail.find(({ entry }) => entry.sha256 === sha256(signed.statement.text));
  const index = known?.index ?? end.size + missing.length - 1;
  if (head !== undefined && missing.length === 0) return { head, end, index, files: new Map(), isNew: false };
  if (choice.signer === undefined) {
    throw new UsageError(
      `the registry has the log ${log.origin}: set log.signer in registry.yaml, which signs the head of the log`,
    );
  }
  if (logIdentity(log.origin, choice.signer.rootKey).vkey !== log.vkey) {
    throw new UsageError(
      'the publication statement names another key of the log: set that key in log.signer in registry.yaml',
    );
  }
  const added = appendEntries(
    end,
    missing.map(({ entry }) => entryBytes(entry)),
  );
  const { size } = added.end;
  const newHead = await signHead({ origin: log.origin, size, root: await rootOf(added.end) }, choice.signer);
  const files = new Map([
    ...pendingFiles(signed, before),
    ...missing.map(({ jwt }, at): [string, Buffer] => [
      PATHS.loggedStatement(end.size + at),
      Buffer.from(jwt),
    ]),
    ...added.files,
    [PATHS.logHead, Buffer.from(formatNote(newHead.note))],
  ]);
  return { head: newHead, end: added.end, index, files, isNew: head === undefined };
}

/** Reads the published log, and the entries that may not be published yet. */
async function publishedLog(served: PublishedTree | undefined, log: LogIdentity) {
  const read = (path: string) => served && readIfReadable(served.folder, path);
  const head = readLogHead(read);
  const published = served?.statement?.log;
  if (head === undefined) {
    if (published !== undefined) throw damagedLog('is missing');
    return { head, end: EMPTY_LOG, tail: [] as IndexedEntry[] };
  }
  if (head.origin !== log.origin) throw damagedLog(`is ${head.origin}, not ${log.origin}`);
  const vkeys = [log, published, served?.pending?.statement.log].flatMap((one) => one?.vkey ?? []);
  const end = await readLogEnd(read, head, vkeys);
  const since = published === undefined ? undefined : sha256(served?.statement?.text ?? '');
  return { head, end, tail: entriesSince(read, head.size, since) };
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

/** Returns the rotation steps and the delegation that the published tree has not. Without a published log, all of them. */
async function newStatements(tree: Tree, served: PublishedTree | undefined): Promise<NewStatement[]> {
  const logged = served?.statement?.log === undefined ? undefined : served;
  const before = logged === undefined ? 0 : publishedSteps(logged.folder).length;
  const steps = readRotation(tree.get(PATHS.rotation) ?? '[]').slice(before);
  const found = await Promise.all(steps.map(({ text }, at) => entryOf(text, before + at)));
  const delegation = tree.get(PATHS.delegation);
  if (delegation === undefined || (logged && holds(logged.folder, PATHS.delegation, delegation)))
    return found;
  return [...found, await entryOf(Buffer.from(delegation).toString('utf8'))];
}

/** Returns the list, and what is kept of the publication until the rest of the tree is published: its signature, and new names. */
function pendingFiles(
  { list, signature, about, sha256: hash }: SignedPublication,
  served: PublishedTree | undefined,
): [string, Uint8Array][] {
  const isNewAbout = about !== undefined && !(served && holds(served.folder, PATHS.about, about));
  return [
    [PATHS.namedList(hash), list.list],
    [PATHS.pending(hash, PATHS.signature), Buffer.from(signature)],
    ...(isNewAbout ? [[PATHS.pending(hash, PATHS.about), about] as [string, Uint8Array]] : []),
  ];
}
