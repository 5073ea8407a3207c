import { join } from 'node:path';
import { importRootKey, type RootKey } from '@passport-registry/verifier';
import { readIfExists } from '../../generator/files/read-file.js';
import { type Contribution, groupOf, wrongContributions } from '../shared-key/key-generation.js';
import { type KeyGroup, keyGroup, nameHolders } from '../shared-key/key-group.js';
import {
  bytes32,
  type ExpectedMessage,
  type Message,
  type MessageSource,
  readMessage,
  readMessageFile,
  refusedMessage,
} from '../shared-key/message.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';
import { type Agreement, CEREMONY_FILES, type Ceremony, DEALER, nameOf } from './ceremony-file.js';

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

/** Reads the messages of the first round. @returns also the names of those who have not joined @throws {@link SharedKeyRejected} */
export async function readJoined(
  ceremony: Ceremony,
): Promise<{ readonly joined: readonly Joined[]; readonly missing: readonly string[] }> {
  const joined: Joined[] = [];
  for (let number = 1; number <= ceremony.holders; number++) {
    const message = await readMessageFile(ceremony.folder, joinOf(ceremony, number));
    if (message !== undefined) joined.push(await joinedBy(ceremony, message));
  }
  const numbers = joined.map(({ number }) => number);
  return { joined, missing: withoutMessage(ceremony, numbers) };
}

/** Parses the message of the first round of one holder. @throws {@link SharedKeyRejected} */
export async function parseJoined(ceremony: Agreement, number: number, text: string): Promise<Joined> {
  return joinedBy(ceremony, await readMessage(text, joinOf(ceremony, number)));
}

/** What the message of the first round of a holder must be. */
function joinOf(agreement: Agreement, number: number): ExpectedMessage {
  const file = CEREMONY_FILES.join(number);
  const name = nameOf(agreement, number);
  return { type: 'registry-ceremony-join+jwt', number, name, file, key: undefined };
}

async function joinedBy(ceremony: Agreement, message: Message): Promise<Joined> {
  const number = message.holder;
  const expected = joinOf(ceremony, number);
  assertSameCeremony(ceremony, message, expected);
  const { key, encryption, commitments, proof } = message.claims;
  const invalid = (what: string, cause?: unknown) =>
    refusedMessage({ ...expected, cause }, 'ERR_HOLDER_MESSAGE', what);
  const imported = (jwk: unknown) =>
    importRootKey(jwk).catch((cause) => {
      throw invalid(`has a key that is not valid: ${cause.message}`, cause);
    });
  const messageKey = await imported(key);
  const encryptionKey = await imported(encryption);
  if (messageKey.algorithm !== 'Ed25519' || encryptionKey.algorithm !== 'ES256') {
    throw invalid('has a key of the wrong type');
  }
  const own = { number, name: expected.name, messageKey, encryptionKey, message };
  if (ceremony.splits !== undefined) return { ...own, contribution: undefined };
  if (typeof proof !== 'string') throw invalid('has no proof');
  const contribution = {
    number,
    commitments: commitmentsIn(commitments, ceremony, expected),
    proof: new Uint8Array(Buffer.from(proof, 'base64url')),
  };
  return { ...own, contribution };
}

/** Decodes the commitments to a polynomial in a message. @throws {@link SharedKeyRejected} */
function commitmentsIn(claim: unknown, { threshold }: Agreement, source: MessageSource): Uint8Array[] {
  if (Array.isArray(claim) && claim.length === threshold) return claim.map((value) => bytes32(value, source));
  throw refusedMessage(source, 'ERR_HOLDER_MESSAGE', `does not have ${threshold} commitments`);
}

/**
 * Reads the first round of all holders, and verifies the proofs that each knows the secret of his contribution.
 *
 * @throws {@link SharedKeyRejected}
 */
export async function readAllJoined(ceremony: Ceremony): Promise<readonly Joined[]> {
  const { joined, missing } = await readJoined(ceremony);
  if (missing.length > 0) throw missingHolders('not all holders have joined', missing);
  assertProven(ceremony, joined);
  return joined;
}

/** Asserts that each holder knows the secret of his contribution. @throws {@link SharedKeyRejected} */
export function assertProven(ceremony: Agreement, all: readonly Joined[]): void {
  const contributions = all.flatMap(({ contribution }) => contribution ?? []);
  if (contributions.length === 0) return;
  const [wrong] = wrongContributions(contributions, ceremony);
  if (wrong === undefined) return;
  const { file, name } = joinOf(ceremony, wrong);
  const problem = `does not prove that ${name} knows the secret of this contribution`;
  throw refusedMessage({ file, name }, 'ERR_KEY_PART', problem);
}

/** The error if messages of holders are missing. */
export function missingHolders(what: string, names: readonly string[]): SharedKeyRejected {
  return new SharedKeyRejected('ERR_HOLDERS_MISSING', `${what} yet: ${nameHolders(names)}`);
}

/** The names of the holders of whom a message is missing. @param numbers - the holders of whom it is there */
export function withoutMessage({ names }: Agreement, numbers: Iterable<number>): string[] {
  const there = new Set(numbers);
  return names.filter((_name, index) => !there.has(index + 1));
}

/** Reads a later message of each holder. @returns those that exist, by number @throws {@link SharedKeyRejected} */
export async function readLater(
  ceremony: Ceremony,
  joined: readonly Joined[],
  kind: 'parts' | 'receipt',
): Promise<ReadonlyMap<number, Message>> {
  const found = new Map<number, Message>();
  for (const { number, name, messageKey: key } of joined) {
    const file = CEREMONY_FILES[kind](number);
    const expected = { type: `registry-ceremony-${kind}+jwt`, number, name, file, key } as const;
    const message = await readMessageFile(ceremony.folder, expected);
    if (message === undefined) continue;
    assertSameCeremony(ceremony, message, expected);
    found.set(number, message);
  }
  return found;
}

/** Asserts that a message belongs to the ceremony. @throws {@link SharedKeyRejected} */
export function assertSameCeremony({ sha256 }: Agreement, { claims }: Message, source: MessageSource): void {
  if (claims['ceremony'] === sha256) return;
  const problem = `belongs to another ceremony, or ${CEREMONY_FILES.ceremony} was changed since`;
  throw refusedMessage(source, 'ERR_OTHER_KEY', problem);
}

/** The SHA-256 of each message of the first round, in the order of the holders. */
export const hashesOf = (all: readonly Joined[]): string[] => all.map(({ message }) => message.sha256);

/** The message of a dealer. */
interface Dealt extends Message {
  /** The name of the public record that contains it. By default, it is a file of its own. */
  readonly record?: string;
}

/** Returns the group that a ceremony makes. @throws {@link SharedKeyRejected} */
export async function groupFrom(
  ceremony: Agreement,
  all: readonly Joined[],
  dealt: Dealt | undefined,
): Promise<KeyGroup> {
  const contributions = all.flatMap(({ contribution }) => contribution ?? []);
  const source = { file: dealt?.record ?? CEREMONY_FILES.split, name: DEALER };
  const group = await keyGroup(
    dealt === undefined
      ? groupOf(contributions, ceremony).commitments
      : commitmentsIn(dealt.claims['commitments'], ceremony, source),
    all.map(({ number, name, messageKey }) => ({ number, name, x: messageKey.jwk.x })),
  );
  const { thumbprint = group.rootKey.thumbprint } = ceremony.splits ?? {};
  if (group.rootKey.thumbprint === thumbprint) return group;
  const code = dealt?.record === undefined ? 'ERR_OTHER_KEY' : 'ERR_HOLDER_MESSAGE';
  throw refusedMessage(source, code, `does not split the key ${thumbprint}`);
}
