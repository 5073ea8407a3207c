import {
  assertSignedByLog,
  CLOCK_TOLERANCE_MS,
  cosignedText,
  emptyRoot,
  encodeCosignature,
  isConsistent,
  isNamed,
  isSameBytes,
  isSignedByNoteKey,
  type NoteKey,
  type NoteSignature,
  type SignedHead,
  type TreeHead,
} from '@passport-registry/verifier/core';
import { IoFailed, KeyRejected, TreeRejected } from '../../generator/errors.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import type { Signer } from '../../generator/signing/sign.js';
import { type CosignedHead, changeState, type WitnessState } from './witness-state.js';

/** Why a witness refuses to cosign a head. */
export type HeadRefusal =
  /** The request is not in the form of C2SP tlog-witness. */
  | 'malformed'
  /** The witness does not know the log. */
  | 'unknown-log'
  /** The key of the log has not signed the head. */
  | 'unsigned'
  /** The head is smaller than the cosigned one, or the proof begins at another size. */
  | 'conflict'
  /** The head has the size of the cosigned one, and another root. */
  | 'other-root'
  /** The head does not contain the cosigned one. */
  | 'inconsistent';

/** A witness refuses to cosign a head. */
export class HeadRefused extends TreeRejected {
  readonly refusal: HeadRefusal;
  /** For a conflict and another root: the size of the head that the witness has cosigned last; 0 if it has cosigned none. */
  readonly size: number;

  constructor(refusal: HeadRefusal, message: string, size = 0) {
    super(message);
    this.refusal = refusal;
    this.size = size;
  }
}

/** How many characters of an unknown name to show. */
const MAX_SHOWN = 100;

/** A witness: its memory, and what signs for it. */
export interface Cosigner {
  readonly state: WitnessState;
  /** Signs with the key of the state. */
  readonly signer: Signer;
}

/** A head that a witness is asked to cosign. */
interface CosignRequest {
  readonly head: SignedHead;
  /** The keys of the log that the witness trusts. One of them must have signed the head. */
  readonly logKeys: readonly NoteKey[];
  /**
   * Returns the consistency proof from the head that the witness has cosigned last, which is not larger. It is empty from
   * size 0, and from the same size. Throws if there is no such proof.
   */
  readonly prove: (last: TreeHead) => Promise<readonly Uint8Array[]>;
}

/**
 * Cosigns the head of a log (C2SP tlog-witness), if it contains the head that the witness has cosigned last. A head of the
 * same size and root is cosigned again with a new time. The new head is on the disk before this function returns.
 *
 * @throws {@link HeadRefused} | {@link IoFailed} | {@link KeyRejected}
 */
export async function cosignHead(cosigner: Cosigner, request: CosignRequest): Promise<CosignedHead> {
  const { head, logKeys, prove } = request;
  const signatures = await logSignatures(head, logKeys);
  return changeState(cosigner.state, head.origin, async (last) => {
    const older = last?.head ?? { size: 0, root: emptyRoot() };
    if (head.size < older.size) {
      const message = `the head has ${head.size} entries, but a head with ${older.size} entries is cosigned`;
      throw new HeadRefused('conflict', message, older.size);
    }
    const proof = await prove(older);
    if (head.size === older.size && !isSameBytes(head.root, older.root)) {
      const message = `the head with ${head.size} entries has another root than the cosigned head`;
      throw new HeadRefused('other-root', message, older.size);
    }
    if (!isConsistent(older, head, proof)) {
      throw new HeadRefused(
        'inconsistent',
        `the proof does not show that the log with ${head.size} entries contains the cosigned log with ${older.size}`,
      );
    }
    const time = nextTime(last);
    if (last?.time === time && last.head.note.text === head.note.text) return last;
    const own = await cosignature(cosigner, head.note.text, time);
    const note = { text: head.note.text, signatures: [...signatures, own] };
    return { head: { ...head, note }, time };
  });
}

/** Returns the signatures of a head by the key of the log. Signatures by other keys are ignored. */
async function logSignatures(head: SignedHead, keys: readonly NoteKey[]): Promise<NoteSignature[]> {
  const { note, origin } = head;
  const own = keys.filter(({ name }) => name === origin);
  if (own.length === 0)
    throw new HeadRefused(
      'unknown-log',
      `this witness does not know the log ${JSON.stringify(origin.slice(0, MAX_SHOWN))}`,
    );
  const signing = own.filter((key) => note.signatures.some((line) => isNamed(line, key)));
  if (signing.length === 0) {
    throw new HeadRefused('unsigned', `the head is not signed by a known key of the log ${origin}`);
  }
  const invalid = () =>
    new HeadRefused('unsigned', `the head has a signature of the log ${origin} that is not valid`);
  for (const key of signing) await assertSignedByLog(head, key, invalid);
  return note.signatures.filter((line) => signing.some((key) => isNamed(line, key)));
}

/** Returns the time of the next cosignature, in seconds since 1970. It is never earlier than the last one. */
function nextTime(last: CosignedHead | undefined): number {
  const now = Math.floor(Date.now() / 1000);
  if (last === undefined || last.time <= now) return now;
  if (last.time - now <= CLOCK_TOLERANCE_MS / 1000) return last.time;
  throw new IoFailed(
    `the clock of this machine is before ${formatUpdatedAt(last.time * 1000)}, the time of the last cosignature: set the clock`,
    { see: 'docs/mirrors.md#run-a-witness' },
  );
}

/** Makes a cosignature, and verifies it. */
async function cosignature({ state, signer }: Cosigner, text: string, time: number): Promise<NoteSignature> {
  const signed = cosignedText(text, time);
  const signature = await signer.sign(Buffer.from(signed));
  const { name, keyId } = state.key;
  if (await isSignedByNoteKey(state.key, signature, signed)) {
    return { name, keyId, signature: encodeCosignature(time, signature) };
  }
  throw new KeyRejected(`the key that signs is not the key of the witness ${name}`);
}
