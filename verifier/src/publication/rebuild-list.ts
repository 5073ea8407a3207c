import { BackgroundWork } from '../encoding/background-work.js';
import { sha256Hex } from '../encoding/sha256.js';
import { PublicationMismatch, SourceStatus } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import { listBytesSteps } from '../list/list-text.js';
import type { PublicationStatement } from '../trust/publication-statement.js';
import type { RootKey } from '../trust/root-key.js';
import { verifySignature } from '../trust/signature.js';
import type { RegistryFiles } from './registry-files.js';
import { readFromFolders, readSignature, type SignedPair, snapshotOf } from './signed-pair.js';

/** What is signed: a list by its statement, under a root key. */
interface SignedBy {
  readonly statement: PublicationStatement;
  readonly root: RootKey;
}

/**
 * Rebuilds the bytes of a list from its records, for a store, and reads their signature from a source.
 *
 * @param issuers - sorted by id
 * @throws {@link PublicationMismatch} unless the bytes are those that the statement names, and the errors of the
 *   signature
 */
export async function rebuildList(
  files: RegistryFiles,
  issuers: readonly Issuer[],
  { statement, root }: SignedBy,
): Promise<SignedPair> {
  const list = await new BackgroundWork(listBytesSteps(issuers, statement.updatedAt)).result;
  const sha256 = await sha256Hex(list);
  if (sha256 !== statement.sha256 || list.length !== statement.size) {
    throw new PublicationMismatch(
      `the publication statement names the list ${statement.sha256}, but its tree of sums has the list ${sha256}`,
    );
  }
  const signature = await readFromFolders([snapshotOf(statement), ''], async (folder) => {
    const found = await readSignature(files, folder);
    if (found !== undefined) await verifySignature(list, found, root);
    return found;
  });
  if (signature === undefined) throw new SourceStatus('the source has no signature of its list');
  return { list, signature };
}
