import { canonicalBytes } from '@passport-registry/verifier/core';
import { SharedKeyRejected } from '../../generator/errors.js';
import { sha256 } from '../../generator/tree/checksums.js';
import type { KeyGroup } from '../shared-key/key-group.js';
import { bytes32, type Message, readMessage } from '../shared-key/message.js';
import { type Agreement, CEREMONY_FILES, type Ceremony, DEALER, nameOf } from './ceremony-file.js';
import {
  groupFrom,
  hashesOf,
  type Joined,
  missingHolders,
  numbersOf,
  readAllJoined,
  readLater,
  readText,
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
  const parts =
    ceremony.splits === undefined ? await readParts(ceremony, joined) : [await readSplit(ceremony)];
  for (const part of parts) assertSawSame(ceremony, joined, part);
  const group = await groupFrom(ceremony, joined, splitCommitments(ceremony, parts[0]));
  const expected = ceremony.splits?.thumbprint ?? group.rootKey.thumbprint;
  if (group.rootKey.thumbprint !== expected) {
    throw new SharedKeyRejected(
      'ERR_OTHER_KEY',
      `${CEREMONY_FILES.split} does not split the key ${expected}`,
    );
  }
  const digest = digestOf(
    ceremony,
    hashesOf(joined),
    parts.map(({ sha256: hash }) => hash),
  );
  return { ceremony, joined, parts, group, digest };
}

/**
 * Returns the fingerprint of those who have joined: of the names, the threshold and the messages of the first round.
 * Before a key is split, its owner and the holders compare it, because the parts are encrypted to the keys in these
 * messages, and the key exists already.
 */
export function joinedDigest(ceremony: Agreement, joined: readonly Joined[]): string {
  return digestOf(ceremony, hashesOf(joined), []);
}

/** Returns the fingerprint of a ceremony. */
export function digestOf(
  { sha256: ceremony }: Agreement,
  join: readonly string[],
  parts: readonly string[],
): string {
  return sha256(canonicalBytes({ ceremony, join, parts }));
}

async function readParts(ceremony: Ceremony, joined: readonly Joined[]): Promise<readonly Message[]> {
  const found: Message[] = [];
  for (const holder of joined) {
    const file = CEREMONY_FILES.parts(holder.number);
    const message = await readLater(ceremony, holder, { type: 'registry-ceremony-parts+jwt', file });
    if (message !== undefined) found.push(message);
  }
  const missing = joined.filter(({ number }) => !found.some(({ holder }) => holder === number));
  if (missing.length > 0) {
    throw missingHolders(
      'not all holders have sent their parts of the key (`keys ceremony join`)',
      missing.map(({ name }) => name),
    );
  }
  return found;
}

async function readSplit(ceremony: Ceremony): Promise<Message> {
  const file = CEREMONY_FILES.split;
  const text = readText(ceremony, file);
  if (text === undefined) {
    throw new SharedKeyRejected(
      'ERR_HOLDERS_MISSING',
      `${file} is missing: the owner of the key runs \`keys ceremony split\` first`,
    );
  }
  const type = 'registry-ceremony-parts+jwt';
  const message = await readMessage(text, { type, number: 0, name: DEALER, file, key: ceremony.splits });
  if (message.claims['ceremony'] === ceremony.sha256) return message;
  throw new SharedKeyRejected('ERR_OTHER_KEY', `${file} belongs to another ceremony`);
}

/** The commitments of a key that a dealer has split. Undefined if the holders make a new key. */
export function splitCommitments(
  { splits, threshold }: Agreement,
  message: Message | undefined,
): readonly Uint8Array[] | undefined {
  if (splits === undefined) return undefined;
  const where = { file: CEREMONY_FILES.split, name: DEALER };
  const commitments = message?.claims['commitments'];
  if (Array.isArray(commitments) && commitments.length === threshold) {
    return commitments.map((value) => bytes32(value, where));
  }
  throw new SharedKeyRejected('ERR_HOLDER_MESSAGE', `${where.file} does not have ${threshold} commitments`);
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
    `${sender} has seen another ${CEREMONY_FILES.join(index + 1)}, by ${joined[index]?.name}, than the one in this folder: somebody ` +
      'may have replaced it. Ask both; then start a new ceremony',
  );
}

/** Reads the receipts of the holders. @returns those that exist, by number @throws {@link SharedKeyRejected} */
export async function readReceipts({ ceremony, joined, digest, group }: Transcript) {
  const receipts = new Map<number, Message>();
  for (const holder of joined) {
    const file = CEREMONY_FILES.receipt(holder.number);
    const message = await readLater(ceremony, holder, { type: 'registry-ceremony-receipt+jwt', file });
    if (message === undefined) continue;
    assertReceipt(message, { digest, root: group.rootKey.thumbprint, name: holder.name });
    receipts.set(holder.number, message);
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
    `the receipt of ${name} is for another fingerprint: ${name} has seen other messages than those in this folder`,
    { holder: name },
  );
}

/** The holders of whom something is missing. */
export function withoutMessage(ceremony: Ceremony, messages: ReadonlyMap<number, unknown>): string[] {
  return numbersOf(ceremony).flatMap((number) => (messages.has(number) ? [] : [nameOf(ceremony, number)]));
}
