import { RegistryError, type RootKey, verifyList } from '@passport-registry/verifier';
import { ANY_TIME, verifyPublicationStatement } from '@passport-registry/verifier/internal';
import { KeyRejected, TreeRejected } from '../errors.js';
import { assertExpectedStatement } from '../publishing/expected-statement.js';
import { sha256 } from '../tree/checksums.js';
import { type PreviousFiles, readRequestFiles } from './request-files.js';
import {
  bytesOfList,
  describeRequest,
  type PreviousPublication,
  readRequestedList,
  type SigningRequest,
  subjectOf,
} from './signing-request.js';

/**
 * Reads a signing request, and trusts nothing but the root key. The root key must have signed the previous list and the
 * previous publication statement. The new list must be valid, and later unless it is the previous one. The tree of sums
 * and the statement are computed anew, and the difference is computed from the two lists.
 *
 * @param previousRootKey - the previous root key, if this is the first list under a new root key
 * @throws {@link UsageError} | {@link TreeRejected} | {@link KeyRejected} | {@link IoFailed}
 */
export async function readSigningRequest(
  folder: string,
  rootKey: RootKey,
  previousRootKey: RootKey | undefined,
): Promise<SigningRequest> {
  const files = readRequestFiles(folder);
  const previous = files.previous && (await readPrevious(files.previous, previousRootKey ?? rootKey, folder));
  const registry = readRequestedList(files.list, `the list in ${folder}`);
  const hash = sha256(files.list);
  const kept = hash === previous?.sha256;
  const before = previous?.registry.updated_at;
  if (before !== undefined && !kept && registry.updated_at <= before) {
    throw new TreeRejected(`the list is dated ${registry.updated_at}, not later than the previous list`);
  }
  if (kept && previousRootKey !== undefined) {
    throw new TreeRejected(
      `the list in ${folder} is the published one, which the new root key has not signed: make a new request`,
    );
  }
  const predecessor = previous && {
    statement: previous.statement,
    hasStatement: previous.statement !== undefined,
  };
  const subject = subjectOf(bytesOfList(files.list, registry), previous?.statement?.levels ?? 0);
  const statement = assertExpectedStatement(files.statement, subject, { rootKey, predecessor });
  const requested = { list: files.list, registry, sha256: hash, input: files.statement, statement };
  const keys = { rootKey, previous: previous && (previousRootKey ?? rootKey) };
  const changes = describeRequest(requested, previous, keys);
  return { ...requested, previous, kept, changes };
}

async function readPrevious(
  { list, signature, statement: bytes }: PreviousFiles,
  rootKey: RootKey,
  folder: string,
): Promise<PreviousPublication> {
  const { registry, sha256: hash } = await verifyList({ list, signature, rootKey }).catch((cause) => {
    throw refusal(cause, folder, rootKey);
  });
  if (bytes === undefined) return { registry, sha256: hash, signature, statement: undefined };
  const statement = await verifyPublicationStatement(bytes, rootKey, ANY_TIME).catch((cause) => {
    throw refusal(cause, folder, rootKey);
  });
  if (statement.sha256 !== hash) {
    throw new TreeRejected(
      `${folder} does not follow one publication: previous/publication.jwt names another list than previous/issuers.json; make a new request`,
    );
  }
  return { registry, sha256: hash, signature, statement: { ...statement, text: bytes.toString('utf8') } };
}

function refusal(cause: unknown, folder: string, { thumbprint }: RootKey): unknown {
  if (!(cause instanceof RegistryError)) return cause;
  if (!cause.code.startsWith('ERR_SIGNATURE') && cause.code !== 'ERR_PUBLICATION_INVALID') {
    return new TreeRejected(`${folder} does not follow a valid list: ${cause.code}, ${cause.message}`, {
      cause,
    });
  }
  return new KeyRejected(
    `the publication that ${folder} follows is not signed by ${thumbprint}: sign with the root key of that registry; ` +
      `after a rotation, name the previous key with --previous-root-key (${cause.message})`,
    { cause },
  );
}
