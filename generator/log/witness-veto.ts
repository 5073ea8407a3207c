import { AlreadyPublished } from '../errors.js';
import { collectCosignatures } from './collect.js';
import { type LogChoice, NO_WITNESSES } from './log-choice.js';
import { type ReadFileSync, readLogHead } from './log-files.js';

/** How long witnesses may take to object, in milliseconds. What waits for them can be urgent. */
const TIMEOUT_MS = 5000;

/**
 * Sends the head of a log to its witnesses, before a new entry is signed. A witness that has cosigned what the log lacks never
 * cosigns what follows: the tree is an old copy, or the log is forked. A witness that is away stops nothing.
 *
 * @param tree - reads the files of the tree with the log
 * @throws {@link AlreadyPublished}
 */
export async function askForVeto(
  { folder, read }: { readonly folder: string; readonly read: ReadFileSync },
  { signer, witnesses }: LogChoice = NO_WITNESSES,
): Promise<void> {
  const head = readLogHead(read);
  // Without the key of the log, no entry is signed.
  if (head === undefined || signer === undefined) return;
  const asked = { witnesses, quorum: witnesses.length, waitMs: TIMEOUT_MS };
  const { missing } = await collectCosignatures(head, asked, read);
  const veto = missing.find(({ isOtherHistory }) => isOtherHistory);
  if (veto === undefined) return;
  throw new AlreadyPublished(
    `${veto.witness} ${veto.problem}: ${folder} is an old copy, or the log is forked. Nothing was signed: \`load\` the newest tree first`,
  );
}
