import type { Command } from 'commander';
import { checkLayout, fixLayout } from '../../generator/authoring/layout.js';
import { byPlace, type Diagnostic, isError } from '../../generator/diagnostics/diagnostic.js';
import { UsageError } from '../../generator/errors.js';
import { checkRecords, type RecordSet } from '../../generator/records/check-records.js';
import { type Collected, collectRecordFiles } from '../../generator/records/collect.js';
import type { RecordFile } from '../../generator/records/yaml/record-file.js';
import { publicationProblems } from '../../generator/review/assert-publishable.js';
import { addOptions } from '../options/add-options.js';
import { PRODUCTION_OPTIONS, type ProductionOptions } from '../options/rule-options.js';
import { type FormatOptions, formatOptions, report, tally, wantsJson } from '../terminal/diagnostics.js';
import type { Invocation, Io } from '../terminal/io.js';
import { count, say } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { run } from '../terminal/run.js';
import { watchForever } from '../terminal/watch.js';
import { checkIssuers, type OnlineOptions } from './check-online.js';
import { assertKnown, type NamedRecords, namedRecords } from './named-records.js';

type Options = FormatOptions &
  ProductionOptions &
  OnlineOptions & { fix?: true; online?: true; watch?: true };

/** The options that only one of the two checks has, by the names of their values. */
const ONLY = {
  online: {
    changed: '--changed',
    allowPrivate: '--allow-private',
    timeout: '--timeout',
    concurrency: '--concurrency',
  },
  offline: {
    fix: '--fix',
    watch: '--watch',
    production: '--production',
    allowExampleNames: '--allow-example-names',
  },
} as const;

/** `passport-registry check` */
export function declareCheck(command: Command, io: Invocation): void {
  command
    .description('check records: their fields, their layout and, with --online, what their issuers serve')
    .argument(
      '[path|id...]',
      'files, folders or issuer ids (default: issuers, or the records in this folder)',
    )
    .option('--fix', 'first format the records, and keep their comments')
    .option('--online', 'ask the issuers: compare their metadata, keys and policy with the records')
    .option('--watch', 'keep running, and check again after each change')
    .option('--issuers <dir>', 'folder of the records')
    .option('--changed <base>', 'with --online: only issuers whose records differ from a commit')
    .option('--allow-private', 'with --online: also contact private, loopback and link-local addresses')
    .option('--timeout <seconds>', 'with --online: time limit for each document', '10')
    .option('--concurrency <number>', 'with --online: number of issuers to check at the same time', '16');
  addOptions(command, ...PRODUCTION_OPTIONS, ...formatOptions()).action((names: string[], options: Options) =>
    run(io, wantsJson(options), async () => {
      assertNotBoth(command, options);
      if (options.online) return checkIssuers(io, names, options);
      const named = namedRecords(names, options.issuers);
      if (options.watch !== true) return checkFiles(io, named, options);
      if (options.json || options.format !== 'text')
        throw new UsageError('--watch supports only the text format');
      if (options.fix) throw new UsageError('--watch changes no file: leave out --fix');
      assertKnown(named.ids, checkRecords(collectRecordFiles(named.paths)).files);
      return watchForever(io, named.paths, async () => {
        say(io, `--- ${new Date().toLocaleTimeString()}`);
        await checkFiles(io, named, options);
      });
    }),
  );
}

/** An option without effect would let its user believe that it was obeyed. */
function assertNotBoth(command: Command, { online }: Options): void {
  const [flags, advice] = online
    ? [ONLY.offline, 'leave it out, or --online']
    : [ONLY.online, 'it is for what issuers serve: pass --online, too'];
  const given = Object.entries(flags).find(([name]) => command.getOptionValueSource(name) === 'cli');
  if (given !== undefined) throw new UsageError(`${given[1]} has no effect here: ${advice}`);
}

async function checkFiles(io: Io, named: NamedRecords, options: Options): Promise<number> {
  const { files, changed, diagnostics } = await withProgress(io, async (onProgress) => {
    const collected = collectRecordFiles(named.paths);
    const fixed = options.fix ? fixFiles(io, collected, named) : { collected, changed: 0 };
    const records = checkRecords(fixed.collected, onProgress);
    const chosen = chosenFiles(fixed.collected, records, named);
    const { allowExampleNames, production } = options;
    const change = { before: undefined, after: records };
    const found = publicationProblems(change, { allowExampleNames }, production !== true);
    return {
      files: named.ids.length === 0 ? collected.found : chosen.length,
      changed: fixed.changed,
      diagnostics: [...inFiles(found, chosen, named), ...layoutProblems(chosen, found, options)].sort(
        byPlace,
      ),
    };
  });
  const ok = !diagnostics.some(isError);
  report(io, options, { ok, files, ...(options.fix && { changed }), diagnostics });
  say(io, `${count(files, 'file')}: ${tally(diagnostics)}${options.fix ? `, ${changed} reformatted` : ''}`);
  return ok ? 0 : 1;
}

/** Formats the files of the named records. */
function fixFiles(
  io: Io,
  collected: Collected,
  named: NamedRecords,
): { readonly collected: Collected; readonly changed: number } {
  let changed = 0;
  const files = collected.files.map((file) => {
    if (named.ids.length > 0 && !named.ids.includes(file.stem)) return file;
    const fixed = fixLayout(file);
    if (fixed.changed) {
      changed += 1;
      say(io, `${file.file} reformatted`);
    }
    return fixed.record;
  });
  return { collected: { ...collected, files }, changed };
}

/** The files of the named records. @throws {@link UsageError} if an id has none */
function chosenFiles({ files }: Collected, records: RecordSet, { ids }: NamedRecords): readonly RecordFile[] {
  assertKnown(ids, records.files);
  return ids.length === 0 ? files : files.filter(({ stem }) => ids.includes(stem));
}

function inFiles(
  diagnostics: readonly Diagnostic[],
  chosen: readonly RecordFile[],
  { ids }: NamedRecords,
): readonly Diagnostic[] {
  if (ids.length === 0) return diagnostics;
  const names = new Set(chosen.map(({ file }) => file));
  return diagnostics.filter(({ file }) => names.has(file));
}

/** The layout is the last thing to mend in a file: with another error, it is reported only if it could not be mended. */
function layoutProblems(
  chosen: readonly RecordFile[],
  found: readonly Diagnostic[],
  { fix }: Options,
): readonly Diagnostic[] {
  const broken = new Set(found.filter(isError).map(({ file }) => file));
  return chosen.filter(({ file }) => fix || !broken.has(file)).flatMap(checkLayout);
}
