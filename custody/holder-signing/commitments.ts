import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes, isObject } from '@passport-registry/verifier/core';
import { SharedKeyRejected } from '../../generator/errors.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { commit, isCommitmentPoint, type KeyShare, type NonceCommitment } from '../shared-key/frost.js';
import { holderOf, type KeyGroup, type KeyHolder } from '../shared-key/key-group.js';
import {
  base64url,
  bytes32,
  type Message,
  type MessageKey,
  readMessageFile,
  signMessage,
} from '../shared-key/message.js';
import type { OpenedShare } from '../shared-key/share-file.js';
import {
  committedMessage,
  type NonceStore,
  nonceStore,
  type SessionNonces,
  saveNonces,
} from './nonce-store.js';
import { type Signers, sessionName, sessionsOf } from './sessions.js';
import { type SigningTask, TASK_FILES } from './signing-task.js';

/** Who signs, and with what. */
export interface SigningHolder {
  readonly group: KeyGroup;
  readonly share: KeyShare;
  readonly messageKey: MessageKey;
  readonly nonces: NonceStore;
}

/** Returns who signs a task. @param memory - the folder of this user for what was signed */
export function signingHolder(
  { id }: SigningTask,
  { label, share, messageKey, group }: OpenedShare,
  memory: string,
): SigningHolder {
  const place = { ceremony: label.ceremony, task: id };
  return { group, share, messageKey, nonces: nonceStore(memory, share, place) };
}

/**
 * Round one: makes nonces for each session of this holder and each payload, keeps them on this machine, and writes the
 * message with the commitments. Without `again`, commitments that this machine has made before are kept.
 *
 * @param again - replaces the commitments of this holder. Signature shares that were given with them become useless
 * @returns whether new commitments were made
 * @throws {@link IoFailed}
 */
export async function writeCommitments(
  task: SigningTask,
  { group: { key }, share, messageKey, nonces: store }: SigningHolder,
  again: boolean,
): Promise<boolean> {
  const file = join(task.folder, TASK_FILES.commitments(share.number));
  const kept = again ? undefined : committedMessage(store);
  if (kept !== undefined) {
    writeWholeFile(file, kept);
    return false;
  }
  const nonces = new Map<string, SessionNonces>();
  const commitments: Record<string, Record<string, string[]>> = {};
  for (const signers of sessionsOf(key).filter((session) => session.includes(share.number))) {
    const made = task.payloads.map(({ type }) => [type, commit(share)] as const);
    nonces.set(sessionName(signers), Object.fromEntries(made.map(([type, one]) => [type, one.nonces])));
    commitments[sessionName(signers)] = Object.fromEntries(
      made.map(([type, { commitment }]) => [
        type,
        [base64url(commitment.hiding), base64url(commitment.binding)],
      ]),
    );
  }
  const claims = { commitments, holder: share.number, request: task.id };
  const text = signMessage('registry-signing-commitments+jwt', claims, messageKey);
  await saveNonces(store, text, nonces);
  writeWholeFile(file, text);
  return true;
}

/**
 * Whether a holder has committed: whether his commitments are in the folder. Whether they are those of this machine, and
 * for these payloads, shows only the attempt to sign. That attempt must fail then, and not commit to something else.
 */
export function hasCommitted(task: SigningTask, { share }: SigningHolder): boolean {
  return existsSync(join(task.folder, TASK_FILES.commitments(share.number)));
}

/** The messages of the holders of a key, and what is wrong with those of others. */
export interface HolderMessages {
  readonly group: KeyGroup;
  readonly messages: ReadonlyMap<number, Message>;
  /** What is wrong with messages. */
  readonly faults: readonly SharedKeyRejected[];
}

/** The names of the holders who have not committed. */
export const uncommitted = ({ group, messages }: HolderMessages): string[] =>
  group.holders.filter(({ number }) => !messages.has(number)).map(({ name }) => name);

/** Reads a message of each holder. What one holder has done wrong does not stop the others. */
export async function readFromAll(
  group: KeyGroup,
  read: (holder: KeyHolder) => Promise<Message | undefined>,
): Promise<HolderMessages> {
  const messages = new Map<number, Message>();
  const faults: SharedKeyRejected[] = [];
  for (const holder of group.holders) {
    try {
      const message = await read(holder);
      if (message !== undefined) messages.set(holder.number, message);
    } catch (error) {
      if (!(error instanceof SharedKeyRejected)) throw error;
      faults.push(error);
    }
  }
  return { group, messages, faults };
}

/** Reads the commitments of all holders. */
export const readCommitments = (task: SigningTask, group: KeyGroup): Promise<HolderMessages> =>
  readFromAll(group, (holder) => readCommitment(task, holder));

async function readCommitment(task: SigningTask, holder: KeyHolder): Promise<Message | undefined> {
  const file = TASK_FILES.commitments(holder.number);
  const type = 'registry-signing-commitments+jwt';
  const message = await readMessageFile(task.folder, { ...holder, type, file, key: holder.messageKey });
  if (message !== undefined) assertSameTask(task, message, { file, name: holder.name });
  return message;
}

/** Asserts that a message belongs to the payloads as they are now. @throws {@link SharedKeyRejected} */
export function assertSameTask(
  { id }: SigningTask,
  { claims }: Message,
  { file, name }: { readonly file: string; readonly name: string },
): void {
  if (claims['request'] === id) return;
  throw new SharedKeyRejected(
    'ERR_REQUEST_CHANGED',
    `${file}, by ${name}, belongs to another request: what is to be signed here is not what ${name} has seen. Compare the ` +
      'requests; whoever has an old copy starts again with `sign --again`',
    { holder: name },
  );
}

/** The commitments of a session, by payload. */
export type CommitmentLists = ReadonlyMap<string, readonly NonceCommitment[]>;

/**
 * Returns the commitments for a session, by payload. Undefined if a signer has not committed.
 *
 * @throws {@link SharedKeyRejected} if a commitment is malformed
 */
export function sessionCommitments(
  { payloads }: SigningTask,
  { group, messages }: HolderMessages,
  signers: Signers,
): CommitmentLists | undefined {
  if (signers.some((number) => !messages.has(number))) return undefined;
  const lists = payloads.map(({ type }) => {
    const list = signers.map((number) => {
      const where = { file: TASK_FILES.commitments(number), name: holderOf(group, number).name };
      const session = memberOf(messages.get(number)?.claims['commitments'], sessionName(signers));
      const pair = memberOf(session, type);
      const [hiding, binding] = (Array.isArray(pair) ? pair : []).map((value) => bytes32(value, where));
      if (hiding !== undefined && binding !== undefined && [hiding, binding].every(isCommitmentPoint)) {
        return { number, hiding, binding };
      }
      throw new SharedKeyRejected(
        'ERR_HOLDER_MESSAGE',
        `${where.file}, by ${where.name}, has no valid commitments for the session ${sessionName(signers)}`,
        { holder: where.name },
      );
    });
    return [type, list] as const;
  });
  return new Map(lists);
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** The hash of the commitments of a session, which each signature share names. */
export function hashOfCommitments(lists: CommitmentLists): string {
  const encoded = [...lists].map(([type, list]) => [
    type,
    list.map(({ number, hiding, binding }) => [number, base64url(hiding), base64url(binding)]),
  ]);
  return sha256(canonicalBytes(encoded));
}
