import type { RootKey } from '@passport-registry/verifier';
import type { PublicationStatement } from '@passport-registry/verifier/core';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { type CheckpointContext, isStillFor, rootCheckpointClaims } from '../freshness/checkpoint.js';
import { onlineClaims } from '../freshness/online-keys.js';
import type { PreviousCheckpoint } from '../freshness/previous-checkpoint.js';
import { signingInput } from '../freshness/statements.js';
import { aboutBytes, withStatusSince } from '../list/about.js';
import { type ListBytes, listBytes, recordsBytes, withUpdatedAt } from '../list/list.js';
import { nextUpdatedAt } from '../list/updated-at.js';
import { type CompleteRecords, recordsOfList } from '../records/check-records.js';
import { assertPublishable } from '../review/assert-publishable.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { hasList } from '../tree/published-tree.js';
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
  const { records, signer, time = {}, exceptions = {}, freshness = {}, renewsCheckpoint } = preparation;
  const { rootKey, development } = signer;
  const { rotation } = preparation;
  assertRootContinues(signer, found, rotation !== undefined);
  const step = rotation && stepTo(rootKey, outgoingKey(found, freshness.nextRoots), rotation);
  const tree = countingFor(found, signer);
  const { newest: follows } = tree;
  const before = follows && recordsOfList(follows.issuers, follows.about);
  const warnings = assertPublishable({ before, after: records }, exceptions, development);
  const log = chooseLog(preparation.log, follows);
  if (!development) assertLastingName(log, follows);
  const list = nextList(records, tree, { ...time, rootKey });
  const isKept = hasList(follows, list) && follows?.rootKey.thumbprint === rootKey.thumbprint;
  const signedAt = isKept
    ? time.updatedAt === undefined
      ? Date.now()
      : Date.parse(time.updatedAt)
    : Date.parse(list.updatedAt);
  const dated = { issuers: records.issuers.values(), updatedAt: list.updatedAt };
  const about = withStatusSince(records.about, dated, before);
  const aboutFile = aboutBytes(about);
  const online = chooseOnline(freshness.online, { rootKey, log, published: follows });
  const summed = { list, sha256: sha256(list.list), sums: sumsOfList(list, follows?.statement.levels ?? 0) };
  const subject = {
    ...{ ...summed, log, signedAt, about: aboutFile && sha256(aboutFile) },
    online: online && onlineClaims(online, signedAt),
  };
  const claims = nextClaims(subject, rootKey, follows?.statement);
  const input = claims && signingInput(rootKey, 'registry-publication+jwt', claims);
  const statement = input === undefined ? follows?.statement : readStatementInput(input);
  const request = {
    ...{ rootKey, development, list },
    records: { ...records, about },
    signature: isKept ? follows?.signature : undefined,
    // Only a published statement can say all of it.
    statement: input === undefined ? { published: follows?.statement.text ?? '' } : { toSign: input },
  };
  const signed = {
    ...request,
    ...summed,
    about: aboutFile,
    signature: '',
    statement: statement as PublicationStatement,
  };
  const checksums = assembleOver(follows, { ...signed, kept: isKept }, preparation).get(PATHS.checksums);
  const named = { rootKey, statement: signed.statement, checksums: checksums ?? new Uint8Array() };
  const isByRoot = online === undefined || freshness.checkpoint?.byRoot === true;
  const published = isByRoot && !renewsCheckpoint ? stillValid(named, checkpointBefore(tree)) : undefined;
  const renewed = isByRoot
    ? { toSign: checkpointInput(named, tree, freshness.checkpoint?.hours) }
    : undefined;
  const checkpoint = published ?? renewed;
  const isUnused = isKept && time.updatedAt !== undefined && time.updatedAt !== list.updatedAt;
  const unused = `The records have not changed since ${list.updatedAt}, so the list keeps that time; ${time.updatedAt} was not used.`;
  return {
    request: { ...request, checkpoint, rotation: step },
    warnings,
    notes: isUnused ? [unused] : [],
  };
}

/** The published list if it has the same records and the same root key, or else a new one with a later time. */
function nextList(
  { issuers }: CompleteRecords,
  { newest }: CommittedTree,
  { rootKey, updatedAt }: ListTime & { readonly rootKey: RootKey },
): ListBytes {
  const records = recordsBytes(issuers.values());
  if (newest === undefined) return listBytes(records, nextUpdatedAt(updatedAt, undefined));
  const same = listBytes(records, newest.updatedAt);
  if (hasList(newest, same) && newest.rootKey.thumbprint === rootKey.thumbprint) return same;
  return withUpdatedAt(same, nextUpdatedAt(updatedAt, newest.updatedAt));
}

/** What a checkpoint by the root key is for. */
type CheckpointSubject = Pick<CheckpointContext, 'rootKey' | 'statement' | 'checksums'>;

/** Returns the published checkpoint, if that is for the same tree and does not expire soon. */
function stillValid(
  named: CheckpointSubject,
  previous: PreviousCheckpoint | undefined,
): PublicationRequest['checkpoint'] {
  return isStillFor(named, previous) ? { published: previous.text } : undefined;
}

/** Returns header and claims of a new checkpoint by the root key. */
function checkpointInput(named: CheckpointSubject, tree: CommittedTree, hours: number | undefined): string {
  const claims = rootCheckpointClaims({ ...named, previous: checkpointBefore(tree) }, hours);
  return signingInput(named.rootKey, 'registry-checkpoint+jwt', claims);
}
