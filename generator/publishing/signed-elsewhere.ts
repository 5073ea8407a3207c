import type { PublicationStatement } from '@passport-registry/verifier/core';
import { RequestRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readPublicationStatement } from '../freshness/read-publication.js';
import type { SignedList } from '../list/signed-list.js';
import { assertNotAhead, formatUpdatedAt } from '../list/updated-at.js';
import { sha256 } from '../tree/checksums.js';
import { hasList, type PublishedFiles } from '../tree/published-tree.js';
import { assertExpectedStatement } from './expected-statement.js';
import type { SignedElsewhere } from './publication.js';
import { assertStatementIntact, type StatementSubject } from './sign-statement.js';

/** The list and the signature to publish. */
export type ListAndSignature = Pick<SignedList, 'list' | 'signature' | 'kept'>;

const ADVICE = 'make a new request with `build --unsigned`';

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
    throw new RequestRejected('ERR_REQUEST_OUTDATED', `the request ${said}, but ${named} ${has}: ${ADVICE}`);
  }
  if (newest?.updatedAt !== undefined && list.updatedAt <= newest.updatedAt) {
    throw new RequestRejected(
      'ERR_REQUEST_OUTDATED',
      `the request is dated ${list.updatedAt}, not later than the published list of ${newest.updatedAt}: ${ADVICE}`,
    );
  }
  return { list, signature, kept };
}

/** The published tree that a request follows, and the folder of the tree. */
interface Followed {
  readonly predecessor: PublishedFiles | undefined;
  readonly output: OutputFolder;
}

/**
 * A publication statement that was signed elsewhere names the statement that it follows. That statement must still be
 * the newest, and the new statement must say what a build would say of the list. A statement that is published already
 * is kept.
 *
 * @throws {@link RequestRejected} | {@link TreeRejected}
 */
export function followingStatement(
  subject: StatementSubject,
  { statement, rootKey }: SignedElsewhere,
  { predecessor, output: { named } }: Followed,
): PublicationStatement {
  assertStatementIntact(predecessor);
  const said = readPublicationStatement(statement);
  const published = predecessor?.statement;
  const isSameKey = predecessor?.rootKey?.thumbprint === rootKey.thumbprint;
  const isPublished = published?.text === statement || (isSameKey && published?.payload === said.payload);
  if (published !== undefined && isPublished) return published;
  if (said.previous !== (published && sha256(Buffer.from(published.text)))) {
    const found =
      published === undefined
        ? `${named}, which has no publication`
        : `publication ${published.sequence} in ${named}`;
    throw new RequestRejected(
      'ERR_REQUEST_OUTDATED',
      `the request for publication ${said.sequence} was not made for ${found}: ${ADVICE}`,
    );
  }
  assertNotAhead(formatUpdatedAt(said.issuedAt), Date.now());
  const input = statement.slice(0, statement.lastIndexOf('.'));
  assertExpectedStatement(input, subject, { rootKey, predecessor });
  return said;
}
