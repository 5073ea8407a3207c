import type { Command } from 'commander';
import { UsageError } from '../../errors.js';
import { CLOCK_TOLERANCE_MS, formatUpdatedAt } from '../../list/updated-at.js';
import { readSigningRequest } from '../../offline-signing/read-request.js';
import { signRequest } from '../../offline-signing/sign-request.js';
import { assertNewest, memoryFolder, saveSigningMemory } from '../../offline-signing/signing-memory.js';
import type { SigningRequest } from '../../offline-signing/signing-request.js';
import { recordsOfList } from '../../records/check-records.js';
import { assertPublishable } from '../../review/assert-publishable.js';
import { chooseSigner } from '../../signing/choose-signer.js';
import { loadRootKey } from '../../signing/key-file.js';
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
    run(io, false, () => confirmAndSign(io, folder, options)),
  );
}

async function confirmAndSign(io: Io, folder: string, options: Options): Promise<undefined> {
  const signer = await chooseSigner({ ...signerChoice(io, options), production: true });
  const { previousRootKey, memory = memoryFolder(io.env) } = options;
  const before = previousRootKey === undefined ? undefined : await loadRootKey(previousRootKey, true, io.env);
  const request = await readSigningRequest(folder, signer.rootKey, before);
  const { thumbprint } = signer.rootKey;
  const history = { thumbprint, previous: before?.thumbprint ?? thumbprint };
  assertNewest(memory, request, { ...history, insteadOf: options.insteadOf });
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
  warnOfClock(io, request);
  if (options.yes !== true) await confirm(io);
  // Saved before signing: if a signature exists that is not in the memory, this machine could sign an older list later.
  saveSigningMemory(memory, request, history);
  for (const file of await signRequest(folder, request, signer)) say(io, `signed: ${file}`);
  return undefined;
}

/** Only a warning, because the clock of an offline machine may be wrong. `attach` refuses such a list. */
function warnOfClock(io: Io, { registry: { updated_at }, statement: { issuedAt } }: SigningRequest): void {
  const latest = Math.max(Date.parse(updated_at), issuedAt);
  if (latest <= Date.now() + CLOCK_TOLERANCE_MS) return;
  const subject =
    latest > Date.parse(updated_at) ? 'the time of the publication statement' : 'updated_at of the list';
  say(
    io,
    `WARNING: ${subject}, ${formatUpdatedAt(latest)}, is ahead of this machine's clock: check both before you sign`,
  );
}

async function confirm(io: Io): Promise<void> {
  const answer = await ask(io, 'Sign this? Type yes: ', 'there is no terminal to ask: give --yes');
  if (answer !== 'yes') throw new UsageError('nothing was signed');
}
