import type { RootKey } from '@passport-registry/verifier';
import { type PublicationStatement, readList } from '@passport-registry/verifier/core';
import type { Diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { TreeRejected, UsageError } from '../../generator/errors.js';
import { hasCheckpoint } from '../../generator/freshness/freshness.js';
import { signingInput } from '../../generator/freshness/statements.js';
import { aboutBytes, withStatusSince } from '../../generator/list/about.js';
import { type ListBytes, listBytes, recordsBytes } from '../../generator/list/list.js';
import { nextUpdatedAt } from '../../generator/list/updated-at.js';
import type { LogChoice } from '../../generator/log/log-choice.js';
import { assertLastingName, chooseLog } from '../../generator/publishing/extend-log.js';
import { predecessorOf, publishedRecords } from '../../generator/publishing/predecessor.js';
import type { AssertFollowsHosts, ListTime } from '../../generator/publishing/publication.js';
import {
  intactStatement,
  nextClaims,
  readStatementInput,
} from '../../generator/publishing/sign-statement.js';
import { goodRecords } from '../../generator/records/check-records.js';
import { assertPublishable, type RuleExceptions } from '../../generator/review/assert-publishable.js';
import { sha256 } from '../../generator/tree/checksums.js';
import {
  hasList,
  type PublishedTree,
  readPublished,
  withPending,
} from '../../generator/tree/published-tree.js';
import { newDelegation, type OnlineKeys } from './prepare-statement.js';
import { type PreviousPublication, summedList } from './publication-request.js';
import { writeRequestFiles } from './request-files.js';
import { type SigningRequest, signingRequest } from './signing-request.js';

/** Options of `prepareSigning`. */
export interface PreparationOptions {
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  /**
   * The root key that will sign. Default: the root key of the published tree. Required for a first list, and for the
   * first list after a rotation.
   */
  readonly rootKey?: RootKey | undefined;
  /** Whether the registry has checkpoints from now on. Default: whether the published tree has one. */
  readonly checkpoint?: boolean | undefined;
  /** The log of the registry. Default: that of the published tree. */
  readonly log?: LogChoice | undefined;
  /** The online keys of a new delegation in the same request. Default: the request has no delegation. */
  readonly delegate?: OnlineKeys | undefined;
  readonly exceptions?: RuleExceptions;
  readonly time?: ListTime;
  /** Before a request is written. Default: no host is asked. */
  readonly assertFollowsHosts?: AssertFollowsHosts | undefined;
}

/** A signing request that was written to a folder. */
interface PreparedRequest extends SigningRequest {
  /** Warnings about the records. */
  readonly warnings: readonly Diagnostic[];
  /** What the hosts answered, as whole sentences. Undefined if there is nothing to say. */
  readonly answers: string | undefined;
}

/**
 * Prepares a publication for signing elsewhere: checks the records and their change from the published list, and writes
 * a signing request with the list and the publication statement. The published tree is not touched; `attachSignatures`
 * publishes what was signed.
 *
 * @param folder - a new folder for the request
 * @returns undefined if the published list already has the same records, and its statement says the same
 * @throws {@link RecordsRejected} | {@link TreeRejected} | {@link AlreadyPublished} | {@link UsageError} | {@link IoFailed}
 */
export async function prepareSigning(
  options: PreparationOptions,
  folder: string,
): Promise<PreparedRequest | undefined> {
  const { issuers, out, rootKey: given, checkpoint, log, delegate, exceptions = {}, time = {} } = options;
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
  const onlineKeys = delegate?.keys;
  const answers = await options.assertFollowsHosts?.({ rootKey, published, onlineKeys });
  const before = published && publishedRecords(published, out);
  const warnings = assertPublishable({ before, after: set }, exceptions, false);
  const list = listToSign(records, published, { ...time, rootKey });
  const kept = hasList(published, list);
  const named = chooseLog(log, published);
  assertLastingName(named, published);
  const previous = published && statement && previousPublication(published, statement);
  const dated = { issuers: set.issuers.values(), updatedAt: list.updatedAt };
  const about = withStatusSince(set.about, dated, before);
  const subject = {
    ...summedList(list, statement?.levels ?? 0, aboutBytes(about)),
    checkpoint: checkpoint === true || hasCheckpoint(published),
    log: named,
    signedAt: kept ? Date.now() : Date.parse(list.updatedAt),
  };
  const claims = nextClaims(subject, rootKey, statement);
  const delegation = delegate && (await newDelegation(delegate, rootKey, published));
  if (claims === undefined && delegation === undefined) return undefined;
  const input = claims && signingInput(rootKey, 'registry-publication+jwt', claims);
  const publication = input && {
    ...{ list: list.list, registry: readList(list.list), about, previous, kept },
    ...{ input, statement: readStatementInput(input) },
  };
  const keys = { rootKey, previousRootKey: published?.rootKey };
  const request = signingRequest(keys, { publication: publication || undefined, delegation });
  writeRequestFiles(folder, request);
  return { ...request, warnings, answers };
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
  { rootKey, renew, updatedAt }: ListTime & { readonly rootKey: RootKey },
): ListBytes {
  const previous = published?.updatedAt;
  if (previous !== undefined && !renew && published?.rootKey?.thumbprint === rootKey.thumbprint) {
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
