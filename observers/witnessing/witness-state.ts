import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import {
  COSIGNED_ANY_TIME,
  cosignatureTime,
  formatNote,
  formatNoteKey,
  isNamed,
  LIMITS,
  type NoteKey,
  newestCosignatures,
  parseHead,
  parseNoteKey,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { IoFailed, KeyRejected, UsageError } from '../../generator/errors.js';
import { flushFolder } from '../../generator/files/flush.js';
import { withLock } from '../../generator/files/lock.js';
import { readIfExists } from '../../generator/files/read-file.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { cosignedHeadPath } from '../../generator/log/log-files.js';

/** The names that a trust anchor accepts: ASCII without white space and plus. */
const NAME = /^[!-*,-~]{1,400}$/;

/**
 * Returns the verifier key of a witness, as a trust anchor and registry.yaml contain it (C2SP tlog-cosignature).
 *
 * @param name - a URL without a scheme, such as `mirror.example`
 * @throws {@link KeyRejected} if the key is not an Ed25519 key; {@link UsageError} if the name is not acceptable
 */
export function witnessVkey(name: string, { algorithm, jwk }: RootKey): string {
  if (!NAME.test(name) || name.includes('://')) {
    throw new UsageError(
      `${JSON.stringify(name)} is not the name of a witness: write a URL without https://, such as mirror.example`,
    );
  }
  if (algorithm !== 'Ed25519') {
    throw new KeyRejected(
      'the key is a P-256 key, but witnesses sign with Ed25519: generate a key with `keys generate`',
    );
  }
  return formatNoteKey(name, 'witness', jwk.x);
}

/** The memory of a witness: a folder that belongs to one key, with one file for each log. */
export interface WitnessState {
  readonly folder: string;
  /** The key of the witness. */
  readonly key: NoteKey;
}

/** A head of a log, with the signatures of the log and of the witness. */
export interface CosignedHead {
  readonly head: SignedHead;
  /** When the witness cosigned, in seconds since 1970. */
  readonly time: number;
}

/** The maximum size of a cosigned head: a head and a cosignature. */
const MAX_BYTES = 2 * LIMITS.logProof;

/** The file with the verifier key of the witness. */
const KEY_FILE = 'vkey';

/**
 * Creates the state of a new witness, one that has never cosigned.
 *
 * @param vkey - the verifier key of the witness
 * @throws {@link UsageError} if the folder contains anything; {@link IoFailed}
 */
export function createState(folder: string, vkey: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (readdirSync(folder).length > 0) {
      throw new UsageError(`${folder} is not empty: name a new folder for the state of a new witness`);
    }
    writeFileSync(join(folder, KEY_FILE), `${vkey}\n`, { flag: 'wx', flush: true });
    flushFolder(folder);
    flushFolder(dirname(resolve(folder)));
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new IoFailed(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Opens the state of a witness. A witness never starts without its state: it could then cosign a second history.
 *
 * @throws {@link UsageError} if there is no state; {@link IoFailed}
 */
export function openState(folder: string): WitnessState {
  const vkey = readIfExists(join(folder, KEY_FILE));
  if (vkey === undefined) {
    throw new UsageError(
      `${folder} is not the state of a witness: create it with \`keys public --witness-state\`, for a key that has never cosigned`,
      { see: 'docs/mirrors.md#run-a-witness' },
    );
  }
  const damaged = (message: string) => new IoFailed(`${join(folder, KEY_FILE)} ${message}`);
  return { folder, key: parseNoteKey(vkey.toString('utf8').trim(), 'witness', damaged) };
}

/** The file with the newest cosigned head of a log. */
const stateFile = ({ folder }: WitnessState, origin: string) =>
  join(folder, cosignedHeadPath(origin).replace('/', '.'));

/**
 * Reads the newest head of a log that the witness has cosigned. What this function returns is on the disk, so that the
 * witness remembers it after a power failure.
 *
 * @returns undefined if the witness has never cosigned a head of the log
 * @throws {@link IoFailed} if the file is damaged, or another key has cosigned
 */
export async function lastCosigned(state: WitnessState, origin: string): Promise<CosignedHead | undefined> {
  const file = stateFile(state, origin);
  const bytes = readIfExists(file, MAX_BYTES);
  if (bytes === undefined) return undefined;
  // Another process can have renamed the file just now.
  flushFolder(state.folder);
  const damaged = (message: string) =>
    new IoFailed(`${file} ${message}: the state of this witness is damaged`, {
      see: 'docs/mirrors.md#run-a-witness',
    });
  const head = parseHead(bytes, damaged);
  const own = head.note.signatures.find((line) => isNamed(line, state.key));
  const time = own && cosignatureTime(own);
  const valid = await newestCosignatures(head.note, {
    witnesses: [state.key],
    quorum: 1,
    ...COSIGNED_ANY_TIME,
  });
  if (head.origin !== origin) throw damaged(`is about the log ${head.origin}`);
  if (time === undefined || valid.length === 0) throw damaged('is not cosigned by the key of the state');
  return { head, time };
}

/**
 * Replaces the newest cosigned head of a log. Nobody else changes it meanwhile. When this function returns, the new head is
 * on the disk.
 *
 * @param change - receives the last cosigned head. Returns the next one, or the same one to leave the state as it is
 */
export async function changeState(
  state: WitnessState,
  origin: string,
  change: (last: CosignedHead | undefined) => Promise<CosignedHead>,
): Promise<CosignedHead> {
  const file = stateFile(state, origin);
  return withLock(file, async ({ assertHeld }) => {
    const last = await lastCosigned(state, origin);
    const next = await change(last);
    if (next === last) return next;
    assertHeld();
    writeWholeFile(file, formatNote(next.head.note));
    return next;
  });
}
