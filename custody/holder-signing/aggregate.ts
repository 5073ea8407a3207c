import { verifySignature } from '@passport-registry/verifier';
import { encodeSignature, isObject } from '@passport-registry/verifier/core';
import { holderOf, type KeyGroup, type KeyHolder, nameHolders } from '../shared-key/key-group.js';
import { bytes32, type Message, refusedMessage } from '../shared-key/message.js';
import { aggregate, isSignatureShare } from '../shared-key/share-signing.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';
import { type OpenSession, openSessions } from './commitments.js';
import { sharesIn } from './signature-shares.js';
import { type HolderMessages, readTaskMessages, type SigningTask, TASK_FILES } from './signing-task.js';

/** What the holders have done so far for a task. */
interface SigningProgress {
  /** The names of the holders of whom a signature share is valid. */
  readonly signed: readonly string[];
  /** The signatures by payload, once a session is complete. */
  readonly signatures: ReadonlyMap<string, Uint8Array> | undefined;
  /** What is wrong with messages. */
  readonly faults: readonly SharedKeyRejected[];
}

/**
 * Verifies each signature share by itself, and adds up those of the first complete session. The signature is verified
 * with the shared key. What one holder has done wrong is reported, and does not stop the others.
 *
 * @param everybody - whether shares are verified beyond the first complete session, to know of every holder
 * @throws {@link IoFailed}
 */
export async function readProgress(
  task: SigningTask,
  group: KeyGroup,
  everybody = false,
): Promise<SigningProgress> {
  const committed = await readTaskMessages(task, group, 'commitments');
  const given = await readTaskMessages(task, group, 'shares');
  const { sessions, faults } = openSessions(task, committed);
  const signed = new Set<number>();
  const wrong = new Map<number, SharedKeyRejected>();
  let signatures: ReadonlyMap<string, Uint8Array> | undefined;
  for (const session of sessions) {
    if (signatures !== undefined && !everybody) break;
    const found = checkShares(given, { task, group, session });
    for (const number of found.valid.keys()) signed.add(number);
    // A fault that a holder has in several sessions is reported once.
    for (const [number, fault] of found.wrong) if (!wrong.has(number)) wrong.set(number, fault);
    const isComplete = found.valid.size === session.signers.length;
    if (isComplete && signatures === undefined)
      signatures = await aggregated(found.valid, { task, group, session });
  }
  const alone = sharesAlone(committed, given).map(withoutCommitments);
  return {
    signed: group.holders.filter(({ number }) => signed.has(number)).map(({ name }) => name),
    signatures,
    faults: [...faults, ...given.faults, ...alone, ...wrong.values()],
  };
}

/** Verifies the shares of all signers of a session. @returns by number, the valid shares, and what is wrong with others */
function checkShares({ messages }: HolderMessages, where: TaskSession) {
  const valid = new Map<number, ShareBytes>();
  const wrong = new Map<number, SharedKeyRejected>();
  for (const number of where.session.signers) {
    try {
      const shares = verifiedShares(messages.get(number), where);
      if (shares !== undefined) valid.set(number, shares);
    } catch (error) {
      if (!(error instanceof SharedKeyRejected)) throw error;
      wrong.set(number, error);
    }
  }
  return { valid, wrong };
}

/** Returns the holders whose shares are here without their commitments, unless a fault in these is reported already. */
function sharesAlone(committed: HolderMessages, given: HolderMessages): readonly KeyHolder[] {
  return given.group.holders.filter(({ number, name }) => {
    const isReported = committed.faults.some(({ holder }) => holder === name);
    return given.messages.has(number) && !committed.messages.has(number) && !isReported;
  });
}

function withoutCommitments({ name, number }: KeyHolder): SharedKeyRejected {
  const shares = TASK_FILES.shares(number);
  const commitments = TASK_FILES.commitments(number);
  return new SharedKeyRejected(
    'ERR_HOLDERS_MISSING',
    `${commitments} of ${name} is missing, without which ${shares} cannot be used: ask ${name} for it`,
  );
}

/** The signature shares of one holder in one session, by payload. */
type ShareBytes = ReadonlyMap<string, Uint8Array>;

/** A session of a task. */
interface TaskSession {
  readonly task: SigningTask;
  readonly group: KeyGroup;
  readonly session: OpenSession;
}

/**
 * Verifies the shares of a holder in a session. Undefined if there are none.
 *
 * @throws {@link SharedKeyRejected} if one is wrong. The error says who is to blame
 */
function verifiedShares(
  message: Message | undefined,
  { task, group, session: { name: session, lists, hash } }: TaskSession,
): ShareBytes | undefined {
  if (message === undefined) return undefined;
  const found = sharesIn(message, session);
  const number = message.holder;
  const source = { file: TASK_FILES.shares(number), name: holderOf(group, number).name };
  if (found === undefined) {
    const { sessions } = message.claims;
    if (!isObject(sessions) || !Object.hasOwn(sessions, session)) return undefined;
    throw refusedMessage(source, 'ERR_HOLDER_MESSAGE', 'has malformed shares');
  }
  if (found.commitments !== hash) {
    throw new SharedKeyRejected(
      'ERR_COMMITMENTS_CHANGED',
      `${source.file}, by ${source.name}, was made with other commitments for the session ${session} than those here: bring the newest files`,
    );
  }
  const shares = task.payloads.map(({ type, bytes }) => {
    const share = bytes32(found.shares[type], source);
    const signed = { group: group.key, commitments: lists.get(type) ?? [], message: bytes };
    if (isSignatureShare(share, number, signed)) return [type, share] as const;
    const problem = `has a signature share that is not valid, in the session ${session}`;
    throw refusedMessage(source, 'ERR_SIGNATURE_SHARE', problem);
  });
  return new Map(shares);
}

/** Adds up the shares of a complete session. @param shares - by the number of the signer */
async function aggregated(
  shares: ReadonlyMap<number, ShareBytes>,
  { task, group, session: { lists } }: TaskSession,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const signatures = new Map<string, Uint8Array>();
  for (const { type, bytes: message } of task.payloads) {
    const session = { group: group.key, commitments: lists.get(type) ?? [], message };
    const ofPayload = new Map(
      [...shares].map(([number, one]) => [number, one.get(type) ?? new Uint8Array()] as const),
    );
    const signature = aggregate(ofPayload, session);
    await verifySignature(message, encodeSignature(signature), group.rootKey);
    signatures.set(type, signature);
  }
  return signatures;
}

/**
 * Returns the signatures of a task.
 *
 * @throws {@link SharedKeyRejected} if no session is complete: the first fault in the messages or, if there is none, who is missing
 */
export function signaturesOf(progress: SigningProgress, group: KeyGroup): ReadonlyMap<string, Uint8Array> {
  const { signatures, signed, faults } = progress;
  if (signatures !== undefined) return signatures;
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  const missing = group.holders.map(({ name }) => name).filter((name) => !signed.includes(name));
  throw new SharedKeyRejected(
    'ERR_HOLDERS_MISSING',
    `${signed.length} of ${group.key.threshold} holders have given valid signature shares; missing: ${nameHolders(missing)}`,
  );
}
