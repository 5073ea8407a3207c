import { join } from 'node:path';
import { importRootKey, type RootKey } from '@passport-registry/verifier';
import { SharedKeyRejected } from '../../generator/errors.js';
import { readIfExists } from '../../generator/files/read-file.js';
import { nameHolders } from '../../generator/tree/held-by.js';
import { type Contribution, groupOf, wrongContributions } from '../shared-key/frost.js';
import { type KeyGroup, keyGroup } from '../shared-key/key-group.js';
import {
  bytes32,
  type ExpectedMessage,
  type Message,
  readMessage,
  readMessageFile,
} from '../shared-key/message.js';
import { type Agreement, CEREMONY_FILES, type Ceremony, nameOf } from './ceremony-file.js';

/** What a holder has published in the first round. */
export interface Joined {
  readonly number: number;
  readonly name: string;
  /** Verifies the messages of the holder. */
  readonly messageKey: RootKey;
  /** The public ECDH key (P-256) to which others encrypt. */
  readonly encryptionKey: RootKey;
  /** Undefined if a dealer splits a key. */
  readonly contribution: Contribution | undefined;
  readonly message: Message;
}

/** Reads a file of the ceremony as text. Undefined if it does not exist. */
export function readText({ folder }: Pick<Ceremony, 'folder'>, name: string): string | undefined {
  return readIfExists(join(folder, name))?.toString('utf8').trim();
}

/** Reads the message of the first round of one holder. Undefined if it does not exist. @throws {@link SharedKeyRejected} */
export async function readJoined(ceremony: Ceremony, number: number): Promise<Joined | undefined> {
  const message = await readMessageFile(ceremony.folder, joinOf(ceremony, number));
  return message === undefined ? undefined : readJoinedClaims(ceremony, number, message);
}

/** Parses the message of the first round of one holder. @throws {@link SharedKeyRejected} */
export async function parseJoined(ceremony: Agreement, number: number, text: string): Promise<Joined> {
  return readJoinedClaims(ceremony, number, await readMessage(text, joinOf(ceremony, number)));
}

/** What the message of the first round of a holder must be. */
function joinOf(agreement: Agreement, number: number): ExpectedMessage {
  const [file, name] = [CEREMONY_FILES.join(number), nameOf(agreement, number)];
  return { type: 'registry-ceremony-join+jwt', number, name, file, key: undefined };
}

async function readJoinedClaims(ceremony: Agreement, number: number, message: Message): Promise<Joined> {
  const expected = joinOf(ceremony, number);
  const { file, name } = expected;
  assertSameCeremony(ceremony, message, expected);
  const { key, encryption, commitments, proof } = message.claims;
  const invalid = (what: string, cause?: unknown) =>
    new SharedKeyRejected('ERR_HOLDER_MESSAGE', `${file}, by ${name}, ${what}`, { holder: name, cause });
  const imported = (jwk: unknown) =>
    importRootKey(jwk).catch((cause) => {
      throw invalid(`has a key that is not valid: ${cause.message}`, cause);
    });
  const [messageKey, encryptionKey] = [await imported(key), await imported(encryption)];
  if (messageKey.algorithm !== 'Ed25519' || encryptionKey.algorithm !== 'ES256') {
    throw invalid('has a key of the wrong type');
  }
  const own = { number, name, messageKey, encryptionKey, message };
  if (ceremony.splits !== undefined) return { ...own, contribution: undefined };
  if (typeof proof !== 'string') throw invalid('has no proof');
  if (!Array.isArray(commitments) || commitments.length !== ceremony.threshold) {
    throw invalid(`does not have ${ceremony.threshold} commitments`);
  }
  const contribution = {
    number,
    commitments: commitments.map((value) => bytes32(value, expected)),
    proof: new Uint8Array(Buffer.from(proof, 'base64url')),
  };
  return { ...own, contribution };
}

/**
 * Reads the first round of all holders, and verifies the proofs that each knows the secret of his contribution.
 *
 * @throws {@link SharedKeyRejected}
 */
export async function readAllJoined(ceremony: Ceremony): Promise<readonly Joined[]> {
  const all: Joined[] = [];
  for (const number of numbersOf(ceremony)) {
    const joined = await readJoined(ceremony, number);
    if (joined !== undefined) all.push(joined);
  }
  const missing = ceremony.names.filter((name) => !all.some((joined) => joined.name === name));
  if (missing.length > 0) throw missingHolders('not all holders have joined', missing);
  assertProven(ceremony, all);
  return all;
}

/** Asserts that each holder knows the secret of his contribution. @throws {@link SharedKeyRejected} */
export function assertProven(ceremony: Agreement, all: readonly Joined[]): void {
  const contributions = all.flatMap(({ contribution }) => contribution ?? []);
  if (contributions.length === 0) return;
  const [wrong] = wrongContributions(contributions, ceremony);
  if (wrong === undefined) return;
  const name = nameOf(ceremony, wrong);
  throw new SharedKeyRejected(
    'ERR_KEY_PART',
    `${CEREMONY_FILES.join(wrong)}, by ${name}, does not prove that ${name} knows the secret of this contribution`,
    { holder: name },
  );
}

/** The error if messages of holders are missing. */
export function missingHolders(what: string, names: readonly string[]): SharedKeyRejected {
  return new SharedKeyRejected('ERR_HOLDERS_MISSING', `${what} yet: ${nameHolders(names)}`);
}

/** The numbers of all holders. */
export const numbersOf = ({ holders }: Agreement): number[] =>
  Array.from({ length: holders }, (_, index) => index + 1);

/** Reads a later message of a holder. Undefined if it does not exist. @throws {@link SharedKeyRejected} */
export async function readLater(
  ceremony: Ceremony,
  { number, messageKey }: Pick<Joined, 'number' | 'messageKey'>,
  { type, file }: Pick<ExpectedMessage, 'type' | 'file'>,
): Promise<Message | undefined> {
  const expected = { type, number, name: nameOf(ceremony, number), file, key: messageKey };
  const message = await readMessageFile(ceremony.folder, expected);
  if (message !== undefined) assertSameCeremony(ceremony, message, expected);
  return message;
}

/** Asserts that a message belongs to the ceremony. @throws {@link SharedKeyRejected} */
function assertSameCeremony(
  { sha256: hash }: Agreement,
  { claims }: Message,
  { file, name }: { readonly file: string; readonly name: string },
): void {
  if (claims['ceremony'] === hash) return;
  throw new SharedKeyRejected(
    'ERR_OTHER_KEY',
    `${file}, by ${name}, belongs to another ceremony, or ${CEREMONY_FILES.ceremony} was changed since`,
    { holder: name },
  );
}

/** The SHA-256 of each message of the first round, in the order of the holders. */
export const hashesOf = (all: readonly Joined[]): string[] => all.map(({ message }) => message.sha256);

/** Returns the group that a ceremony makes. @param commitments - of a key that a dealer has split @throws {@link SharedKeyRejected} */
export function groupFrom(
  ceremony: Agreement,
  all: readonly Joined[],
  commitments?: readonly Uint8Array[],
): Promise<KeyGroup> {
  const contributions = all.flatMap(({ contribution }) => contribution ?? []);
  return keyGroup(
    commitments ?? groupOf(contributions, ceremony).commitments,
    all.map(({ number, name, messageKey }) => ({ number, name, x: messageKey.jwk.x })),
  );
}
