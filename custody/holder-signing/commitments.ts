import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes, isObject } from '@passport-registry/verifier/core';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { holderOf, type Signers, sessionName, sessionsOf } from '../shared-key/key-group.js';
import { base64url, bytes32, refusedMessage, signMessage } from '../shared-key/message.js';
import type { OpenedShare } from '../shared-key/share-file.js';
import { commit, isCommitmentPoint, type NonceCommitment } from '../shared-key/share-signing.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';
import { committedMessage, type NonceStore, type SessionNonces, saveNonces } from './nonce-store.js';
import { type HolderMessages, type SigningTask, TASK_FILES } from './signing-task.js';

/** Who signs, and with what. */
export interface SigningHolder extends OpenedShare {
  readonly nonces: NonceStore;
}

/** Returns who signs a task. @param memory - the folder of this user for what was signed */
export function signingHolder({ id }: SigningTask, opened: OpenedShare, memory: string): SigningHolder {
  const { label, share } = opened;
  const folder = join(memory, 'nonces', `${label.ceremony}-${share.number}`, id);
  return { ...opened, nonces: { folder, share } };
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

/** The commitments of a session, by payload. */
type CommitmentLists = ReadonlyMap<string, readonly NonceCommitment[]>;

/** A session whose signers have all committed. */
export interface OpenSession {
  readonly signers: Signers;
  readonly name: string;
  readonly lists: CommitmentLists;
  /** The hash of the commitments, which each signature share names. */
  readonly hash: string;
}

/** Returns the sessions whose signers have all committed, and what is wrong with messages and with their commitments. */
export function openSessions(
  task: SigningTask,
  committed: HolderMessages,
): { readonly sessions: readonly OpenSession[]; readonly faults: readonly SharedKeyRejected[] } {
  const sessions: OpenSession[] = [];
  const faults = [...committed.faults];
  const hasAll = (signers: Signers) => signers.every((number) => committed.messages.has(number));
  for (const signers of sessionsOf(committed.group.key).filter(hasAll)) {
    try {
      const lists = commitmentsIn(committed, task, signers);
      sessions.push({ signers, name: sessionName(signers), lists, hash: hashOf(lists) });
    } catch (error) {
      // A malformed commitment stops only the sessions of its holder.
      if (!(error instanceof SharedKeyRejected)) throw error;
      if (!faults.some(({ message }) => message === error.message)) faults.push(error);
    }
  }
  return { sessions, faults };
}

/** Returns the commitments of a session. @throws {@link SharedKeyRejected} if one is malformed */
function commitmentsIn(
  { group, messages }: HolderMessages,
  { payloads }: SigningTask,
  signers: Signers,
): CommitmentLists {
  const lists = payloads.map(({ type }) => {
    const list = signers.map((number) => {
      const source = { file: TASK_FILES.commitments(number), name: holderOf(group, number).name };
      const session = memberOf(messages.get(number)?.claims['commitments'], sessionName(signers));
      const pair = memberOf(session, type);
      const [hiding, binding] = (Array.isArray(pair) ? pair : []).map((value) => bytes32(value, source));
      if (hiding !== undefined && binding !== undefined && [hiding, binding].every(isCommitmentPoint)) {
        return { number, hiding, binding };
      }
      const problem = `has no valid commitments for the session ${sessionName(signers)}`;
      throw refusedMessage(source, 'ERR_HOLDER_MESSAGE', problem);
    });
    return [type, list] as const;
  });
  return new Map(lists);
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

function hashOf(lists: CommitmentLists): string {
  const encoded = [...lists].map(([type, list]) => [
    type,
    list.map(({ number, hiding, binding }) => [number, base64url(hiding), base64url(binding)]),
  ]);
  return sha256(canonicalBytes(encoded));
}
