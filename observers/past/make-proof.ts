import type { IssuerRegistry } from '@passport-registry/verifier';
import {
  decodeUtf8,
  formatHistoryProof,
  placeOf,
  prefixesTo,
  sumsPath,
} from '@passport-registry/verifier/core';
import { recordsBytes } from '../../generator/list/list.js';
import { sumsOfList } from '../../generator/tree/sums.js';
import type { PastPublication } from './past-publication.js';

/**
 * Makes a file that proves what a publication of the past said of an issuer. The sums files of an old list are not kept, so
 * they are computed anew.
 *
 * @param publication - with a proof
 * @param list - the list of the publication
 */
export function makeHistoryProof(
  issuerId: string,
  { statement, root, proof }: PastPublication,
  { issuers }: IssuerRegistry,
): string {
  if (proof === undefined) throw new TypeError('nothing proves when the publication was in force');
  const records = recordsBytes(issuers);
  const record = records.get(issuerId);
  // With the number of levels that the statement names, the tree is the one that it names.
  const { files } = sumsOfList({ records }, statement.levels);
  const sums = prefixesTo(placeOf(issuerId), statement.levels).flatMap((prefix) => {
    const bytes = files.get(sumsPath(prefix));
    return bytes === undefined ? [] : [decodeUtf8(bytes)];
  });
  const { first_proof, last_proof, later_entries } = proof;
  return formatHistoryProof({
    ...{ first_proof, last_proof, later_entries, sums },
    issuer_id: issuerId,
    publication: statement.text,
    rotation: root.rotation,
    ...(record !== undefined && { record: decodeUtf8(record) }),
  });
}
