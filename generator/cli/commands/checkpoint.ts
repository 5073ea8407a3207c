import type { Command } from 'commander';
import { publishCheckpoint } from '../../publishing/publish-checkpoint.js';
import { onlineSigner } from '../options/freshness-options.js';
import { addCosignOptions, type CosignOptions, cosignChoice, TOO_FEW } from '../options/log-options.js';
import { positiveNumber } from '../options/positive-number.js';
import { addSigningOptions, type SigningOptions } from '../options/signer-options.js';
import type { Invocation, Io } from '../terminal/io.js';
import { emit, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { sayLog } from '../terminal/say-built.js';

interface Options extends SigningOptions, CosignOptions {
  publicKey?: string;
  hours: string;
  json?: true;
}

/** `passport-registry checkpoint` */
export function addCheckpointCommand(program: Command, io: Invocation): void {
  const command = program
    .command('checkpoint')
    .description('sign a checkpoint of the published list with the online key')
    .argument('[dir]', 'folder of the tree', 'dist');
  addCosignOptions(addSigningOptions(command))
    .option('--public-key <file>', 'public JWK that the key must match; needed with --signer-command')
    .option('--hours <number>', 'how long the checkpoint is valid', '24')
    .option('--json', 'report as JSON on stdout')
    .action((out: string, options: Options) =>
      run(io, options.json === true, () => checkpoint(io, out, options)),
    );
}

async function checkpoint(io: Io, out: string, options: Options): Promise<number> {
  const hours = positiveNumber('--hours', options.hours);
  const signer = await onlineSigner(io, { ...options, rootKey: options.publicKey });
  const report = await publishCheckpoint(out, { signer, hours }, cosignChoice(options));
  const { log } = report;
  const ok = log === undefined || log.collected >= log.quorum;
  if (options.json) emit(io, { ok, ...report });
  say(io, `${out}: the list of ${report.updatedAt} has a checkpoint that is valid until ${report.expires}`);
  for (const warning of report.warnings) say(io, `WARNING: ${warning}`);
  sayLog(io, { log });
  return ok ? 0 : TOO_FEW;
}
