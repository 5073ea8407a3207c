import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../errors.js';
import { readBytes } from '../../files/read-file.js';
import { attachSignature } from '../../offline-signing/attach.js';
import { REQUEST_FILES, readRequestFiles } from '../../offline-signing/request-files.js';
import { loadRootKey } from '../../signing/key-file.js';
import { addFreshnessOptions, type FreshnessOptions, freshnessChoice } from '../options/freshness-options.js';
import { addLogOptions, type LogOptions, logChoice } from '../options/log-options.js';
import { addRuleOptions, type RuleOptions, ruleOptions } from '../options/rule-options.js';
import { addTreeOptions, type TreeCommandOptions, treeOptions } from '../options/tree-options.js';
import type { Invocation, Io } from '../terminal/io.js';
import { emit } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { sayBuilt } from '../terminal/say-built.js';

interface Options extends FreshnessOptions, RuleOptions, LogOptions, TreeCommandOptions {
  rootKey?: string;
  out: string;
  json?: true;
}

/** `passport-registry attach`, for the machine with the registry */
export function addAttachCommand(program: Command, io: Invocation): void {
  const command = program
    .command('attach')
    .description('publish a list and a publication statement that were signed on another machine')
    .argument('<request>', 'folder of the signing request')
    .argument('[signature]', `signature of the list (default: ${REQUEST_FILES.signature} in the request)`)
    .argument(
      '[statement-signature]',
      `signature of the publication statement (default: ${REQUEST_FILES.statementSignature} in the request)`,
    )
    .option('--root-key <file>', 'public JWK that verifies the signature')
    .option('--out <dir>', 'folder of the published tree', 'dist');
  addTreeOptions(addLogOptions(addRuleOptions(addFreshnessOptions(command))))
    .option('--json', 'report as JSON on stdout')
    .action((...[folder, signature, statement, options]: Arguments) =>
      run(io, options.json === true, () => attach(io, { folder, signature, statement }, options)),
    );
}

type Arguments = [
  folder: string,
  signature: string | undefined,
  statement: string | undefined,
  options: Options,
];

/** The folder of the request, and the files of its signatures if they are elsewhere. */
interface Signed {
  readonly folder: string;
  readonly signature: string | undefined;
  readonly statement: string | undefined;
}

async function attach(
  io: Io,
  { folder, signature, statement }: Signed,
  options: Options,
): Promise<undefined> {
  const started = performance.now();
  if (options.rootKey === undefined)
    throw new UsageError('attach needs --root-key, or root_key in registry.yaml');
  const rootKey = await loadRootKey(options.rootKey, true, io.env);
  const request = {
    files: readRequestFiles(folder),
    signature: readSignatureFile(signature, folder, 'signature'),
    statementSignature: readSignatureFile(statement, folder, 'statementSignature'),
  };
  const report = await attachSignature(request, rootKey, {
    out: options.out,
    exceptions: ruleOptions(options),
    freshness: await freshnessChoice(io, options),
    log: await logChoice(io, options),
    ...treeOptions(options),
  });
  if (options.json) emit(io, { ok: true, ...report });
  sayBuilt(io, report, performance.now() - started);
  return undefined;
}

/** Longer than a signature in any form. */
const MAX_SIGNATURE_BYTES = 16 * 1024;

function readSignatureFile(
  named: string | undefined,
  folder: string,
  name: 'signature' | 'statementSignature',
): Uint8Array {
  const file = named ?? join(folder, REQUEST_FILES[name]);
  if (existsSync(file)) return readBytes(file, MAX_SIGNATURE_BYTES);
  throw new UsageError(
    `${file} does not exist: sign the request first, with \`sign ${folder}\` on the machine that has the key`,
  );
}
