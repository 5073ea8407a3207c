import type { Command } from 'commander';
import { unknownId } from '../../generator/authoring/find-record.js';
import { byPlace, isError } from '../../generator/diagnostics/diagnostic.js';
import { UsageError } from '../../generator/errors.js';
import { RECORD_NAME } from '../../generator/records/record-name.js';
import { type RecordSet, recordsIn, recordsOfRevisions } from '../../generator/review/record-set.js';
import { positiveNumber } from '../options/positive-number.js';
import { defaultRecordPaths, isRecordFile, RECORDS_FOLDER } from '../options/record-paths.js';
import { addFormatOptions, type FormatOptions, report, wantsJson } from '../terminal/diagnostics.js';
import type { Invocation, Io } from '../terminal/io.js';
import { count, say } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { run } from '../terminal/run.js';

interface Options extends FormatOptions {
  issuers?: string;
  changed?: string;
  allowPrivate?: true;
  timeout: string;
  concurrency: string;
}

/** `passport-registry check` */
export function addCheckCommand(program: Command, io: Invocation): void {
  const command = program
    .command('check')
    .description('check the metadata, keys and policy that the issuers serve')
    .argument('[id|file...]', 'issuer ids, or record files (default: all issuers)')
    .option('--issuers <dir>', 'folder of the records (default: issuers, or the records in this folder)')
    .option('--changed <base>', 'only issuers whose records differ from a commit')
    .option('--allow-private', 'also contact private, loopback and link-local addresses')
    .option('--timeout <seconds>', 'time limit for each document', '10')
    .option('--concurrency <number>', 'number of issuers to check at the same time', '16');
  addFormatOptions(command).action((named: string[], options: Options) =>
    run(io, wantsJson(options), () => check(io, named, options)),
  );
}

async function check(io: Io, named: readonly string[], options: Options): Promise<number> {
  const bounds = {
    timeout: positiveNumber('--timeout', options.timeout),
    concurrency: positiveNumber('--concurrency', options.concurrency),
    allowPrivate: options.allowPrivate === true,
  };
  // Imported on demand: no other command contacts issuers, and the modules of Node.js for these requests load slowly.
  const { checkOnline } = await import('../../generator/online/check-online.js');
  const records = await recordsOf(io, named, options);
  const online = await withProgress(io, (onProgress) => checkOnline(records, bounds, onProgress));
  const diagnostics = [...records.diagnostics, ...online.diagnostics].sort(byPlace);
  const ok = !diagnostics.some(isError);
  report(io, options, { ok, ...online, diagnostics });
  const countOf = (wanted: string) => online.issuers.filter(({ result }) => result === wanted).length;
  say(
    io,
    `${count(online.issuers.length, 'issuer')}: ${countOf('good')} passed, ${countOf('bad')} failed, ${countOf('revoked')} revoked and not checked`,
  );
  return ok ? 0 : 1;
}

async function recordsOf({ env }: Io, named: readonly string[], options: Options): Promise<RecordSet> {
  const { issuers, changed } = options;
  const files = named.filter(isRecordFile);
  if (files.length === 0) {
    if (changed === undefined) return selectIds(recordsIn(issuers ? [issuers] : defaultRecordPaths()), named);
    return selectIds(recordsOfRevisions(changed, issuers ?? RECORDS_FOLDER, env).after, named);
  }
  if (files.length < named.length) throw new UsageError('name either issuer ids or record files, not both');
  if (issuers !== undefined || changed !== undefined)
    throw new UsageError('--issuers and --changed select from a folder: leave them out, or name issuer ids');
  return recordsIn(files);
}

function selectIds(records: RecordSet, ids: readonly string[]): RecordSet {
  if (ids.length === 0) return records;
  for (const id of ids) {
    if (records.files.has(id)) continue;
    const problem = RECORD_NAME.test(id)
      ? 'there is neither a file nor a record of'
      : 'there is no record of';
    throw unknownId(problem, id, [...records.files.keys()]);
  }
  const files = new Set(ids.map((id) => records.files.get(id)?.file));
  return {
    ...records,
    issuers: new Map([...records.issuers].filter(([id]) => ids.includes(id))),
    diagnostics: records.diagnostics.filter(({ file }) => files.has(file)),
  };
}
