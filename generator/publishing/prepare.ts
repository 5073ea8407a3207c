import type { PublicationStatement } from '@passport-registry/verifier/core';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { isStillFor, rootCheckpointClaims } from '../freshness/checkpoint.js';
import { onlineClaims } from '../freshness/online-keys.js';
import { signingInput } from '../freshness/statements.js';
import { aboutBytes, withStatusSince } from '../list/about.js';
import {
  type ListBytes,
  listBytes,
  recordsBytes,
  type SignedPublication,
  withUpdatedAt,
} from '../list/list.js';
import { nextUpdatedAt } from '../list/updated-at.js';
import { type CompleteRecords, recordsOfList } from '../records/check-records.js';
import { assertPublishable } from '../review/assert-publishable.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { hasList, type PublishedTree } from '../tree/published-tree.js';
import { sumsOfList } from '../tree/sums.js';
import { assembleOver } from './assemble.js';
import { assertLastingName, chooseLog } from './choose-log.js';
import { chooseOnline } from './choose-online.js';
import { type CommittedTree, checkpointBefore, countingFor } from './committed.js';
import { assertRootContinues } from './predecessor.js';
import type { ListTime, PublishOptions } from './publication.js';
import type { PublicationRequest, RootSigner } from './request.js';
import { outgoingKey, type RotationChoice, stepTo } from './rotation.js';
import { nextClaims, readStatementInput } from './sign-statement.js';

/** What is to be published, and which key will sign it. */
export interface Preparation extends PublishOptions {
  readonly records: CompleteRecords;
  /** The key that will sign, here or elsewhere. */
  readonly signer: RootSigner;
  readonly time?: ListTime | undefined;
  /** How the key that will sign replaces the root key. Default: it is the root key. */
  readonly rotation?: RotationChoice | undefined;
  /** Whether a checkpoint by the root key is renewed in any case. Default: one that does not expire soon stays. */
  readonly renewsCheckpoint?: boolean | undefined;
}

/** A request, and what people should know of it. */
export interface Prepared {
  readonly request: PublicationRequest;
  /** Warnings about the records. */
  readonly warnings: readonly Diagnostic[];
  /** Notes about what the user may not expect, in whole sentences. */
  readonly notes: readonly string[];
}

/**
 * Prepares a publication: applies the rules of change to the records, and computes everything that the root key signs. Nothing is
 * signed or written.
 *
 * @param found - the published tree, and the newest committed one, which the publication follows
 * @throws {@link RecordsRejected} | {@link KeyRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function prepare(preparation: Preparation, found: CommittedTree): Promise<Prepared> {
  const { records, signer, exceptions = {}, freshness = {}, rotation } = preparation;
  const { rootKey, development } = signer;
  assertRootContinues(signer, found, rotation !== undefined);
  const step = rotation && stepTo(rootKey, outgoingKey(found, freshness.nextRoots), rotation);
  const tree = countingFor(found, signer);
  const { newest: follows } = tree;
  const before = follows && recordsOfList(follows.issuers, follows.about);
  const warnings = assertPublishable({ before, after: records }, exceptions, development);
  const list = nextList(preparation, follows);
  const dated = { issuers: records.issuers.values(), updatedAt: list.updatedAt };
  const about = withStatusSince(records.about, dated, before);
  const next = nextStatement({ list, about }, preparation, follows);
  const checkpoint = checkpointByRoot(next, preparation, tree);
  const request = {
    rootKey,
    development,
    list,
    checkpoint,
    rotation: step,
    records: { ...records, about },
    signature: next.kept ? follows?.signature : undefined,
    statement: next.toSign === undefined ? { published: next.statement.text } : { toSign: next.toSign },
  };
  return { request, warnings, notes: unusedTime(preparation, next) };
}

/** What a publication says, before it is signed. */
interface NextStatement extends SignedPublication {
  /** Header and claims of the statement; undefined if the newest one says everything already. */
  readonly toSign: string | undefined;
  /** Whether online keys may sign its checkpoint. */
  readonly isOnline: boolean;
}

/** Returns the publication statement of a list: a new one to be signed, or the newest one, which may still wait for witnesses. */
function nextStatement(
  { list, about }: { readonly list: ListBytes; readonly about: CompleteRecords['about'] },
  { signer: { rootKey, development }, log: choice, freshness = {}, time = {} }: Preparation,
  follows: PublishedTree | undefined,
): NextStatement {
  const log = chooseLog(choice, follows);
  if (!development) assertLastingName(log, follows);
  const kept = hasList(follows, list) && follows?.rootKey.thumbprint === rootKey.thumbprint;
  // A statement about an unchanged list is signed now, or at the time that the operator names.
  const signedAt = kept ? timeOf(time) : Date.parse(list.updatedAt);
  const aboutFile = aboutBytes(about);
  const online = chooseOnline(freshness.online, { rootKey, log, published: follows });
  const summed = { list, sha256: sha256(list.list), sums: sumsOfList(list, follows?.statement.levels ?? 0) };
  const subject = {
    ...summed,
    log,
    signedAt,
    about: aboutFile && sha256(aboutFile),
    online: online && onlineClaims(online, signedAt),
  };
  const claims = nextClaims(subject, rootKey, follows?.statement);
  const said = {
    ...summed,
    rootKey,
    development,
    kept,
    about: aboutFile,
    signature: '',
    isOnline: online !== undefined,
  };
  // No claims: the newest statement says everything already.
  if (claims === undefined)
    return { ...said, statement: follows?.statement as PublicationStatement, toSign: undefined };
  const toSign = signingInput(rootKey, 'registry-publication+jwt', claims);
  return { ...said, statement: readStatementInput(toSign), toSign };
}

function timeOf({ updatedAt }: ListTime): number {
  return updatedAt === undefined ? Date.now() : Date.parse(updatedAt);
}

/** Returns the checkpoint, if the root key signs it: a new one, or the published one. */
function checkpointByRoot(
  next: NextStatement,
  preparation: Preparation,
  tree: CommittedTree,
): PublicationRequest['checkpoint'] {
  const { byRoot = false, hours } = preparation.freshness?.checkpoint ?? {};
  if (next.isOnline && !byRoot) return undefined;
  const checksums = assembleOver(tree.newest, next, preparation).get(PATHS.checksums) ?? new Uint8Array();
  const named = { rootKey: next.rootKey, statement: next.statement, checksums };
  const previous = checkpointBefore(tree);
  if (preparation.renewsCheckpoint !== true && isStillFor(named, previous))
    return { published: previous.text };
  const claims = rootCheckpointClaims({ ...named, previous }, hours);
  return { toSign: signingInput(next.rootKey, 'registry-checkpoint+jwt', claims) };
}

function unusedTime(
  { time: { updatedAt } = {} }: Preparation,
  { kept, list }: NextStatement,
): readonly string[] {
  if (!kept || updatedAt === undefined || updatedAt === list.updatedAt) return [];
  return [
    `The records have not changed since ${list.updatedAt}, so the list keeps that time; ${updatedAt} was not used.`,
  ];
}

/** The published list if it has the same records and the same root key, or else a new one with a later time. */
function nextList(
  { records: { issuers }, signer: { rootKey }, time: { updatedAt } = {} }: Preparation,
  follows: PublishedTree | undefined,
): ListBytes {
  const records = recordsBytes(issuers.values());
  if (follows === undefined) return listBytes(records, nextUpdatedAt(updatedAt, undefined));
  const same = listBytes(records, follows.updatedAt);
  if (hasList(follows, same) && follows.rootKey.thumbprint === rootKey.thumbprint) return same;
  return withUpdatedAt(same, nextUpdatedAt(updatedAt, follows.updatedAt));
}
