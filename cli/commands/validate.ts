import type { Command } from 'commander';
import { isError } from '../../generator/diagnostics/diagnostic.js';
import { UsageError } from '../../generator/errors.js';
import { checkRecords } from '../../generator/records/check-records.js';
import { collectRecordFiles } from '../../generator/records/collect.js';
import { publicationProblems } from '../../generator/review/assert-publishable.js';
import { defaultRecordPaths } from '../options/record-paths.js';
import { addProductionOptions, type ProductionOptions } from '../options/rule-options.js';
import { addFormatOptions, type FormatOptions, report, tally, wantsJson } from '../terminal/diagnostics.js';
import type { Invocation, Io } from '../terminal/io.js';
import { count, say } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { run } from '../terminal/run.js';
import { watchForever } from '../terminal/watch.js';

type Options = FormatOptions & ProductionOptions & { watch?: true };

/** `passport-registry validate` */
export function addValidateCommand(program: Command, io: Invocation): void {
  const command = program
    .command('validate')
    .description('check records without writing anything')
    .argument('[path...]', 'files and folders (default: issuers, or the records in this folder)')
    .option('--watch', 'keep running, and check again after each change');
  addFormatOptions(addProductionOptions(command)).action((named: string[], options: Options) =>
    run(io, wantsJson(options), async () => {
      const paths = named.length > 0 ? named : defaultRecordPaths();
      if (options.watch !== true) return validate(io, paths, options);
      if (options.json || options.format !== 'text')
        throw new UsageError('--watch supports only the text format');
      return watchForever(io, paths, async () => {
        say(io, `--- ${new Date().toLocaleTimeString()}`);
        await validate(io, paths, options);
      });
    }),
  );
}

async function validate(io: Io, paths: readonly string[], options: Options): Promise<number> {
  const { files, diagnostics } = await withProgress(io, async (onProgress) => {
    const collected = collectRecordFiles(paths);
    const change = { before: undefined, after: checkRecords(collected, onProgress) };
    const { allowExampleNames, production } = options;
    const found = publicationProblems(change, { allowExampleNames }, production !== true);
    return { files: collected.found, diagnostics: found };
  });
  const ok = !diagnostics.some(isError);
  report(io, options, { ok, files, diagnostics });
  say(io, `${count(files, 'file')}: ${tally(diagnostics)}`);
  return ok ? 0 : 1;
}
