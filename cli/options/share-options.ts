import { Option } from 'commander';
import { readRequestFiles, requestedKey } from '../../custody/offline-signing/request-files.js';
import { memoryFolder } from '../../custody/offline-signing/signing-memory.js';
import type { OpenedShare, ShareAccess } from '../../custody/shared-key/share-file.js';
import { SharedKeyRejected } from '../../generator/errors.js';
import type { Io } from '../terminal/io.js';
import { passphraseFrom } from './signer-options.js';

/** The options of commands that use the file of a holder. */
export interface ShareOptions {
  share?: string | undefined;
  passphraseFile?: string | undefined;
  memory?: string | undefined;
}

/** The same, for the help. */
export const SHARE_OPTIONS = [
  new Option(
    '--share <file>',
    "file with the holder's share of the key, encrypted under a passphrase",
  ).makeOptionMandatory(),
  new Option('--passphrase-file <file>', 'file with the passphrase (default: ask on the terminal)'),
  new Option('--memory <dir>', 'folder that records what was signed (default: one for this user)'),
];

/** Returns how the file of a holder is opened. */
export function shareAccess(io: Io, file: string, { passphraseFile }: ShareOptions): ShareAccess {
  return { file, passphrase: passphraseFrom(io, passphraseFile), env: io.env };
}

/**
 * Opens the share that is to sign a request.
 *
 * @throws {@link SharedKeyRejected} if the request is for another root key
 */
export async function openShareFor(
  io: Io,
  folder: string,
  options: ShareOptions & { readonly share: string },
): Promise<OpenedShare> {
  // Imported on demand, because the other commands need no FROST.
  const { openShare } = await import('../../custody/shared-key/share-file.js');
  const opened = await openShare(shareAccess(io, options.share, options));
  const asked = requestedKey(readRequestFiles(folder));
  const { thumbprint } = opened.group.rootKey;
  if (asked === undefined || asked === thumbprint) return opened;
  throw new SharedKeyRejected(
    'ERR_OTHER_KEY',
    `${options.share} is a share of ${thumbprint}, but ${folder} is to be signed by ${asked}: name your share of that key`,
  );
}

/** Returns the folder that records what was signed. */
export const memoryOf = (io: Io, { memory }: ShareOptions): string => memory ?? memoryFolder(io.env);
