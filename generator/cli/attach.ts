import { join } from 'node:path';
import type { Command } from 'commander';
import { attachSignature } from '../attach.js';
import { UsageError } from '../errors.js';
import { loadRootKey } from '../key-file.js';
import { PATHS } from '../paths.js';
import { readBytes, readText } from '../read-file.js';
import { addFreshnessOptions, type FreshnessOptions, freshnessChoice } from './freshness-options.js';
import { emit } from './output.js';
import { run } from './run.js';
import { sayBuilt } from './say-built.js';

interface Options extends FreshnessOptions {
  rootKey?: string;
  out: string;
  precompress?: true;
  json?: true;
}

/** `passport-registry attach`, on the machine with the registry */
export function addAttachCommand(program: Command): void {
  const command = program
    .command('attach')
    .description('publish a list that was signed elsewhere')
    .argument('<request>', 'folder of the signing request')
    .argument('[signature]', 'file of the signature (default: issuers.sig in the request)')
    .option('--root-key <file>', 'public JWK under which the signature must hold')
    .option('--out <dir>', 'folder of the published tree', 'dist');
  addFreshnessOptions(command)
    .option('--precompress', 'publish issuers.json.gz and .br, too')
    .option('--json', 'report as JSON on stdout')
    .action((folder: string, signature: string | undefined, options: Options) =>
      run(options.json === true, () => attach(folder, signature ?? join(folder, PATHS.signature), options)),
    );
}

async function attach(folder: string, signature: string, options: Options): Promise<undefined> {
  const started = performance.now();
  if (options.rootKey === undefined)
    throw new UsageError('attach needs --root-key, or root_key in registry.yaml');
  const rootKey = await loadRootKey(options.rootKey, true);
  const list = readBytes(join(folder, PATHS.list));
  const report = await attachSignature(list, readText(signature).trim(), rootKey, {
    out: options.out,
    rootKey: options.rootKey,
    precompress: options.precompress === true,
    ...(await freshnessChoice(options)),
  });
  if (options.json) emit({ ok: true, ...report });
  sayBuilt(report, performance.now() - started);
  return undefined;
}
