import { readdirSync } from 'node:fs';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { sha256 } from '../../generator/tree/checksums.js';
import type { KeyGroup } from '../shared-key/key-group.js';

/** The bytes that the holders sign together, with the name of what they are. */
interface SharedPayload {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What the holders of a shared key sign, and the folder in which they exchange messages. */
export interface SigningTask {
  readonly folder: string;
  /** SHA-256 over the key and all payloads, in hexadecimal. Each message names it. */
  readonly id: string;
  readonly payloads: readonly SharedPayload[];
}

/** Returns the task of signing payloads with a shared key. */
export function signingTask(
  folder: string,
  { rootKey }: KeyGroup,
  payloads: readonly SharedPayload[],
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
