import type { RootKey } from '@passport-registry/verifier';
import { type PublicationStatement, readList } from '@passport-registry/verifier/core';
import type { Diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { TreeRejected, UsageError } from '../../generator/errors.js';
import { rootCheckpointClaims } from '../../generator/freshness/checkpoint.js';
import { type OnlineChoice, onlineClaims } from '../../generator/freshness/online-keys.js';
import { type KnownCheckpoints, previousCheckpoint } from '../../generator/freshness/previous-checkpoint.js';
import { signingInput } from '../../generator/freshness/statements.js';
import { aboutBytes, withStatusSince } from '../../generator/list/about.js';
import {
  type ListBytes,
  listBytes,
  recordsBytes,
  type SignedPublication,
} from '../../generator/list/list.js';
import { nextUpdatedAt } from '../../generator/list/updated-at.js';
import type { LogChoice } from '../../generator/log/log-choice.js';
import { assembleOver } from '../../generator/publishing/assemble.js';
import { chooseOnline } from '../../generator/publishing/choose-online.js';
import { assertLastingName, chooseLog } from '../../generator/publishing/extend-log.js';
import { followUrl, type UrlQuestion } from '../../generator/publishing/follow-url.js';
import { predecessorOf, publishedRecords } from '../../generator/publishing/predecessor.js';
import type { ListTime, TreeOptions } from '../../generator/publishing/publication.js';
import {
  intactStatement,
  nextClaims,
  readStatementInput,
} from '../../generator/publishing/sign-statement.js';
import { goodRecords } from '../../generator/records/check-records.js';
import { assertPublishable, type RuleExceptions } from '../../generator/review/assert-publishable.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import {
  hasList,
  type PublishedTree,
  readPublished,
  withPending,
} from '../../generator/tree/published-tree.js';
import { type RequestedCheckpoint, readCheckpointInput } from './checkpoint-request.js';
import { type PreviousPublication, summedList } from './publication-request.js';
import { writeRequestFiles } from './request-files.js';
import { type SigningRequest, signingRequest } from './signing-request.js';

/** Options of `prepareSigning`. */
export interface PreparationOptions extends TreeOptions {
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  /**
   * The root key that will sign. Default: the root key of the published tree. Required for a first list, and for the
   * first list after a rotation.
   */
  readonly rootKey?: RootKey | undefined;
  /** The log of the registry. Default: that of the published tree. */
  readonly log?: LogChoice | undefined;
  /** The keys that may sign checkpoints besides the root key. Default: none. */
  readonly online?: OnlineChoice | undefined;
  readonly exceptions?: RuleExceptions;
  readonly time?: ListTime;
  /** For how many hours a checkpoint by the root key is valid. Default: 30 days. */
  readonly checkpointHours?: number | undefined;
  /** How to ask the registry's URL before a request is written. Default: nothing is asked. */
  readonly url?: UrlQuestion | undefined;
}

/** A signing request that was written to a folder. */
interface PreparedRequest extends SigningRequest {
  /** Warnings about the records. */
  readonly warnings: readonly Diagnostic[];
  /** What the registry's URL shows, as whole sentences. Undefined if there is nothing to say. */
  readonly answers: string | undefined;
}

/**
 * Prepares a publication for signing elsewhere: checks the records and their change from the published list, and writes
 * a signing request with the list, the publication statement and, where no online key may sign it, the checkpoint. The
 * published tree is not touched; `attachSignatures` publishes what was signed.
 *
 * @param folder - a new folder for the request
 * @returns undefined if the published list already has the same records, its statement says the same, and online keys sign its
 *   checkpoints
 * @throws {@link RecordsRejected} | {@link TreeRejected} | {@link AlreadyPublished} | {@link UsageError} | {@link IoFailed}
 */
export async function prepareSigning(
  options: PreparationOptions,
  folder: string,
): Promise<PreparedRequest | undefined> {
  const { issuers, out, rootKey: given, log, online, exceptions = {}, time = {} } = options;
  const set = goodRecords(issuers, undefined, 'there is nothing to sign');
  const records = recordsBytes(set.issuers.values());
  const served = await readPublished(out);
  const tree = served && withPending(served);
  const published = predecessorOf(tree, { rootKey: given, development: false });
  assertComplete(published, out);
  const statement = intactStatement(published);
  const rootKey = given ?? published?.rootKey;
  if (rootKey === undefined) {
    throw new UsageError(
      `${out} has no published list, so the request must name the root key that will sign its first list: pass --root-key, or ` +
        'set root_key in registry.yaml',
    );
  }
  const url = await followUrl({ rootKey, published }, options.url);
  const before = published && publishedRecords(published, out);
  const warnings = assertPublishable({ before, after: set }, exceptions, false);
  const list = listToSign(records, published, { ...time, rootKey });
  const kept = hasList(published, list);
  const named = chooseLog(log, published);
  assertLastingName(named, published);
  const onlineNamed = chooseOnline(online, { rootKey, log: named, published });
  const previous = published && statement && previousPublication(published, statement);
  const signedAt = kept ? Date.now() : Date.parse(list.updatedAt);
  const dated = { issuers: set.issuers.values(), updatedAt: list.updatedAt };
  const about = withStatusSince(set.about, dated, before);
  const aboutFile = aboutBytes(about);
  const subject = {
    ...summedList(list, statement?.levels ?? 0, aboutFile),
    ...{ log: named, signedAt },
    online: onlineNamed && onlineClaims(onlineNamed, signedAt),
  };
  const claims = nextClaims(subject, rootKey, statement);
  const publication = claims && {
    ...{ list: list.list, registry: readList(list.list), about, previous, kept },
    ...requestedStatement(signingInput(rootKey, 'registry-publication+jwt', claims)),
  };
  const newest = publication?.statement ?? statement;
  const key = { rootKey, development: false };
  // The checkpoint names SHA256SUMS, which does not list the signature.
  const unsigned = newest && { ...subject, ...key, kept, signature: '', statement: newest, about: aboutFile };
  const isByRoot = onlineNamed === undefined && unsigned !== undefined;
  const checkpoint = isByRoot
    ? await requestedCheckpoint(unsigned, options, {
        published: predecessorOf(served, key),
        served: url.checkpoint,
      })
    : undefined;
  if (publication === undefined && checkpoint === undefined) return undefined;
  const keys = { rootKey, previousRootKey: published?.rootKey };
  const request = signingRequest(keys, { publication, checkpoint }, previous);
  writeRequestFiles(folder, request);
  return { ...request, warnings, answers: url.note };
}

const requestedStatement = (input: string) => ({ input, statement: readStatementInput(input) });

/** Returns the checkpoint by the root key for a tree that nobody has signed yet. */
async function requestedCheckpoint(
  signed: SignedPublication,
  options: PreparationOptions,
  known: KnownCheckpoints,
): Promise<RequestedCheckpoint> {
  const { rootKey, statement } = signed;
  const checksums = assembleOver(known.published, signed, options).get(PATHS.checksums) ?? new Uint8Array();
  const previous = await previousCheckpoint(known, rootKey);
  const claims = rootCheckpointClaims({ statement, checksums, previous }, options.checkpointHours);
  const input = signingInput(rootKey, 'registry-checkpoint+jwt', claims);
  return readCheckpointInput(input, rootKey, statement);
}

/** A new publication must not take the sequence of one that is not complete. */
function assertComplete(published: PublishedTree | undefined, out: string): void {
  if (published === undefined) return;
  const { signed, statement, list } = published;
  const isStated = statement === undefined || (list !== undefined && statement.sha256 === sha256(list));
  if (signed && isStated) return;
  const what = signed
    ? 'is not the one that its publication statement names'
    : 'is not signed by its root key';
  throw new TreeRejected(
    `the list in ${out} ${what}, which happens if a publication is killed: run the killed command again, then make the request`,
  );
}

/** The published list if it has the same records and the same root key, or else a new one. */
function listToSign(
  records: ReadonlyMap<string, Uint8Array>,
  published: PublishedTree | undefined,
  { rootKey, updatedAt }: ListTime & { readonly rootKey: RootKey },
): ListBytes {
  const previous = published?.updatedAt;
  if (previous !== undefined && published?.rootKey?.thumbprint === rootKey.thumbprint) {
    const same = listBytes(records, previous);
    if (hasList(published, same)) return same;
  }
  return listBytes(records, nextUpdatedAt(updatedAt, previous));
}

function previousPublication(
  { list = new Uint8Array(), signature = '', about }: PublishedTree,
  statement: PublicationStatement,
): PreviousPublication {
  return {
    ...{ list, registry: readList(list), sha256: sha256(list) },
    ...{ signature: signature.trim(), statement, about },
  };
}
