import { sha256Hex } from '../bytes/sha256.js';
import type { Steps } from '../bytes/steps.js';
import { RegistryError } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import type { RootKey } from '../keys/root-key.js';
import { verifySignature } from '../keys/signature.js';
import { listBytesSteps } from '../list/list-text.js';
import type { PublicationStatement } from '../statements/publication-statement.js';
import type { SignedPair } from '../statements/signed-list.js';
import { readSignature } from './list-files.js';
import type { RegistryFiles } from './registry-files.js';

/** What is signed: a list by its statement, under a root key. */
interface SignedBy {
  readonly statement: PublicationStatement;
  readonly rootKey: RootKey;
  /** Does long work. */
  readonly work: Work;
}

/** Does work in steps, with pauses if the caller needs them. */
export type Work = <T>(steps: Steps<T>) => Promise<T>;

/**
 * Rebuilds the bytes of a list from its records, for a store, and reads their signature from a source.
 *
 * @param issuers - sorted by id
 * @throws `ERR_PUBLICATION_MISMATCH` unless the bytes are those that the statement names, and the errors of the
 *   signature
 */
export async function rebuildList(
  files: RegistryFiles,
  issuers: readonly Issuer[],
  { statement, rootKey, work }: SignedBy,
): Promise<SignedPair> {
  const list = await work(listBytesSteps(issuers, statement.updatedAt));
  const sha256 = await sha256Hex(list);
  if (sha256 !== statement.sha256 || list.length !== statement.size) {
    throw new RegistryError(
      'ERR_PUBLICATION_MISMATCH',
      `the publication statement names the list ${statement.sha256}, but its tree of sums has the list ${sha256}`,
    );
  }
  const signature = await readSignature(files);
  if (signature === undefined)
    throw new RegistryError('ERR_SOURCE_STATUS', 'the source has no signature of its list');
  await verifySignature(list, signature, rootKey);
  return { list, signature };
}
