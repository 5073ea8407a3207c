import { type Command, Option } from 'commander';
import { publicationProblems } from '../../generator/review/assert-publishable.js';
import { type Comparison, compareRecords, describeDifference } from '../../generator/review/difference.js';
import { addOptions, FAIL_ON_OPTION, issuersOption, JSON_OPTION } from '../options/common-options.js';
import { exceptions } from '../options/publication-choices.js';
import {
  OVERRIDE_OPTION,
  PRODUCTION_OPTIONS,
  type PublicationOptions,
} from '../options/publication-options.js';
import { TRUST_OPTION } from '../options/trust-option.js';
import { isAddress } from '../options/values.js';
import { type FormatOptions, formatOf, report, tally } from '../terminal/diagnostics.js';
import { forMarkdown } from '../terminal/for-markdown.js';
import { count, type Io, reportOutput, writeLine } from '../terminal/io.js';
import { writePublication } from '../terminal/write-past.js';
import { readSides, type SideArguments, type Sides } from './diff-sides.js';

type Options = PublicationOptions &
  FormatOptions & {
    issuers?: string;
    at?: string[];
    failOn: 'error' | 'warning';
  };

const MARKDOWN_OPTION = new Option('--markdown', 'report as Markdown on stdout, for a comment');

/** `passport-registry diff` */
export function declareDiff(command: Command, io: Io) {
  command
    .description('show what a change does to the issuers, and check the rules of change')
    .argument('<before>', 'A..B or A...B of git, a commit, a folder or a URL')
    .argument('[after]', 'the same, or one record (default: issuers)')
    .addOption(issuersOption())
    .addOption(TRUST_OPTION)
    .option(
      '--at <time>',
      'twice: compare the lists in force at two times',
      (time: string, times: readonly string[] = []) => [...times, time],
    );
  const rules = [OVERRIDE_OPTION, ...PRODUCTION_OPTIONS];
  addOptions(command, ...rules, FAIL_ON_OPTION, JSON_OPTION, MARKDOWN_OPTION);
  return (before: string, after: string | undefined, options: Options) => diff(io, [before, after], options);
}

async function diff(io: Io, compared: SideArguments, options: Options): Promise<number> {
  const sides = await readSides(io, compared, options);
  const { before, after, past } = sides;
  const { changes, notCompared } = compareRecords(before, after);
  const development = options.production !== true;
  const diagnostics = publicationProblems({ before, after }, exceptions(options), development);
  const failing = options.failOn === 'warning' ? ['error', 'warning'] : ['error'];
  const ok = diagnostics.every(({ severity }) => !failing.includes(severity));
  const format = formatOf(io, options);
  const output = reportOutput(io, format !== 'text');
  for (const side of past ?? []) {
    writeLine(output, `the list of ${side.at}`);
    writePublication(output, side);
  }
  if (format === 'markdown') io.stdout.write(forMarkdown({ changes, notCompared }, after, diagnostics));
  else {
    if (format === 'text') for (const line of describeDifference(changes, after)) writeLine(output, line);
    report(io, format, { ok, changes, notCompared, diagnostics, ...(past && { past }) });
  }
  const invalid =
    notCompared.length === 0 ? '' : `, ${count(notCompared.length, 'invalid file')} not compared`;
  writeLine(output, `${count(changes.length, 'issuer')} changed${invalid}: ${tally(diagnostics)}`);
  if (format === 'text' && options.at === undefined) {
    for (const line of hints(compared, sides, { changes, notCompared })) writeLine(output, line);
  }
  return ok ? 0 : 1;
}

/** Tells an issuer what a comparison with a published list means. */
function hints(
  [first, second]: SideArguments,
  { before, after, isPartial }: Sides,
  { changes }: Comparison,
): string[] {
  if (isPartial) {
    return [...after.issuers.keys()].map((id) => {
      if (!before.issuers.has(id)) {
        return `note: ${id} is not taken. To get listed, fork the registry's repository, add the file as issuers/${id}.yaml, and send a pull request`;
      }
      const isChanged = changes.some(({ issuer_id }) => issuer_id === id);
      const what = isChanged ? 'and this file changes its record' : 'with the same record';
      return `note: ${id} is in the published list, ${what}. If you are a new issuer, choose another id`;
    });
  }
  const mayBeOne = isAddress(first) && second === undefined;
  if (!mayBeOne || !changes.some(({ kind }) => kind === 'removed')) return [];
  return [`note: to compare a single record, name its file: passport-registry diff ${first} FILE`];
}
