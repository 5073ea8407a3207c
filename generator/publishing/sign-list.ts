import type { LogIdentity, PublicationStatement } from '@passport-registry/verifier/core';
import { RequestRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { type OnlineChoice, onlineClaims } from '../freshness/online-keys.js';
import { readPublicationStatement } from '../freshness/statements.js';
import { aboutBytes, withStatusSince } from '../list/about.js';
import {
  type ListBytes,
  listBytes,
  recordsBytes,
  type SignedPublication,
  withUpdatedAt,
} from '../list/list.js';
import { assertNotAhead, formatUpdatedAt, nextUpdatedAt } from '../list/updated-at.js';
import type { CompleteRecords, RecordSet } from '../records/check-records.js';
import { type Signer, signPayload } from '../signing/sign.js';
import { sha256 } from '../tree/checksums.js';
import { hasList, isSigned, type PublishedFiles, type PublishedTree } from '../tree/published-tree.js';
import { sumsOfList } from '../tree/sums.js';
import type { ListTime, SignedElsewhere } from './publication.js';
import {
  assertExpectedStatement,
  intactStatement,
  type StatementSubject,
  signedStatement,
} from './sign-statement.js';

/** The records of a list, its signer and its time. */
interface ListToSign {
  readonly records: CompleteRecords;
  /** The records of the published list; undefined for a first list. */
  readonly before: RecordSet | undefined;
  readonly signer: Signer | SignedElsewhere;
  readonly time: ListTime;
  /** The log of the registry; undefined if the published statement decides. */
  readonly log: LogIdentity | undefined;
  /** The keys that may sign checkpoints besides the root key. */
  readonly online: OnlineChoice | undefined;
  /** The published tree, from `predecessorOf`. */
  readonly predecessor: PublishedTree | undefined;
}

/**
 * Returns the signed list to publish: signs the list with the key, or takes the list that was signed elsewhere.
 *
 * @throws {@link KeyRejected} | {@link UsageError}
 */
export async function signedList(
  { records, before, signer, time, log, online, predecessor }: ListToSign,
  published: PublishedTree | undefined,
  output: OutputFolder,
): Promise<SignedPublication> {
  const { list, signature, kept } =
    'sign' in signer
      ? await signHere(signer, { records, time }, published)
      : followingList(signer, predecessor, output);
  const { rootKey, development } = signer;
  const hash = sha256(list.list);
  const sums = sumsOfList(list, predecessor?.statement?.levels ?? 0);
  const requested = time.updatedAt === undefined ? Date.now() : Date.parse(time.updatedAt);
  const signedAt = kept ? requested : Date.parse(list.updatedAt);
  const dated = { issuers: records.issuers.values(), updatedAt: list.updatedAt };
  const about = aboutBytes(withStatusSince(records.about, dated, before));
  const subject = {
    ...{ list, sha256: hash, sums, log, about: about && sha256(about), signedAt },
    online: online && onlineClaims(online, signedAt),
  };
  const statement =
    'sign' in signer
      ? await signedStatement(subject, signer, predecessor)
      : followingStatement(subject, signer, { predecessor, named: output.named });
  return { list, signature, kept, rootKey, development, sha256: hash, statement, sums, about };
}

/** Keeps the published list if its records are the same and its signature is valid; otherwise signs a new list. */
async function signHere(
  signer: Signer,
  { records: { issuers }, time: { updatedAt: requested } }: Pick<ListToSign, 'records' | 'time'>,
  published: PublishedTree | undefined,
): Promise<ListAndSignature> {
  const sign = async (list: ListBytes) => ({
    list,
    signature: await signPayload(list.list, signer),
    kept: false,
  });
  const records = recordsBytes(issuers.values());
  const previous = published?.updatedAt;
  const later = () => nextUpdatedAt(requested, previous);
  if (published?.list === undefined || previous === undefined) return sign(listBytes(records, later()));
  const list = listBytes(records, previous);
  const isSignedByKey = await isSigned(published.list, published.signature, signer.rootKey);
  const isSameKey = isSignedByKey || published.rootKey?.thumbprint === signer.rootKey.thumbprint;
  if (hasList(published, list) && isSameKey) {
    if (isSignedByKey && published.signature !== undefined) {
      return { list, signature: published.signature.trim(), kept: true };
    }
    // The build was killed between writing the signature and the list. For the same time, it makes the same bytes
    // again.
    if (requested === previous) return sign(list);
  }
  return sign(withUpdatedAt(list, later()));
}

/** The list and the signature to publish. */
type ListAndSignature = Pick<SignedPublication, 'list' | 'signature' | 'kept'>;

/** Makes the error for a request that was overtaken. */
export const outdated = (problem: string) =>
  new RequestRejected('ERR_REQUEST_OUTDATED', `${problem}: make a new request with \`build --unsigned\``);

/**
 * A list that was signed elsewhere names the list that it follows. That list must still be the newest, unless the
 * signed list is already published (rule request-follows).
 *
 * @throws {@link RequestRejected}
 */
export function followingList(
  { list, signature, follows }: SignedElsewhere,
  newest: PublishedFiles | undefined,
  { named }: OutputFolder,
): ListAndSignature {
  const kept = hasList(newest, list);
  if (kept) return { list, signature: (newest?.signed && newest.signature?.trim()) || signature, kept };
  const published = newest?.list && sha256(newest.list);
  if (published !== follows) {
    const has = published === undefined ? 'has no list' : `has the list ${published}`;
    const said = follows === undefined ? 'is for a first list' : `follows the list ${follows}`;
    throw outdated(`the request ${said}, but ${named} ${has}`);
  }
  if (newest?.updatedAt !== undefined && list.updatedAt <= newest.updatedAt) {
    throw outdated(
      `the request is dated ${list.updatedAt}, not later than the published list of ${newest.updatedAt}`,
    );
  }
  return { list, signature, kept };
}

/**
 * A publication statement that was signed elsewhere names the statement that it follows. That statement must still be
 * the newest, and the new statement must say what a build would say of the list. A statement that is published already
 * is kept.
 *
 * @throws {@link RequestRejected} | {@link TreeRejected}
 */
function followingStatement(
  subject: StatementSubject,
  { statement, rootKey }: SignedElsewhere,
  { predecessor, named }: { readonly predecessor: PublishedFiles | undefined; readonly named: string },
): PublicationStatement {
  const said = readPublicationStatement(statement);
  const published = intactStatement(predecessor);
  const isSameKey = predecessor?.rootKey?.thumbprint === rootKey.thumbprint;
  const isPublished = isSameKey && published?.hash === said.hash;
  if (published !== undefined && isPublished) return published;
  if (said.previous[0] !== published?.hash) {
    const found =
      published === undefined
        ? `${named}, which has no publication`
        : `publication ${published.sequence} in ${named}`;
    throw outdated(`the request for publication ${said.sequence} was not made for ${found}`);
  }
  assertNotAhead(formatUpdatedAt(said.issuedAt));
  const input = statement.slice(0, statement.lastIndexOf('.'));
  assertExpectedStatement(input, subject, { rootKey, previous: published });
  return said;
}
