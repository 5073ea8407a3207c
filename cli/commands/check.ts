import type { Command } from 'commander';
import { checkLayout, fixLayout } from '../../generator/authoring/layout.js';
import { byPlace, type Diagnostic, isError } from '../../generator/diagnostics/diagnostic.js';
import { checkRecords } from '../../generator/records/check-records.js';
import { type Collected, collectRecordFiles, type RecordFile } from '../../generator/records/collect.js';
import { publicationProblems } from '../../generator/review/assert-publishable.js';
import { addOptions, issuersOption, JSON_OPTION } from '../options/common-options.js';
import { assertKnown, type NamedRecords, namedRecords } from '../options/named-records.js';
import { PRODUCTION_OPTIONS, type PublicationOptions } from '../options/publication-options.js';
import { type FormatOptions, formatOf, report, tally } from '../terminal/diagnostics.js';
import { count, type Io, reportOutput, say, withProgress, writeLine } from '../terminal/io.js';
import { watchForever } from '../terminal/until-stopped.js';
import { checkIssuers, ONLINE_OPTIONS, type OnlineOptions } from './check-online.js';

type Options = FormatOptions &
  PublicationOptions &
  OnlineOptions & { fix?: true; online?: true; watch?: true };

/** `passport-registry check` */
export function declareCheck(command: Command, io: Io) {
  command
    .description('check records: fields, layout and, with --online, what issuers serve')
    .argument('[path|id...]', 'files, folders or issuer ids (default: issuers)')
    .option('--fix', 'format the records first; comments stay')
    .option('--online', 'compare the records with what the issuers serve')
    .option('--watch', 'keep running, and check after each change')
    .addOption(issuersOption());
  addOptions(command, ...ONLINE_OPTIONS, ...PRODUCTION_OPTIONS, JSON_OPTION);
  return async (names: string[], options: Options) => {
    if (options.online) return checkIssuers(io, names, options);
    const named = namedRecords(names, options.issuers);
    if (options.watch !== true) return checkFiles(io, named, options);
    assertKnown(named.ids, checkRecords(collectRecordFiles(named.paths)).files);
    return watchForever(io, named.paths, async () => {
      writeLine(io.stdout, `--- ${new Date().toLocaleTimeString()}`);
      await checkFiles(io, named, options);
    });
  };
}

async function checkFiles(io: Io, named: NamedRecords, options: Options): Promise<number> {
  const { files, changed, diagnostics } = await withProgress(io, async (onProgress) => {
    const collected = collectRecordFiles(named.paths);
    const fixed = options.fix ? fixFiles(io, collected, named) : { collected, changed: 0 };
    const records = checkRecords(fixed.collected, onProgress);
    assertKnown(named.ids, records.files);
    const isAll = named.ids.length === 0;
    const chosen = fixed.collected.files.filter(({ stem }) => isAll || named.ids.includes(stem));
    const names = new Set(chosen.map(({ file }) => file));
    const isNamed = ({ file }: Diagnostic) => isAll || names.has(file);
    const { allowExampleNames, production } = options;
    const change = { before: undefined, after: records };
    const found = publicationProblems(change, { allowExampleNames }, production !== true);
    return {
      files: isAll ? collected.found : chosen.length,
      changed: fixed.changed,
      diagnostics: [...found.filter(isNamed), ...layoutProblems(chosen, found, options)].sort(byPlace),
    };
  });
  const ok = !diagnostics.some(isError);
  const format = formatOf(io, options);
  report(io, format, { ok, files, ...(options.fix && { changed }), diagnostics });
  const output = reportOutput(io, format !== 'text');
  writeLine(
    output,
    `${count(files, 'file')}: ${tally(diagnostics)}${options.fix ? `, ${changed} reformatted` : ''}`,
  );
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

/** Finds problems of layout. In a file with another error, only those that `--fix` left: people fix the layout last. */
function layoutProblems(
  chosen: readonly RecordFile[],
  found: readonly Diagnostic[],
  { fix }: Options,
): readonly Diagnostic[] {
  const broken = new Set(found.filter(isError).map(({ file }) => file));
  return chosen.filter(({ file }) => fix || !broken.has(file)).flatMap(checkLayout);
}
