import { readFileSync } from 'node:fs';
import type { CheckpointChoice } from '../checkpoint.js';
import { IoFailed, UsageError } from '../errors.js';
import { loadSigner, type Passphrase } from '../key-file.js';
import { askPassphrase } from './ask-passphrase.js';

/** The text of a statement in a file. @throws {@link IoFailed} */
export function readStatement(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new IoFailed(`${file} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}

/** A number that an option was given. @throws {@link UsageError} */
export function positiveNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new UsageError(`${option} takes a number from 1 to 99999`);
  return Number(text);
}

/** Who signs a checkpoint, from the options; undefined when nobody is to. */
export async function checkpointChoice(
  key: string | undefined,
  hours: string,
  passphrase: Passphrase = askPassphrase,
): Promise<CheckpointChoice | undefined> {
  const number = positiveNumber('--checkpoint-hours', hours);
  return key === undefined ? undefined : { signer: await loadSigner(key, passphrase), hours: number };
}
