import { canonicalBytes } from '@passport-registry/verifier/core';
import { sha256 } from '../../generator/tree/checksums.js';
import type { KeyGroup } from '../shared-key/key-group.js';
import { type ExpectedMessage, type Message, readMessageFile } from '../shared-key/message.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';
import { type Agreement, CEREMONY_FILES, type Ceremony, DEALER, nameOf } from './ceremony-file.js';
import {
  assertSameCeremony,
  groupFrom,
  hashesOf,
  type Joined,
  missingHolders,
  readAllJoined,
  readLater,
  withoutMessage,
} from './messages.js';

/** All public messages with which a key is made, verified. */
export interface Transcript {
  readonly ceremony: Ceremony;
  readonly joined: readonly Joined[];
  /** The messages with the encrypted parts of the key, in the order of the holders; one, if a dealer split a key. */
  readonly parts: readonly Message[];
  readonly group: KeyGroup;
  /** The fingerprint: SHA-256 over all messages, the names, the threshold and the keys, in hexadecimal. */
  readonly digest: string;
}

/** What all holders sign to test a key: words that no verifier takes for anything else. */
export function testPayload(digest: string): Uint8Array {
  return Buffer.from(`passport-registry test of a shared key\n${digest}\n`);
}

/**
 * Reads the messages with which the holders make a key, and verifies that all holders have seen the same ones.
 *
 * @throws {@link SharedKeyRejected} | {@link UsageError}
 */
export async function readTranscript(ceremony: Ceremony): Promise<Transcript> {
  const joined = await readAllJoined(ceremony);
  const dealt = ceremony.splits === undefined ? undefined : await readSplit(ceremony);
  const parts = dealt === undefined ? await readParts(ceremony, joined) : [dealt];
  for (const part of parts) assertSawSame(ceremony, joined, part);
  const group = await groupFrom(ceremony, joined, dealt);
  const hashes = parts.map(({ sha256: hash }) => hash);
  return { ceremony, joined, parts, group, digest: digestOf(ceremony, joined, hashes) };
}

/**
 * Returns the fingerprint of a ceremony: of the names, the threshold and all messages.
 *
 * @param parts - the hashes of the messages of the second round. Without them, the fingerprint of those who have joined:
 *   before a key is split, its owner and the holders compare it, because the parts are encrypted to the keys in these
 *   messages, and the key exists already
 */
export function digestOf(
  { sha256: ceremony }: Agreement,
  joined: readonly Joined[],
  parts: readonly string[] = [],
): string {
  return sha256(canonicalBytes({ ceremony, join: hashesOf(joined), parts }));
}

async function readParts(ceremony: Ceremony, joined: readonly Joined[]): Promise<readonly Message[]> {
  const found = await readLater(ceremony, joined, 'parts');
  const missing = withoutMessage(ceremony, found.keys());
  if (missing.length === 0) return [...found.values()];
  throw missingHolders('not all holders have sent their parts of the key (`keys ceremony join`)', missing);
}

async function readSplit(ceremony: Ceremony): Promise<Message> {
  const file = CEREMONY_FILES.split;
  const expected: ExpectedMessage = {
    type: 'registry-ceremony-parts+jwt',
    number: 0,
    name: DEALER,
    file,
    key: ceremony.splits,
  };
  const message = await readMessageFile(ceremony.folder, expected);
  if (message === undefined) {
    throw new SharedKeyRejected(
      'ERR_HOLDERS_MISSING',
      `${file} is missing: the owner of the key runs \`keys ceremony split\` first`,
    );
  }
  assertSameCeremony(ceremony, message, expected);
  return message;
}

/** Asserts that the sender of parts has seen the messages of the first round that are in the folder. */
function assertSawSame(ceremony: Ceremony, joined: readonly Joined[], { claims, holder }: Message): void {
  const seen = claims['joined'];
  const hashes = hashesOf(joined);
  const sender = holder === 0 ? DEALER : nameOf(ceremony, holder);
  if (!Array.isArray(seen) || seen.length !== hashes.length) {
    throw new SharedKeyRejected(
      'ERR_HOLDER_MESSAGE',
      `the parts by ${sender} do not name the messages of the first round`,
      { holder: sender },
    );
  }
  const index = hashes.findIndex((hash, at) => seen[at] !== hash);
  if (index === -1) return;
  // Nobody is to blame: the message may have been replaced, and the sender may be wrong.
  throw new SharedKeyRejected(
    'ERR_CEREMONY_CHANGED',
    `${sender} has seen another ${CEREMONY_FILES.join(index + 1)}, by ${joined[index]?.name}, than the one in this folder: ask both, and ` +
      'start a new ceremony',
  );
}

/** Reads the receipts of the holders. @returns those that exist, by number @throws {@link SharedKeyRejected} */
export async function readReceipts({ ceremony, joined, digest, group }: Transcript) {
  const receipts = await readLater(ceremony, joined, 'receipt');
  for (const [number, receipt] of receipts) {
    const name = nameOf(ceremony, number);
    assertReceipt(receipt, { digest, root: group.rootKey.thumbprint, name });
  }
  return receipts;
}

/** Asserts that a receipt is for this key and this fingerprint. @throws {@link SharedKeyRejected} */
export function assertReceipt(
  { claims }: Message,
  { digest, root, name }: { readonly digest: string; readonly root: string; readonly name: string },
): void {
  if (claims['digest'] === digest && claims['root'] === root) return;
  throw new SharedKeyRejected(
    'ERR_CEREMONY_CHANGED',
    `the receipt of ${name} is for another fingerprint: ${name} has seen other messages than those here`,
    { holder: name },
  );
}
