import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { TransitionOverride } from '../configuration.js';
import { byPlace } from '../diagnostic.js';
import { describeDifference, difference } from '../difference.js';
import { UsageError } from '../errors.js';
import { revisionsOf } from '../git.js';
import { loadRootKey } from '../key-file.js';
import { PATHS } from '../paths.js';
import { forMarkdown } from '../printers/markdown.js';
import { type RecordSet, recordsInFolder, recordsOfRevisions, recordsPublished } from '../record-set.js';
import { checkTransitions, OVERRIDABLE } from '../transitions.js';
import { addFormatOptions, type FormatOptions, report, tally, wantsJson } from './diagnostics.js';
import { count, say } from './output.js';
import { run } from './run.js';
import { isAddress, isFolder } from './where.js';

type Options = Omit<FormatOptions, 'format'> & {
  format: FormatOptions['format'] | 'markdown';
  issuers: string;
  rootKey?: string;
  failOn: 'error' | 'warning';
  override: TransitionOverride[];
};

/** `passport-registry diff` */
export function addDiffCommand(program: Command): void {
  const command = program
    .command('diff')
    .description('what a change does to the issuers, and whether it may')
    .argument('<before>', 'commits as A..B or A...B, a commit, a folder of records or a tree, an address')
    .argument('[after]', 'the same; without it the records here')
    .option('--issuers <dir>', 'folder of the records, also within commits', 'issuers')
    .option('--root-key <file>', 'public JWK of the root key of a published list')
    .addOption(
      new Option('--override <id:rule>', `do not apply a rule to an issuer: ${OVERRIDABLE.join(', ')}`)
        .argParser(override)
        .default([], 'none'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'what ends with exit code 1')
        .choices(['error', 'warning'])
        .default('error'),
    );
  addFormatOptions(command, ['markdown']).action(
    (before: string, after: string | undefined, options: Options) =>
      run(wantsJson(options), () => diff(before, after, options)),
  );
}

function override(text: string, earlier: TransitionOverride[]): TransitionOverride[] {
  const [issuer_id = '', rule = ''] = text.split(':');
  if (!(OVERRIDABLE as readonly string[]).includes(rule)) {
    throw new UsageError(`--override takes ISSUER:RULE, where RULE is one of ${OVERRIDABLE.join(', ')}`);
  }
  return [...earlier, { issuer_id, rule, reason: 'on the command line' }];
}

async function diff(first: string, second: string | undefined, options: Options): Promise<number> {
  const { before, after } = await sides(first, second, options);
  const changes = difference(before.issuers, after.issuers);
  const transitions = checkTransitions(before, after, options.override);
  const diagnostics = [...after.diagnostics, ...transitions].sort(byPlace);
  const failing = options.failOn === 'warning' ? ['error', 'warning'] : ['error'];
  const ok = diagnostics.every(({ severity }) => !failing.includes(severity));
  const { format } = options;
  if (format === 'markdown') process.stdout.write(forMarkdown(changes, after.issuers, diagnostics));
  else {
    if (format === 'text') for (const line of describeDifference(changes, after.issuers)) say(line);
    report({ ...options, format }, diagnostics, { ok, changes, diagnostics });
  }
  say(`${count(changes.length, 'issuer')} changed: ${tally(diagnostics)}`);
  return ok ? 0 : 1;
}

interface Sides {
  readonly before: RecordSet;
  readonly after: RecordSet;
}

async function sides(first: string, second: string | undefined, options: Options): Promise<Sides> {
  const isCommits = !isAddress(first) && !isFolder(first);
  if (isCommits && second === undefined) {
    return recordsOfRevisions(revisionsOf(first, options.issuers), options.issuers);
  }
  if (isCommits)
    throw new UsageError(`${first} is neither a folder nor an address; commits are A..B, in one word`);
  const side = (where: string) => recordsAt(where, options.rootKey);
  return { before: await side(first), after: await side(second ?? options.issuers) };
}

async function recordsAt(where: string, rootKey: string | undefined): Promise<RecordSet> {
  if (!isAddress(where) && !existsSync(join(where, PATHS.list))) return recordsInFolder(where);
  if (rootKey === undefined) say(`note: without --root-key the list of ${where} is held against its own key`);
  return recordsPublished(where, rootKey === undefined ? undefined : await loadRootKey(rootKey, true));
}
