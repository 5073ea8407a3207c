import type { Command } from 'commander';
import { signRequest } from '../../custody/offline-signing/sign-request.js';
import type { SigningRequest } from '../../custody/offline-signing/signing-request.js';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import { nameHolders } from '../../generator/tree/held-by.js';
import { addRequestOptions, type RequestOptions } from '../options/request-options.js';
import { memoryOf, openShareFor } from '../options/share-options.js';
import { addSignerOptions, type SignerOptions, signerChoice } from '../options/signer-options.js';
import type { Invocation, Io } from '../terminal/io.js';
import { emit, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { confirmedRequest, confirmRequest, shownRequest } from './confirm-request.js';

interface Options extends SignerOptions, RequestOptions {
  share?: string;
  json?: true;
}

/** `passport-registry sign`, for the machine with the key */
export function addSignCommand(program: Command, io: Invocation): void {
  const command = program
    .command('sign')
    .description('show what a signing request changes, then sign it')
    .argument('<request>', 'folder that a command with `--unsigned` wrote')
    .option('--share <file>', "file with a holder's share of the root key, instead of a key")
    .option('--json', 'report as JSON on stdout');
  addRequestOptions(addSignerOptions(command)).action((folder: string, options: Options) =>
    run(io, options.json === true, () => sign(io, folder, options)),
  );
}

async function sign(io: Io, folder: string, { share, ...options }: Options): Promise<undefined> {
  if (share !== undefined) return signWithShare(io, folder, { ...options, share });
  if (options.key === undefined && options.signerCommand === undefined) {
    throw new KeyRejected(
      'no signing key: pass --key FILE, --key env:NAME or --signer-command; or --share FILE, if holders share the key',
    );
  }
  const signer = await chooseSigner({ ...signerChoice(io, options), production: true });
  const request = await confirmedRequest(io, { folder, rootKey: signer.rootKey }, options);
  const signed = await signRequest(folder, request, signer);
  if (options.json) emit(io, { ok: true, signed });
  for (const file of signed) say(io, `signed: ${file}`);
  return undefined;
}

async function signWithShare(
  io: Io,
  folder: string,
  options: Options & { share: string },
): Promise<undefined> {
  if (options.key !== undefined || options.signerCommand !== undefined) {
    throw new UsageError('pass either a key or a share of one, not both');
  }
  // Imported on demand, because the other commands need no FROST.
  const { signingHolder } = await import('../../custody/holder-signing/commitments.js');
  const { readyShares, writeShares } = await import('../../custody/holder-signing/signature-shares.js');
  const { signingTask } = await import('../../custody/holder-signing/signing-task.js');
  const opened = await openShareFor(io, folder, options);
  const { group, label } = opened;
  const taskOf = ({ payloads }: SigningRequest) => {
    const task = signingTask(folder, group, payloads);
    return [task, signingHolder(task, opened, memoryOf(io, options))] as const;
  };
  const shown = await shownRequest(io, { folder, rootKey: group.rootKey }, options);
  // Before the question, and before the memory says that this machine has signed.
  await readyShares(...taskOf(shown));
  await confirmRequest(io, shown, options);
  const given = await writeShares(...taskOf(shown));
  const file = `${folder}/shares-${label.number}.jwt`;
  const { sessions, waitingFor, faults } = given;
  if (options.json) emit(io, { ok: true, signed: [file], sessions, waitingFor });
  for (const { message } of faults) say(io, `WARNING: ${message}`);
  say(
    io,
    `signed: ${file}, for ${sessions === 1 ? 'one group' : `${sessions} groups`} of ${group.key.threshold} holders`,
  );
  if (waitingFor.length > 0)
    say(
      io,
      `without ${nameHolders(waitingFor)}, who ${waitingFor.length === 1 ? 'has' : 'have'} not committed`,
    );
  return undefined;
}
