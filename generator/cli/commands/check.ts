import type { Command } from 'commander';
import { unknownId } from '../../authoring/find-record.js';
import { byPlace, isError } from '../../diagnostics/diagnostic.js';
import { type RecordSet, recordsInFolder, recordsOfRevisions } from '../../review/record-set.js';
import { positiveNumber } from '../options/positive-number.js';
import { addFormatOptions, type FormatOptions, report, wantsJson } from '../terminal/diagnostics.js';
import type { Invocation, Io } from '../terminal/io.js';
import { count, say } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { run } from '../terminal/run.js';

interface Options extends FormatOptions {
  issuers: string;
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
    .argument('[id...]', 'issuer ids (default: all issuers)')
    .option('--issuers <dir>', 'folder of the records', 'issuers')
    .option('--changed <base>', 'only issuers whose records differ from a commit')
    .option('--allow-private', 'also contact private, loopback and link-local addresses')
    .option('--timeout <seconds>', 'time limit for each document', '10')
    .option('--concurrency <number>', 'number of issuers to check at the same time', '16');
  addFormatOptions(command).action((ids: string[], options: Options) =>
    run(io, wantsJson(options), () => check(io, ids, options)),
  );
}

async function check(io: Io, ids: readonly string[], options: Options): Promise<number> {
  const bounds = {
    timeout: positiveNumber('--timeout', options.timeout),
    concurrency: positiveNumber('--concurrency', options.concurrency),
    allowPrivate: options.allowPrivate === true,
  };
  // Imported on demand: no other command contacts issuers, and the modules of Node.js for these requests load slowly.
  const { checkOnline } = await import('../../online/check-online.js');
  const records = selectIds(await recordsOf(io, options), ids);
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

async function recordsOf({ env }: Io, { issuers, changed }: Options): Promise<RecordSet> {
  if (changed === undefined) return recordsInFolder(issuers);
  return recordsOfRevisions(changed, issuers, env).after;
}

function selectIds(records: RecordSet, ids: readonly string[]): RecordSet {
  if (ids.length === 0) return records;
  for (const id of ids) {
    if (!records.files.has(id)) throw unknownId('there is no record of', id, [...records.files.keys()]);
  }
  const files = new Set(ids.map((id) => records.files.get(id)?.file));
  return {
    ...records,
    issuers: new Map([...records.issuers].filter(([id]) => ids.includes(id))),
    diagnostics: records.diagnostics.filter(({ file }) => files.has(file)),
  };
}
