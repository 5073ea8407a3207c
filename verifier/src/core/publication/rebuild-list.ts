import { sha256Hex } from '../bytes/sha256.js';
import type { Steps } from '../bytes/steps.js';
import { RegistryError } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import { listBytesSteps } from '../list/list-text.js';
import type { PublicationStatement } from '../statements/publication-statement.js';

/** Does work in steps, with pauses if the caller needs them. */
export type Work = <T>(steps: Steps<T>) => Promise<T>;

/**
 * Rebuilds the bytes of a list from its records, for a store.
 *
 * @param issuers - sorted by id
 * @param work - does long work
 * @throws `ERR_PUBLICATION_MISMATCH` unless the bytes are those that the statement names
 */
export async function rebuildList(
  issuers: readonly Issuer[],
  { updatedAt, sha256, size }: PublicationStatement,
  work: Work,
): Promise<Uint8Array> {
  const list = await work(listBytesSteps(issuers, updatedAt));
  const found = await sha256Hex(list);
  if (found === sha256 && list.length === size) return list;
  throw new RegistryError(
    'ERR_PUBLICATION_MISMATCH',
    `the tree of sums has the list ${found}, but the publication names ${sha256}`,
  );
}
