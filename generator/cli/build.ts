import type { Command } from 'commander';
import { build } from '../build.js';
import { addFreshnessOptions, type FreshnessOptions, freshnessChoice } from './freshness-options.js';
import { emit } from './output.js';
import { optionalNumber } from './positive-number.js';
import { withProgress } from './progress.js';
import { run } from './run.js';
import { sayBuilt } from './say-built.js';
import { addSignerOptions, type SignerOptions, signerChoice } from './signer-options.js';
import { sayTimings, stopwatch } from './timings.js';

/** The options of commands that build. */
export interface BuildCommandOptions extends SignerOptions, FreshnessOptions {
  issuers: string;
  out: string;
  updatedAt?: string;
  renew?: true;
  precompress?: true;
  workers?: string;
  cache: boolean;
  timings?: true;
  json?: true;
}

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

/** Adds the options of commands that build. */
export function addBuildOptions(command: Command): Command {
  command
    .option('--issuers <dir>', 'folder of the records', 'issuers')
    .option('--out <dir>', 'folder of the published tree', 'dist');
  return addFreshnessOptions(addSignerOptions(command))
    .option('--updated-at <time>', 'updated_at of a changed list, RFC 3339 (also SOURCE_DATE_EPOCH)')
    .option('--renew', 'publish under a new updated_at even if no record has changed')
    .option('--precompress', 'publish issuers.json.gz and .br, too, for hosts that send them as they are')
    .option('--workers <count>', 'how many threads check records (default: one a processor, where it pays)')
    .option('--no-cache', 'read every file, and remember nothing for the next build')
    .option('--timings', 'say how long each stage took')
    .option('--json', 'report as JSON on stdout');
}

/** Builds, and says what came of it. */
export async function buildAndReport(options: BuildCommandOptions): Promise<undefined> {
  const started = performance.now();
  const { timings, onStage } = stopwatch();
  const report = await withProgress(async (onProgress) =>
    build({
      onProgress,
      onStage,
      issuers: options.issuers,
      workers: optionalNumber('--workers', options.workers),
      cache: options.cache,
      out: options.out,
      ...signerChoice(options),
      ...(await freshnessChoice(options)),
      updatedAt: await requested(options.updatedAt, process.env['SOURCE_DATE_EPOCH']),
      renew: options.renew === true,
      precompress: options.precompress === true,
    }),
  );
  if (options.json) emit({ ok: true, ...report, ...(options.timings && { timings }) });
  sayBuilt(report, performance.now() - started);
  if (options.timings) sayTimings(timings);
  return undefined;
}

/** To load what reads a time takes as long as to find out that nothing has changed, so it is loaded when it is needed. */
async function requested(option: string | undefined, epoch: string | undefined): Promise<string | undefined> {
  if (option === undefined && epoch === undefined) return undefined;
  const { requestedUpdatedAt } = await import('../updated-at.js');
  return requestedUpdatedAt(option, epoch);
}
