import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { chooseSigner } from '../choose-signer.js';
import { IoFailed, UsageError } from '../errors.js';
import { PATHS } from '../paths.js';
import { signList } from '../sign.js';
import { readSigningRequest } from '../signing-request.js';
import { ask } from './ask.js';
import { say } from './output.js';
import { run } from './run.js';
import { addSignerOptions, type SignerOptions, signerChoice } from './signer-options.js';

interface Options extends SignerOptions {
  yes?: true;
}

/** `passport-registry sign`, on the machine with the key */
export function addSignCommand(program: Command): void {
  const command = program
    .command('sign')
    .description('show what a signing request changes, and sign it')
    .argument('<request>', 'folder that `build --unsigned` has written')
    .option('--yes', 'do not ask');
  addSignerOptions(command).action((folder: string, options: Options) =>
    run(false, () => signRequest(folder, options)),
  );
}

async function signRequest(folder: string, options: Options): Promise<undefined> {
  const signer = await chooseSigner({ ...signerChoice(options), production: true });
  const request = await readSigningRequest(folder, signer.rootKey);
  for (const line of request.changes) say(line);
  say(`sha256   ${request.sha256}`);
  say(`root key ${signer.rootKey.thumbprint}`);
  if (options.yes !== true) await confirm();
  const file = join(folder, PATHS.signature);
  const signature = await signList(request.list, signer);
  try {
    writeFileSync(file, signature);
  } catch (cause) {
    throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
  say(`signed: ${file}`);
  return undefined;
}

async function confirm(): Promise<void> {
  const answer = await ask('Sign this? Type yes: ', 'there is no terminal to ask: give --yes');
  if (answer !== 'yes') throw new UsageError('not signed');
}
