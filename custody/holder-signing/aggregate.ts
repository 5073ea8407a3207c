import { verifySignature } from '@passport-registry/verifier';
import { encodeSignature, isObject } from '@passport-registry/verifier/core';
import { SharedKeyRejected } from '../../generator/errors.js';
import { nameHolders } from '../../generator/tree/held-by.js';
import { aggregate, isSignatureShare } from '../shared-key/frost.js';
import { holderOf, type KeyGroup, type KeyHolder } from '../shared-key/key-group.js';
import { bytes32, type Message } from '../shared-key/message.js';
import { hashOfCommitments, readCommitments, readFromAll } from './commitments.js';
import { type OpenSession, openSessions, readShares, sharesIn } from './signature-shares.js';
import { type SigningTask, TASK_FILES } from './signing-task.js';

/** What the holders have done so far for a task. */
export interface SigningProgress {
  /** The names of the holders who have committed. */
  readonly committed: readonly string[];
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
  const all = await readCommitments(task, group);
  const given = await readFromAll(group, (holder) => readShares(task, holder));
  const isBlamed = ({ name }: KeyHolder) => all.faults.some(({ holder }) => holder === name);
  const alone = group.holders.filter(
    (holder) => given.messages.has(holder.number) && !all.messages.has(holder.number) && !isBlamed(holder),
  );
  const check = new ShareCheck(task, group, given.messages);
  let signatures: ReadonlyMap<string, Uint8Array> | undefined;
  const { sessions, faults } = openSessions(task, all);
  for (const session of sessions) {
    if (signatures !== undefined && !everybody) break;
    const checked = session.signers.map((number) => check.sharesOf(number, session));
    if (signatures !== undefined || checked.includes(undefined)) continue;
    signatures = await aggregated(task, group, { ...session, shares: checked as ShareBytes[] });
  }
  return {
    committed: namesOf(group, all.messages.keys()),
    signed: namesOf(group, check.valid),
    signatures,
    faults: [...faults, ...given.faults, ...alone.map(withoutCommitments), ...check.faults.values()],
  };
}

function withoutCommitments({ name, number }: KeyHolder): SharedKeyRejected {
  const [shares, commitments] = [TASK_FILES.shares(number), TASK_FILES.commitments(number)];
  return new SharedKeyRejected(
    'ERR_HOLDERS_MISSING',
    `${shares} is here, but ${commitments} of ${name} is missing, and both are needed: ask ${name} for it`,
  );
}

const namesOf = (group: KeyGroup, numbers: Iterable<number>) =>
  [...numbers].sort((a, b) => a - b).map((number) => holderOf(group, number).name);

/** The signature shares of one holder in one session, by payload. */
type ShareBytes = ReadonlyMap<string, Uint8Array>;

/** Verifies signature shares, and remembers who is to blame for a wrong one. */
class ShareCheck {
  readonly #task: SigningTask;
  readonly #group: KeyGroup;
  readonly #messages: ReadonlyMap<number, Message>;
  readonly valid = new Set<number>();
  readonly faults = new Map<number, SharedKeyRejected>();

  constructor(task: SigningTask, group: KeyGroup, messages: ReadonlyMap<number, Message>) {
    this.#task = task;
    this.#group = group;
    this.#messages = messages;
  }

  /** Returns the shares of a holder in a session. Undefined if they are missing or wrong. */
  sharesOf(number: number, { name: session, lists }: OpenSession): ShareBytes | undefined {
    const message = this.#messages.get(number);
    if (message === undefined) return undefined;
    const found = sharesIn(message, session);
    const { name } = holderOf(this.#group, number);
    const file = TASK_FILES.shares(number);
    try {
      if (found === undefined) {
        if (!hasMember(message.claims['sessions'], session)) return undefined;
        throw new SharedKeyRejected('ERR_HOLDER_MESSAGE', `${file}, by ${name}, has malformed shares`, {
          holder: name,
        });
      }
      if (found.commitments !== hashOfCommitments(lists)) {
        throw new SharedKeyRejected(
          'ERR_COMMITMENTS_CHANGED',
          `${file}, by ${name}, was made with other commitments than those in the folder for the session ` +
            `${session}: one of its holders has committed again, or the folder has an old copy. Bring the newest ` +
            'files; whoever has signed before commits again',
        );
      }
      const shares = this.#task.payloads.map(({ type, bytes: message }) => {
        const share = bytes32(found.shares[type], { file, name });
        const signed = { group: this.#group.key, commitments: lists.get(type) ?? [], message };
        if (isSignatureShare(share, number, signed)) return [type, share] as const;
        throw new SharedKeyRejected(
          'ERR_SIGNATURE_SHARE',
          `${file}, by ${name}, has a signature share that is not valid, in the session ${session}`,
          { holder: name },
        );
      });
      this.valid.add(number);
      return new Map(shares);
    } catch (error) {
      if (!(error instanceof SharedKeyRejected)) throw error;
      if (!this.faults.has(number)) this.faults.set(number, error);
      return undefined;
    }
  }
}

const hasMember = (value: unknown, name: string) => isObject(value) && Object.hasOwn(value, name);

interface CompleteSession extends OpenSession {
  /** In the order of the signers. */
  readonly shares: readonly ShareBytes[];
}

async function aggregated(
  { payloads }: SigningTask,
  { key, rootKey }: KeyGroup,
  { signers, lists, shares }: CompleteSession,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const signatures = new Map<string, Uint8Array>();
  for (const { type, bytes: message } of payloads) {
    const session = { group: key, commitments: lists.get(type) ?? [], message };
    const byNumber = signers.map(
      (number, index) => [number, shares[index]?.get(type) ?? new Uint8Array()] as const,
    );
    const signature = aggregate(new Map(byNumber), session);
    await verifySignature(message, encodeSignature(signature), rootKey);
    signatures.set(type, signature);
  }
  return signatures;
}

/**
 * Returns the signatures of a task.
 *
 * @throws {@link SharedKeyRejected} if no session is complete. The error says who is missing and whose messages are wrong
 */
export function signaturesOf(progress: SigningProgress, group: KeyGroup): ReadonlyMap<string, Uint8Array> {
  const { signatures, signed, faults } = progress;
  if (signatures !== undefined) return signatures;
  const missing = group.holders.map(({ name }) => name).filter((name) => !signed.includes(name));
  const blamed = faults.map(({ message }) => `; ${message}`).join('');
  throw new SharedKeyRejected(
    faults[0]?.code ?? 'ERR_HOLDERS_MISSING',
    `there are valid signature shares of ${signed.length} holders, and ${group.key.threshold} are needed: none by ${nameHolders(missing)}${blamed}`,
    faults[0]?.holder === undefined ? {} : { holder: faults[0].holder },
  );
}
