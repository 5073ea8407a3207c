import { readdirSync } from 'node:fs';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { sha256 } from '../../generator/tree/checksums.js';
import type { KeyGroup, KeyHolder } from '../shared-key/key-group.js';
import { type Message, readMessageFile, refusedMessage } from '../shared-key/message.js';
import { SharedKeyRejected } from '../shared-key/shared-key-rejected.js';

/** What the holders of a shared key sign, and the folder in which they exchange messages. */
export interface SigningTask {
  readonly folder: string;
  /** SHA-256 over the key and all payloads, in hexadecimal. Each message names it. */
  readonly id: string;
  /** The bytes that the holders sign together, with the name of what they are. */
  readonly payloads: readonly { readonly type: string; readonly bytes: Uint8Array }[];
}

/** Returns the task of signing payloads with a shared key. */
export function signingTask(
  folder: string,
  { rootKey }: KeyGroup,
  payloads: SigningTask['payloads'],
): SigningTask {
  const hashes = Object.fromEntries(payloads.map(({ type, bytes }) => [type, sha256(bytes)]));
  const id = sha256(canonicalBytes({ payloads: hashes, root: rootKey.thumbprint }));
  return { folder, id, payloads };
}

/** The files of a holder in the folder of a task. */
export const TASK_FILES = {
  commitments: (number: number) => `commitments-${number}.jwt`,
  shares: (number: number) => `shares-${number}.jwt`,
} as const;

/** Whether a folder has messages of holders. */
export function hasMessages(folder: string): boolean {
  return readdirSync(folder).some((name) => /^(?:commitments|shares)-[0-9]+\.jwt$/.test(name));
}

/**
 * Reads the commitments or the signature shares of a holder. Undefined if there are none.
 *
 * @throws {@link SharedKeyRejected} if they are wrong, or belong to other payloads than those here
 */
export async function readTaskMessage(
  { folder, id }: SigningTask,
  { number, name, messageKey: key }: KeyHolder,
  kind: keyof typeof TASK_FILES,
): Promise<Message | undefined> {
  const file = TASK_FILES[kind](number);
  const expected = { type: `registry-signing-${kind}+jwt`, number, name, file, key } as const;
  const message = await readMessageFile(folder, expected);
  if (message === undefined || message.claims['request'] === id) return message;
  throw refusedMessage(
    expected,
    'ERR_REQUEST_CHANGED',
    'belongs to another request than the one in this folder: compare the requests',
  );
}

/** The messages of the holders of a key, by number. */
export interface HolderMessages {
  readonly group: KeyGroup;
  readonly messages: ReadonlyMap<number, Message>;
  /** What is wrong with other messages. */
  readonly faults: readonly SharedKeyRejected[];
}

/** Reads the commitments or the signature shares of all holders. What one has done wrong does not stop the others. */
export async function readTaskMessages(
  task: SigningTask,
  group: KeyGroup,
  kind: keyof typeof TASK_FILES,
): Promise<HolderMessages> {
  const messages = new Map<number, Message>();
  const faults: SharedKeyRejected[] = [];
  for (const holder of group.holders) {
    try {
      const message = await readTaskMessage(task, holder, kind);
      if (message !== undefined) messages.set(holder.number, message);
    } catch (error) {
      if (!(error instanceof SharedKeyRejected)) throw error;
      faults.push(error);
    }
  }
  return { group, messages, faults };
}
