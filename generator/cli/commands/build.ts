import type { Command } from 'commander';
import { build } from '../../build.js';
import { addBuildOptions, type BuildCommandOptions, listTime } from '../options/build-options.js';
import { freshnessChoice } from '../options/freshness-options.js';
import { ruleOptions } from '../options/rule-options.js';
import { signerChoice } from '../options/signer-options.js';
import { emit } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { run } from '../terminal/run.js';
import { sayBuilt } from '../terminal/say-built.js';
import { sayTimings, stopwatch } from '../terminal/timings.js';

/** `passport-registry build` */
export function addBuildCommand(program: Command): void {
  const command = program
    .command('build')
    .description('validate the records, sign the list, write and verify the tree');
  command.option('--unsigned <dir>', 'sign nothing: write a signing request into a new folder');
  addBuildOptions(command).action((options: BuildCommandOptions & { unsigned?: string }) =>
    run(options.json === true, async () => {
      if (options.unsigned === undefined) return buildAndReport(options);
      const { buildUnsigned } = await import('./build-unsigned.js');
      return buildUnsigned(options.unsigned, options);
    }),
  );
}

/** Builds, and says what came of it. */
export async function buildAndReport(options: BuildCommandOptions): Promise<undefined> {
  const started = performance.now();
  const { timings, onStage } = stopwatch();
  const report = await withProgress(async (onProgress) =>
    build({
      issuers: options.issuers,
      out: options.out,
      signer: signerChoice(options),
      freshness: await freshnessChoice(options),
      exceptions: ruleOptions(options),
      time: listTime(options),
      precompress: options.precompress === true,
      listeners: { onProgress, onStage },
    }),
  );
  if (options.json) emit({ ok: true, ...report, ...(options.timings && { timings }) });
  sayBuilt(report, performance.now() - started);
  if (options.timings) sayTimings(timings);
  return undefined;
}
