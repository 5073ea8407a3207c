import type { Command } from 'commander';
import { signRequest } from '../../offline-signing/sign-request.js';
import { chooseSigner } from '../../signing/choose-signer.js';
import { addRequestOptions, type RequestOptions } from '../options/request-options.js';
import { addSignerOptions, type SignerOptions, signerChoice } from '../options/signer-options.js';
import { confirmedRequest } from '../terminal/confirm-request.js';
import type { Invocation, Io } from '../terminal/io.js';
import { say } from '../terminal/output.js';
import { run } from '../terminal/run.js';

interface Options extends SignerOptions, RequestOptions {}

/** `passport-registry sign`, for the machine with the key */
export function addSignCommand(program: Command, io: Invocation): void {
  const command = program
    .command('sign')
    .description('show what a signing request changes, then sign it')
    .argument('<request>', 'folder that a command with `--unsigned` wrote');
  addRequestOptions(addSignerOptions(command)).action((folder: string, options: Options) =>
    run(io, false, () => sign(io, folder, options)),
  );
}

async function sign(io: Io, folder: string, options: Options): Promise<undefined> {
  const signer = await chooseSigner({ ...signerChoice(io, options), production: true });
  const request = await confirmedRequest(io, { folder, rootKey: signer.rootKey }, options);
  for (const file of await signRequest(folder, request, signer)) say(io, `signed: ${file}`);
  return undefined;
}
