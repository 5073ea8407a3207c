import { isValidIssuerId } from '../generated/predicates.js';
import type { Issuer } from '../generated/schemas.js';
import { readRecord } from '../list/record.js';
import {
  type NamedSums,
  placeOf,
  prefixesTo,
  readSums,
  recordPath,
  type Sums,
  sumsPath,
} from './sums-file.js';

/** Provides files whose hashes are known. `readHashedFile` reads one from a source. */
export interface HashedFiles {
  /** Announces files that may be needed, so that they can be requested side by side. */
  request(paths: readonly string[]): void;
  /**
   * Returns a parsed file.
   *
   * @param sha256 - the expected SHA-256, in lower-case hexadecimal
   * @param parse - parses the bytes, once their hash has been verified
   */
  read<T>(path: string, sha256: string, parse: (bytes: Uint8Array) => T): Promise<T>;
}

/**
 * Reads the record of an issuer, with its proof (rule sums-proof): each file must have the SHA-256 that the file above
 * it names, from the publication statement through `sums/root` to the leaf and the record. All paths follow from the
 * id.
 *
 * @returns undefined if the files prove that the list has no such issuer: an inner file does not list the branch, or the
 *   leaf does not list the record; and, without a request, for what is no valid `issuer_id`
 * @throws the errors of `files`; `ERR_SUMS_INVALID` | `ERR_RECORD_INVALID`
 */
export async function readProvenRecord(
  issuerId: string,
  { sumsSha256, levels }: NamedSums,
  files: HashedFiles,
): Promise<Issuer | undefined> {
  // No list contains it, and a path made of it could lead anywhere.
  if (!isValidIssuerId(issuerId)) return undefined;
  const prefixes = prefixesTo(placeOf(issuerId), levels);
  const paths = [...prefixes.map(sumsPath), recordPath(issuerId)];
  files.request(paths);
  let sha256: string | undefined = sumsSha256;
  for (const [index, prefix] of prefixes.entries()) {
    const sums: Sums = await files.read(paths[index] as string, sha256, (bytes) =>
      readSums(bytes, { prefix, levels }),
    );
    sha256 = sums.get(paths[index + 1] as string);
    if (sha256 === undefined) return undefined;
  }
  return files.read(recordPath(issuerId), sha256, (bytes) => readRecord(bytes, issuerId));
}
