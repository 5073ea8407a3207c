import type { Command } from 'commander';
import { KEPT_LIST_BYTES } from '../../generator/log/log-choice.js';
import { cosign } from '../../generator/publishing/cosign.js';
import {
  addCheckpointOptions,
  type CheckpointOptions,
  checkpointChoice,
} from '../options/freshness-options.js';
import { addCosignOptions, type CosignOptions, cosignChoice, TOO_FEW } from '../options/log-options.js';
import { addTreeOptions, type TreeCommandOptions, treeOptions } from '../options/tree-options.js';
import type { Invocation, Io } from '../terminal/io.js';
import { emit } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { sayBuilt, sayLog } from '../terminal/say-built.js';

interface Options extends CosignOptions, CheckpointOptions, TreeCommandOptions {
  json?: true;
}

/** `passport-registry cosign` */
export function addCosignCommand(program: Command, io: Invocation): void {
  const command = program
    .command('cosign')
    .description(
      'collect cosignatures of witnesses for the log; completes a publication that is only in the log',
    )
    .argument('[dir]', 'folder of the tree', 'dist');
  addTreeOptions(addCheckpointOptions(addCosignOptions(command)))
    .option('--json', 'report as JSON on stdout')
    .action((out: string, options: Options) =>
      run(io, options.json === true, () => collect(io, out, options)),
    );
}

async function collect(io: Io, out: string, options: Options): Promise<number> {
  const started = performance.now();
  const { log, completed } = await cosign(out, {
    ...treeOptions(options),
    log: { ...cosignChoice(options), keepBytes: KEPT_LIST_BYTES },
    checkpoint: await checkpointChoice(io, options),
  });
  const ok = log.collected >= log.quorum;
  if (options.json) emit(io, { ok, log, completed });
  if (completed !== undefined) sayBuilt(io, completed, performance.now() - started);
  else sayLog(io, { log });
  return ok ? 0 : TOO_FEW;
}
