import type { Command } from 'commander';
import { build } from '../../generator/build.js';
import { UsageError } from '../../generator/errors.js';
import { followsHosts } from '../operating/follows-host.js';
import { addBuildOptions, type BuildCommandOptions, listTime } from '../options/build-options.js';
import { freshnessChoice, sayCheckpointLater } from '../options/freshness-options.js';
import { logChoice } from '../options/log-options.js';
import { ruleOptions } from '../options/rule-options.js';
import { signerChoice } from '../options/signer-options.js';
import { treeOptions } from '../options/tree-options.js';
import type { Invocation } from '../terminal/io.js';
import { emit } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { run } from '../terminal/run.js';
import { sayBuilt } from '../terminal/say-built.js';
import { sayTimings, stopwatch } from '../terminal/timings.js';
import { buildUnsigned, type UnsignedOptions } from './build-unsigned.js';

/** `passport-registry build` */
export function addBuildCommand(program: Command, io: Invocation): void {
  const command = program
    .command('build')
    .description('validate the records, sign the list, write and verify the tree');
  command
    .option('--unsigned <dir>', 'do not sign: write a signing request to a new folder')
    .option(
      '--delegate <file...>',
      'with --unsigned: public JWKs of online keys, for a new delegation in the request',
    )
    .option('--days <number>', 'how long the delegation of --delegate is valid', '90')
    .option('--hold', 'let the keys of --delegate also stop issuers (default: as the published delegation)')
    .option('--no-hold', 'do not let the keys of --delegate stop issuers');
  addBuildOptions(command).action((options: BuildCommandOptions & UnsignedOptions) =>
    run(io, options.json === true, async () => {
      if (options.unsigned !== undefined) return buildUnsigned(io, options.unsigned, options);
      if (options.delegate === undefined) return buildAndReport(io, options);
      throw new UsageError(
        '--delegate is for a signing request: pass --unsigned, or sign the delegation with `keys delegate`',
      );
    }),
  );
}

/** Builds, and prints the report. */
export async function buildAndReport(io: Invocation, options: BuildCommandOptions): Promise<undefined> {
  const started = performance.now();
  const { timings, onStage } = stopwatch(io);
  const report = await withProgress(io, async (onProgress) =>
    build({
      issuers: options.issuers,
      out: options.out,
      signer: signerChoice(io, options),
      freshness: await freshnessChoice(io, options),
      log: await logChoice(io, options),
      exceptions: ruleOptions(options),
      time: listTime(io, options),
      assertFollowsHosts: followsHosts(io, options),
      ...treeOptions(options),
      listeners: { onProgress, onStage },
    }),
  );
  if (options.json) emit(io, { ok: true, ...report, ...(options.timings && { timings }) });
  sayBuilt(io, report, performance.now() - started);
  sayCheckpointLater(io, options);
  if (options.timings) sayTimings(io, timings);
  return undefined;
}
