import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { IoFailed, UsageError } from '../../errors.js';
import { CLOCK_TOLERANCE_MS } from '../../list/updated-at.js';
import { assertNewest, memoryFolder, saveSigningMemory } from '../../offline-signing/signing-memory.js';
import { readSigningRequest } from '../../offline-signing/signing-request.js';
import { recordsOfList } from '../../records/check-records.js';
import { assertPublishable } from '../../review/assert-publishable.js';
import { chooseSigner } from '../../signing/choose-signer.js';
import { loadRootKey } from '../../signing/key-file.js';
import { signList } from '../../signing/sign.js';
import { PATHS } from '../../tree/paths.js';
import { addExceptionOptions, type ExceptionOptions, exceptions } from '../options/rule-options.js';
import { addSignerOptions, type SignerOptions, signerChoice } from '../options/signer-options.js';
import { ask } from '../terminal/ask.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import type { Invocation, Io } from '../terminal/io.js';
import { say } from '../terminal/output.js';
import { run } from '../terminal/run.js';

interface Options extends SignerOptions, ExceptionOptions {
  previousRootKey?: string;
  insteadOf?: string;
  memory?: string;
  yes?: true;
}

/** `passport-registry sign`, for the machine with the key */
export function addSignCommand(program: Command, io: Invocation): void {
  const command = program
    .command('sign')
    .description('show what a signing request changes, then sign it')
    .argument('<request>', 'folder that `build --unsigned` wrote')
    .option(
      '--previous-root-key <file>',
      'public JWK of the previous root key, for the first list after a rotation',
    )
    .option('--instead-of <sha256>', 'payload hash of the list that was signed last and never published')
    .option('--memory <dir>', 'folder that records what was signed (default: one for this user)')
    .option('--yes', 'sign without asking');
  addExceptionOptions(addSignerOptions(command)).action((folder: string, options: Options) =>
    run(io, false, () => signRequest(io, folder, options)),
  );
}

async function signRequest(io: Io, folder: string, options: Options): Promise<undefined> {
  const signer = await chooseSigner({ ...signerChoice(io, options), production: true });
  const { previousRootKey, memory = memoryFolder(io.env) } = options;
  const before = previousRootKey === undefined ? undefined : await loadRootKey(previousRootKey, true, io.env);
  const request = await readSigningRequest(folder, signer.rootKey, before);
  const { thumbprint } = signer.rootKey;
  const thumbprints = before === undefined ? [thumbprint] : [before.thumbprint, thumbprint];
  assertNewest(memory, request, { thumbprints, insteadOf: options.insteadOf });
  const published = request.previous && recordsOfList(request.previous.registry.issuers);
  sayDiagnostics(
    io,
    assertPublishable(
      { before: published, after: recordsOfList(request.registry.issuers) },
      exceptions(options),
      false,
    ),
  );
  for (const line of request.changes) say(io, line);
  say(io, `sha256   ${request.sha256}`);
  say(io, `root key ${thumbprint}`);
  const { updated_at } = request.registry;
  if (Date.parse(updated_at) > Date.now() + CLOCK_TOLERANCE_MS) {
    // Only a warning, because the clock of an offline machine may be wrong. `attach` refuses such a list.
    say(io, `WARNING: updated_at ${updated_at} is ahead of this machine's clock: check both before you sign`);
  }
  if (options.yes !== true) await confirm(io);
  const file = join(folder, PATHS.signature);
  // Saved before signing: if a signature exists that is not in the memory, this machine could sign an older list later.
  saveSigningMemory(memory, thumbprint, request);
  const signature = await signList(request.list, signer);
  try {
    writeFileSync(file, signature);
  } catch (cause) {
    throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
  say(io, `signed: ${file}`);
  return undefined;
}

async function confirm(io: Io): Promise<void> {
  const answer = await ask(io, 'Sign this? Type yes: ', 'there is no terminal to ask: give --yes');
  if (answer !== 'yes') throw new UsageError('nothing was signed');
}
