import { base64url, jcs, sha256Hex, utf8 } from './encoding.js';
import { jwt, type Members } from './jwt.js';
import { type Key, key } from './keys.js';

/** The record of a ceremony in which a dealer has split a root key for two holders (docs/protocol/holders.md#holders-record). */

/** What is not as it should be. Members that are undefined are left out. */
export interface OddRecord {
  readonly record?: Members;
  readonly ceremony?: Members;
  /** Claims of the message of the first holder, of the dealer, and of the receipt of the first holder. */
  readonly join?: Members;
  readonly split?: Members;
  readonly receipt?: Members;
  /** The names of the keys that sign the receipt of the first holder, and the test. */
  readonly receiptBy?: string;
  readonly testBy?: string;
}

const HOLDERS = ['Ada', 'Grace'];
const messageKey = (number: number) => key(`holder ${number}`);
/** The text of a JWE: only its recipient can read it, so that a reader of the record sees no more than its form. */
const JWE = ['e30', '', 'AAAA', 'AAAA', 'AAAA'].join('.');

/** A message of a ceremony. Its key is known, so that it has no `kid`. */
const message = (by: Key, typ: string, claims: Members) => jwt(by, { typ, kid: undefined }, claims);

/** Makes a record of the root key of a golden tree. */
export function holdersRecord(root: Key, odd: OddRecord = {}): string {
  const content = { holders: HOLDERS, id: 'A'.repeat(22), splits: root.jwk, threshold: 2, ...odd.ceremony };
  const ceremony = sha256Hex(utf8(jcs(content)));
  const joins = HOLDERS.map((_name, at) =>
    message(messageKey(at + 1), 'registry-ceremony-join+jwt', {
      ...{
        ceremony,
        holder: at + 1,
        key: messageKey(at + 1).jwk,
        encryption: key(`p256 holder ${at + 1}`).jwk,
      },
      ...(at === 0 && odd.join),
    }),
  );
  const joined = joins.map((text) => sha256Hex(utf8(text)));
  const commitments = [root, key('slope')].map(({ publicKey }) => base64url(publicKey));
  const split = message(root, 'registry-ceremony-parts+jwt', {
    ...{ ceremony, holder: 0, joined, parts: { 1: JWE, 2: JWE }, commitments },
    ...odd.split,
  });
  const digest = sha256Hex(utf8(jcs({ ceremony, join: joined, parts: [sha256Hex(utf8(split))] })));
  const receipts = HOLDERS.map((_name, at) =>
    message(at === 0 ? key(odd.receiptBy ?? 'holder 1') : messageKey(2), 'registry-ceremony-receipt+jwt', {
      ...{ ceremony, holder: at + 1, digest, root: root.thumbprint },
      ...(at === 0 && odd.receipt),
    }),
  );
  const by = odd.testBy === undefined ? root : key(odd.testBy);
  const test = base64url(by.sign(utf8(`passport-registry test of a shared key\n${digest}\n`)));
  return JSON.stringify({ ceremony: content, join: joins, split, receipts, test, ...odd.record });
}
