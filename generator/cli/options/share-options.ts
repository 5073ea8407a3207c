import type { Command } from 'commander';
import { KeyRejected } from '../../errors.js';
import { memoryFolder } from '../../offline-signing/signing-memory.js';
import type { ShareAccess } from '../../shared-key/share-file.js';
import type { Io } from '../terminal/io.js';
import { askPassphrase } from './ask-passphrase.js';
import { passphraseFrom } from './signer-options.js';

/** The options of commands that use the file of a holder. */
export interface ShareOptions {
  share?: string | undefined;
  passphraseFile?: string | undefined;
  memory?: string | undefined;
}

/** Adds the option that names the file of a holder. @param required - whether the command needs one */
export function addShareOption(command: Command, required: boolean): Command {
  const words = "file with the holder's share of the key, encrypted under a passphrase";
  return required
    ? command.requiredOption('--share <file>', words)
    : command.option('--share <file>', `${words}; instead of a key`);
}

/** Adds the options that name the file of a holder, its passphrase, and the folder for what was signed. */
export function addShareOptions(command: Command): Command {
  return addShareOption(command, true)
    .option('--passphrase-file <file>', 'file with the passphrase (default: ask on the terminal)')
    .option('--memory <dir>', 'folder that records what was signed (default: one for this user)');
}

/** Returns how the file of a holder is opened. */
export function shareAccess(io: Io, file: string, { passphraseFile }: ShareOptions): ShareAccess {
  return { file, passphrase: passphraseFrom(io, passphraseFile), env: io.env };
}

/** Returns the folder that records what was signed. */
export const memoryOf = (io: Io, { memory }: ShareOptions): string => memory ?? memoryFolder(io.env);

const MIN_PASSPHRASE = 12;

/** Asks for a new passphrase, twice on a terminal. @throws {@link KeyRejected} if it is too short or mistyped */
export async function newPassphrase(io: Io, file: string, options: ShareOptions): Promise<string> {
  const passphrase = await passphraseFrom(io, options.passphraseFile)(file);
  if (passphrase.length < MIN_PASSPHRASE) {
    throw new KeyRejected(`the passphrase has fewer than ${MIN_PASSPHRASE} characters: choose a longer one`);
  }
  const isTyped = options.passphraseFile === undefined;
  if (isTyped && (await askPassphrase(io, `${file} once more`)) !== passphrase) {
    throw new KeyRejected('the two passphrases differ');
  }
  return passphrase;
}
