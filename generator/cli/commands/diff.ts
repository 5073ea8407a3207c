import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { byPlace } from '../../diagnostics/diagnostic.js';
import { UsageError } from '../../errors.js';
import { describeDifference, difference } from '../../review/difference.js';
import type { TransitionOverride } from '../../review/forbidden-changes.js';
import { checkTransitions } from '../../review/forbidden-changes.js';
import { forMarkdown } from '../../review/markdown.js';
import {
  type RecordSet,
  recordsInFolder,
  recordsOfRevisions,
  recordsPublished,
} from '../../review/record-set.js';
import { PATHS } from '../../tree/paths.js';
import { addOverrideOption } from '../options/rule-options.js';
import { loadTrust, TRUST_OPTION } from '../options/trust-option.js';
import { isAddress, isFolder } from '../options/where.js';
import { addFormatOptions, type FormatOptions, report, tally, wantsJson } from '../terminal/diagnostics.js';
import type { Invocation, Io } from '../terminal/io.js';
import { count, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';

type Options = Omit<FormatOptions, 'format'> & {
  format: FormatOptions['format'] | 'markdown';
  issuers: string;
  rootKey?: string;
  failOn: 'error' | 'warning';
  override: TransitionOverride[];
};

/** `passport-registry diff` */
export function addDiffCommand(program: Command, io: Invocation): void {
  const command = program
    .command('diff')
    .description('show what a change does to the issuers, and check the rules of change')
    .argument('<before>', 'commits as A..B or A...B, a commit, a folder of records or a tree, or a URL')
    .argument('[after]', 'what to compare with (default: the records in this folder)')
    .option('--issuers <dir>', 'folder of the records, also within commits', 'issuers')
    .option(...TRUST_OPTION);
  addOverrideOption(command).addOption(
    new Option('--fail-on <severity>', 'which problems end with exit code 1')
      .choices(['error', 'warning'])
      .default('error'),
  );
  addFormatOptions(command, ['markdown']).action(
    (before: string, after: string | undefined, options: Options) =>
      run(io, wantsJson(options), () => diff(io, [before, after], options)),
  );
}

/** The arguments that name what to compare. */
type Compared = readonly [before: string, after: string | undefined];

async function diff(io: Io, compared: Compared, options: Options): Promise<number> {
  const { before, after } = await readSides(io, compared, options);
  // A record that exists but is invalid has its own diagnostics, and has not been removed.
  const changes = difference(before.issuers, after.issuers).filter(
    ({ issuer_id, kind }) => kind !== 'removed' || !after.files.has(issuer_id),
  );
  const transitions = checkTransitions(before, after, options.override);
  const diagnostics = [...after.diagnostics, ...transitions].sort(byPlace);
  const failing = options.failOn === 'warning' ? ['error', 'warning'] : ['error'];
  const ok = diagnostics.every(({ severity }) => !failing.includes(severity));
  const { format } = options;
  if (format === 'markdown') io.stdout.write(forMarkdown(changes, after.issuers, diagnostics));
  else {
    if (format === 'text') for (const line of describeDifference(changes, after.issuers)) say(io, line);
    report(io, { ...options, format }, { ok, changes, diagnostics });
  }
  say(io, `${count(changes.length, 'issuer')} changed: ${tally(diagnostics)}`);
  return ok ? 0 : 1;
}

interface Sides {
  readonly before: RecordSet;
  readonly after: RecordSet;
}

async function readSides(io: Io, [first, second]: Compared, options: Options): Promise<Sides> {
  const isCommits = !isAddress(first) && !isFolder(first);
  if (isCommits && second === undefined) {
    return recordsOfRevisions(first, options.issuers, io.env);
  }
  if (isCommits)
    throw new UsageError(`${first} is neither a folder nor a URL; write commits as A..B, without spaces`);
  const readSide = (where: string) => recordsAt(io, where, options.rootKey);
  return { before: await readSide(first), after: await readSide(second ?? options.issuers) };
}

async function recordsAt(io: Io, where: string, rootKey: string | undefined): Promise<RecordSet> {
  if (!isAddress(where) && !existsSync(join(where, PATHS.list))) return recordsInFolder(where);
  if (rootKey === undefined)
    say(
      io,
      `note: without --root-key, the list of ${where} is verified with the key that is published next to the list`,
    );
  return recordsPublished(where, rootKey === undefined ? undefined : await loadTrust(io, rootKey));
}
