import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../errors.js';
import { readBytes, readText } from '../../files/read-file.js';
import { attachSignature } from '../../offline-signing/attach.js';
import { followedList } from '../../offline-signing/signing-request.js';
import { loadRootKey } from '../../signing/key-file.js';
import { PATHS } from '../../tree/paths.js';
import { addFreshnessOptions, type FreshnessOptions, freshnessChoice } from '../options/freshness-options.js';
import { addRuleOptions, type RuleOptions, ruleOptions } from '../options/rule-options.js';
import { addTreeOptions, type TreeCommandOptions, treeOptions } from '../options/tree-options.js';
import type { Invocation, Io } from '../terminal/io.js';
import { emit } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { sayBuilt } from '../terminal/say-built.js';

interface Options extends FreshnessOptions, RuleOptions, TreeCommandOptions {
  rootKey?: string;
  out: string;
  json?: true;
}

/** `passport-registry attach`, for the machine with the registry */
export function addAttachCommand(program: Command, io: Invocation): void {
  const command = program
    .command('attach')
    .description('publish a list that was signed on another machine')
    .argument('<request>', 'folder of the signing request')
    .argument('[signature]', 'file of the signature (default: issuers.sig in the request)')
    .option('--root-key <file>', 'public JWK that verifies the signature')
    .option('--out <dir>', 'folder of the published tree', 'dist');
  addTreeOptions(addRuleOptions(addFreshnessOptions(command)))
    .option('--json', 'report as JSON on stdout')
    .action((folder: string, signature: string | undefined, options: Options) =>
      run(io, options.json === true, () => attach(io, { folder, signature }, options)),
    );
}

interface Signed {
  readonly folder: string;
  readonly signature: string | undefined;
}

async function attach(io: Io, signed: Signed, options: Options): Promise<undefined> {
  const started = performance.now();
  const { folder, signature = join(folder, PATHS.signature) } = signed;
  if (options.rootKey === undefined)
    throw new UsageError('attach needs --root-key, or root_key in registry.yaml');
  const rootKey = await loadRootKey(options.rootKey, true, io.env);
  if (!existsSync(signature)) {
    throw new UsageError(
      `${signature} does not exist: sign the request first, with \`sign ${folder}\` on the machine that has the key`,
    );
  }
  const request = {
    list: readBytes(join(folder, PATHS.list)),
    signature: readText(signature),
    statement: readText(join(folder, PATHS.publication)),
    follows: followedList(folder),
  };
  const report = await attachSignature(request, rootKey, {
    out: options.out,
    exceptions: ruleOptions(options),
    freshness: await freshnessChoice(io, options),
    ...treeOptions(options),
  });
  if (options.json) emit(io, { ok: true, ...report });
  sayBuilt(io, report, performance.now() - started);
  return undefined;
}
