import { join } from 'node:path';
import { isObject } from '@passport-registry/verifier/core';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import type { KeyShare } from '../shared-key/frost.js';
import { holderOf, type KeyHolder, nameHolders } from '../shared-key/key-group.js';
import { base64url, type Message, signMessage } from '../shared-key/message.js';
import { type NoncePair, type SigningSession, signShare } from '../shared-key/share-signing.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';
import { type OpenSession, openSessions, type SigningHolder } from './commitments.js';
import { committedMessage, hasNonces, takeNonces } from './nonce-store.js';
import {
  type HolderMessages,
  readTaskMessage,
  readTaskMessages,
  type SigningTask,
  TASK_FILES,
} from './signing-task.js';

/** The signature shares of one holder in one session. */
interface SessionShares {
  /** The hash of the commitments with which the shares were made. */
  readonly commitments: string;
  /** The signature share for each payload, in base64url. */
  readonly shares: Readonly<Record<string, unknown>>;
}

/** What a holder is ready to sign. */
interface ReadyShares {
  readonly all: HolderMessages;
  /** Shares that were given before with the same commitments. */
  readonly given: Readonly<Record<string, SessionShares>>;
  /** The sessions for which this machine has unused nonces. */
  readonly left: readonly OpenSession[];
}

/**
 * Finds the sessions that a holder can sign. Changes nothing.
 *
 * @throws {@link SharedKeyRejected} if there is nothing to sign, or nothing that this machine may sign
 */
export async function readyShares(
  task: SigningTask,
  { group, share, nonces: store }: SigningHolder,
): Promise<ReadyShares> {
  const self = holderOf(group, share.number);
  const read = await readTaskMessages(task, group, 'commitments');
  assertOwnCommitments(read, self, committedMessage(store));
  const { sessions, faults } = openSessions(task, read);
  const all = { ...read, faults };
  const open = sessions.filter(({ signers }) => signers.includes(share.number));
  if (open.length === 0) throw tooFewCommitments(all);
  const given = await givenBefore(task, self, open);
  const left = open.filter(({ name }) => given[name] === undefined && hasNonces(store, name));
  if (left.length === 0 && Object.keys(given).length === 0) throw used();
  return { all, given, left };
}

/**
 * Round two: writes the signature shares of this holder for each session whose signers have all committed. The nonces of
 * a session are deleted before they are used. Sessions that wait for commitments keep theirs, for another run.
 *
 * @returns how many sessions have shares of this holder, who has not committed, so that sessions remain, and what is wrong
 * with the messages of others
 * @throws {@link SharedKeyRejected} | {@link IoFailed}
 */
export async function writeShares(task: SigningTask, holder: SigningHolder) {
  const { group, share, messageKey, nonces: store } = holder;
  const { all, given, left } = await readyShares(task, holder);
  const sessions = { ...given };
  const taken = await takeNonces(
    store,
    left.map(({ name }) => name),
  );
  for (const { name, lists, hash } of left) {
    const nonces = taken.get(name);
    if (nonces === undefined) continue;
    const shares = task.payloads.map(({ type, bytes: message }) => {
      const session = { group: group.key, commitments: lists.get(type) ?? [], message };
      return [type, base64url(signOnce(share, nonces[type], session))];
    });
    sessions[name] = { commitments: hash, shares: Object.fromEntries(shares) };
  }
  if (Object.keys(sessions).length === 0) throw used();
  const claims = { holder: share.number, request: task.id, sessions };
  const text = signMessage('registry-signing-shares+jwt', claims, messageKey);
  writeWholeFile(join(task.folder, TASK_FILES.shares(share.number)), text);
  return { sessions: Object.keys(sessions).length, waitingFor: uncommitted(all), faults: all.faults };
}

/** Nonces that are not those of the commitments are from a `sign --again` at the same time. They are lost, too. */
function signOnce(share: KeyShare, pair: NoncePair | undefined, session: SigningSession): Uint8Array {
  if (pair === undefined) throw used();
  try {
    return signShare(share, pair, session);
  } catch {
    throw used();
  }
}

function used(): SharedKeyRejected {
  return new SharedKeyRejected(
    'ERR_NONCES_USED',
    'the nonces for these commitments have been used: run `sign --again`, and ask the other holders to sign once more',
  );
}

/** The names of the holders who have not committed. */
const uncommitted = ({ group, messages }: HolderMessages): string[] =>
  group.holders.filter(({ number }) => !messages.has(number)).map(({ name }) => name);

function tooFewCommitments(all: HolderMessages): SharedKeyRejected {
  const { group, messages, faults } = all;
  const said = faults.map(({ message }) => `; ${message}`).join('');
  return new SharedKeyRejected(
    faults[0]?.code ?? 'ERR_HOLDERS_MISSING',
    `${messages.size} of ${group.key.threshold} holders have committed; missing: ${nameHolders(uncommitted(all))}${said}`,
  );
}

/** Somebody could show a holder other commitments under the holder's own name, to make him use a nonce twice. */
function assertOwnCommitments(
  { messages, faults }: HolderMessages,
  self: KeyHolder,
  committed: string | undefined,
): void {
  const own = faults.find(({ holder }) => holder === self.name);
  if (own !== undefined) throw own;
  const shown = messages.get(self.number)?.text;
  if (shown !== undefined && shown === committed) return;
  const file = TASK_FILES.commitments(self.number);
  if (committed === undefined) {
    throw new SharedKeyRejected(
      'ERR_NONCES_USED',
      `this machine has not made ${file}: sign on the machine that has, or run \`sign --again\``,
    );
  }
  throw new SharedKeyRejected(
    'ERR_COMMITMENTS_CHANGED',
    shown === undefined
      ? `${file} is missing: run the command again, which writes it again`
      : `${file} is not the one that this machine made last: bring the newest copy of the folder, or run \`sign --again\``,
    { holder: self.name },
  );
}

/** The shares of a session in a message. Undefined if there are none, or if they are malformed. */
export function sharesIn(message: Message | undefined, session: string): SessionShares | undefined {
  const sessions = message?.claims['sessions'];
  const found = isObject(sessions) ? sessions[session] : undefined;
  if (!isObject(found) || !isObject(found['shares']) || typeof found['commitments'] !== 'string')
    return undefined;
  return { commitments: found['commitments'], shares: found['shares'] };
}

/** The shares that this holder has given before with the same commitments. */
async function givenBefore(task: SigningTask, self: KeyHolder, open: readonly OpenSession[]) {
  const message = await readTaskMessage(task, self, 'shares').catch(() => undefined);
  const kept = open.flatMap(({ name, hash }) => {
    const found = sharesIn(message, name);
    return found?.commitments === hash ? [[name, found] as const] : [];
  });
  return Object.fromEntries(kept);
}
