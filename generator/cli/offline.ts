import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { attachSignature } from '../attach.js';
import { prepareSigning } from '../build.js';
import { chooseSigner } from '../choose-signer.js';
import { IoFailed, UsageError } from '../errors.js';
import { loadRootKey } from '../key-file.js';
import { signList } from '../sign.js';
import { readSigningRequest } from '../signing-request.js';
import { PATHS } from '../tree.js';
import { requestedUpdatedAt } from '../updated-at.js';
import type { BuildCommandOptions } from './build.js';
import { checkpointChoice, readStatement } from './freshness-options.js';
import { emit, say } from './output.js';
import { run } from './run.js';
import { sayBuilt } from './say-built.js';
import { addSignerOptions, type SignerOptions, signerChoice } from './signer-options.js';

/** `passport-registry build --unsigned`: writes a signing request, and leaves the tree as it is. */
export async function buildUnsigned(folder: string, options: BuildCommandOptions): Promise<undefined> {
  const request = await prepareSigning(
    {
      issuers: options.issuers,
      out: options.out,
      renew: options.renew === true,
      updatedAt: requestedUpdatedAt(options.updatedAt, process.env['SOURCE_DATE_EPOCH']),
    },
    folder,
  );
  if (options.json)
    emit({ ok: true, request: request && folder, sha256: request?.sha256, changes: request?.changes });
  if (request === undefined) {
    say(`${options.out} says the same already: there is nothing to sign`);
    return undefined;
  }
  for (const line of request.changes) say(line);
  say(`sha256 ${request.sha256}`);
  say(`${folder} waits to be signed: \`passport-registry sign ${folder}\`, where the key is`);
  return undefined;
}

interface SignOptions extends SignerOptions {
  yes?: true;
}

/** `passport-registry sign`, on the machine with the key, and `attach`, on the one with the registry */
export function addOfflineCommands(program: Command): void {
  const sign = program
    .command('sign')
    .description('show what a signing request changes, and sign it')
    .argument('<request>', 'folder that `build --unsigned` has written')
    .option('--yes', 'do not ask');
  addSignerOptions(sign).action((folder: string, options: SignOptions) =>
    run(false, () => signRequest(folder, options)),
  );
  program
    .command('attach')
    .description('publish a list that was signed elsewhere')
    .argument('<request>', 'folder of the signing request')
    .argument('[signature]', 'file of the signature (default: issuers.sig in the request)')
    .requiredOption('--root-key <file>', 'public JWK under which the signature must hold')
    .option('--out <dir>', 'folder of the published tree', 'dist')
    .option('--delegation <file>', 'delegation to online keys, from `keys delegate`')
    .option('--rotation <file>', 'step to this root key, from `keys rotate`')
    .option('--checkpoint-key <file|env:NAME>', 'online key: sign a checkpoint, too')
    .option('--checkpoint-hours <number>', 'for how long the checkpoint holds', '24')
    .option('--json', 'report as JSON on stdout')
    .action((folder: string, signature: string | undefined, options: AttachOptions) =>
      run(options.json === true, () => attach(folder, signature ?? join(folder, PATHS.signature), options)),
    );
}

async function signRequest(folder: string, options: SignOptions): Promise<undefined> {
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
  if (process.stdin.isTTY !== true) throw new UsageError('there is no terminal to ask: give --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Sign this? Type yes: ');
  terminal.close();
  if (answer.trim() !== 'yes') throw new UsageError('not signed');
}

interface AttachOptions {
  rootKey: string;
  out: string;
  delegation?: string;
  rotation?: string;
  checkpointKey?: string;
  checkpointHours: string;
  json?: true;
}

async function attach(folder: string, signature: string, options: AttachOptions): Promise<undefined> {
  const started = performance.now();
  const rootKey = await loadRootKey(options.rootKey, true);
  const report = await attachSignature(bytesOf(join(folder, PATHS.list)), readStatement(signature), rootKey, {
    out: options.out,
    rootKey: options.rootKey,
    delegation: options.delegation && readStatement(options.delegation),
    rotation: options.rotation && readStatement(options.rotation),
    checkpoint: await checkpointChoice(options.checkpointKey, options.checkpointHours),
  });
  if (options.json) emit({ ok: true, ...report });
  sayBuilt(report, performance.now() - started);
  return undefined;
}

function bytesOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new IoFailed(`${file} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}
