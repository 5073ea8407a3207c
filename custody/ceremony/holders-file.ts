import { verifySignature } from '@passport-registry/verifier';
import { encodeSignature, isObject } from '@passport-registry/verifier/core';
import type { KeyGroup } from '../shared-key/key-group.js';
import { type Message, readMessage } from '../shared-key/message.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';
import { CEREMONY_FILES, DEALER, parseCeremony, parseRecord } from './ceremony-file.js';
import {
  assertProven,
  groupFrom,
  type Joined,
  parseJoined,
  readText as readCeremonyText,
} from './messages.js';
import { assertReceipt, digestOf, type Transcript, testPayload } from './transcript.js';

/** Returns the files that a finished ceremony adds to its folder, by name. The same messages give the same bytes. */
export function recordFiles(
  { ceremony, joined, parts, group }: Transcript,
  receipts: ReadonlyMap<number, Message>,
  testSignature: Uint8Array,
): ReadonlyMap<string, string> {
  const [dealt] = parts;
  const holders = {
    ceremony: parseRecord(readCeremonyText(ceremony, CEREMONY_FILES.ceremony) ?? '', CEREMONY_FILES.ceremony),
    join: joined.map(({ message }) => message.text),
    parts: ceremony.splits === undefined ? parts.map(({ sha256 }) => sha256) : undefined,
    split: ceremony.splits === undefined ? undefined : dealt?.text,
    receipts: joined.map(({ number }) => receipts.get(number)?.text),
    test: encodeSignature(testSignature),
  };
  const root = { ...group.rootKey.jwk, kid: group.rootKey.thumbprint };
  return new Map([
    [CEREMONY_FILES.holders, `${JSON.stringify(holders, null, 2)}\n`],
    [CEREMONY_FILES.root, `${JSON.stringify(root, null, 2)}\n`],
  ]);
}

/** The maximum size of a record in bytes. */
export const MAX_HOLDERS_BYTES = 64 * 1024;

/**
 * Verifies the public record of a ceremony: who holds a shared key. The record proves that the holders' messages make this
 * key, and that each named message key has signed a receipt. It cannot prove who the holders are, that they are different
 * people, or that nobody has kept a key that was split.
 *
 * @param source - the name of the file, for errors
 * @throws {@link SharedKeyRejected}
 */
export async function parseHolders(json: Uint8Array | string, source: string): Promise<KeyGroup> {
  const invalid = (what: string, cause?: unknown) =>
    new SharedKeyRejected('ERR_HOLDER_MESSAGE', `${source} ${what}`, { cause });
  const record = parseRecord(json, source);
  if (!isObject(record) || !isObject(record['ceremony']))
    throw invalid('is not the record of a ceremony: it is the file holders.json of its folder');
  const { ceremony: content, join, parts, split, receipts, test, ...others } = record;
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(`has the unknown member ${other}`);
  // A member that nothing verifies would be a place for false claims.
  if (parts !== undefined && split !== undefined) throw invalid('is malformed');
  const ceremony = await parseCeremony(content, source);
  const texts = (value: unknown, count: number, form = /^/): string[] => {
    const isText = (one: unknown) => typeof one === 'string' && form.test(one);
    if (Array.isArray(value) && value.length === count && value.every(isText)) return value;
    throw invalid('is malformed');
  };
  const stringOf = (value: unknown): string => {
    if (typeof value === 'string') return value;
    throw invalid('is malformed');
  };
  const joined: Joined[] = [];
  for (const [index, message] of texts(join, ceremony.holders).entries()) {
    joined.push(await parseJoined(ceremony, index + 1, message));
  }
  assertProven(ceremony, joined);
  const dealt =
    ceremony.splits === undefined
      ? undefined
      : await readMessage(stringOf(split), {
          type: 'registry-ceremony-parts+jwt',
          number: 0,
          name: DEALER,
          file: source,
          key: ceremony.splits,
        });
  const group = await groupFrom(ceremony, joined, dealt && { ...dealt, record: source });
  const hashes = dealt === undefined ? texts(parts, ceremony.holders, /^[0-9a-f]{64}$/) : [dealt.sha256];
  const digest = digestOf(ceremony, joined, hashes);
  const root = group.rootKey.thumbprint;
  for (const [index, receipt] of texts(receipts, ceremony.holders).entries()) {
    const { number, name, messageKey: key } = joined[index] as Joined;
    const expected = { type: 'registry-ceremony-receipt+jwt', number, name, file: source, key } as const;
    assertReceipt(await readMessage(receipt, expected), { digest, root, name });
  }
  await verifySignature(testPayload(digest), stringOf(test), group.rootKey).catch((cause) => {
    throw invalid('has a test signature that is not valid', cause);
  });
  return group;
}
