import { readList } from '@passport-registry/verifier';
import { TreeRejected } from './errors.js';
import { type ListBytes, listBytes } from './list.js';

/**
 * Verifies a list that is made of records which were verified before, and of some that are new: those as a list of their own, by
 * schema, order and canonical form; and that the list is made of all records, in order, and of nothing else. Its signature has been
 * verified when it was made.
 *
 * @param changed - the records that are new
 * @throws {@link TreeRejected}
 */
export function assertChangeGood(list: ListBytes, changed: ReadonlyMap<string, Uint8Array>): void {
  try {
    const { issuers } = readList(listBytes(changed, list.updatedAt).list);
    const ids = issuers.map(({ issuer_id }) => issuer_id);
    if (ids.join() !== [...changed.keys()].join()) throw new Error('a new record is not the one of its id');
    assertMadeOf(list);
  } catch (cause) {
    throw new TreeRejected(`the new list does not stand its verification: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function assertMadeOf({ list, records, updatedAt }: ListBytes): void {
  let end = '{"issuers":['.length;
  let before = '';
  for (const [id, bytes] of records) {
    const inPlace = list.subarray(end, end + bytes.length);
    if (id <= before || Buffer.compare(inPlace, bytes) !== 0) throw new Error(`${id} is not in its place`);
    end += bytes.length + ','.length;
    before = id;
  }
  const around = Buffer.concat([list.subarray(0, '{"issuers":['.length), list.subarray(end - ','.length)]);
  if (around.toString() !== `{"issuers":[],"updated_at":"${updatedAt}"}`)
    throw new Error('it holds something else');
}
