import { Option } from 'commander';
import { byPlace, isError } from '../../generator/diagnostics/diagnostic.js';
import type { RecordSet } from '../../generator/records/check-records.js';
import { recordsIn, recordsOfRevisions } from '../../generator/review/record-set.js';
import { numberOption } from '../options/common-options.js';
import { assertKnown, namedRecords, notBesidesFiles, RECORDS_FOLDER } from '../options/named-records.js';
import { type FormatOptions, formatOf, report } from '../terminal/diagnostics.js';
import { count, type Io, reportOutput, withProgress, writeLine } from '../terminal/io.js';

/** The options of `check --online`. */
export interface OnlineOptions {
  issuers?: string;
  changed?: string;
  allowPrivate?: true;
  timeout: number;
}

/** The same, for the help. */
export const ONLINE_OPTIONS = [
  new Option('--changed <base>', 'with --online: only records changed since a commit'),
  new Option('--allow-private', 'with --online: also ask private addresses'),
  numberOption('--timeout <seconds>', 'with --online: limit for a response').default(10),
];

/** `passport-registry check --online` */
export async function checkIssuers(
  io: Io,
  names: readonly string[],
  options: OnlineOptions & FormatOptions,
): Promise<number> {
  const { timeout, allowPrivate = false } = options;
  // Imported on demand: no other command contacts issuers, and the modules of Node.js for these requests load slowly.
  const { checkOnline } = await import('../online/check-online.js');
  const records = await recordsOf(io, names, options);
  const online = await withProgress(io, (onProgress) =>
    checkOnline(records, { timeout, allowPrivate }, onProgress),
  );
  const diagnostics = [...records.diagnostics, ...online.diagnostics].sort(byPlace);
  const ok = !diagnostics.some(isError);
  const format = formatOf(io, options);
  report(io, format, { ok, ...online, diagnostics });
  const countOf = (wanted: string) => online.issuers.filter(({ result }) => result === wanted).length;
  writeLine(
    reportOutput(io, format !== 'text'),
    `${count(online.issuers.length, 'issuer')}: ${countOf('good')} passed, ${countOf('bad')} failed, ${countOf('revoked')} revoked and not checked`,
  );
  return ok ? 0 : 1;
}

async function recordsOf(
  { env }: Io,
  names: readonly string[],
  { issuers, changed }: OnlineOptions,
): Promise<RecordSet> {
  const { paths, ids } = namedRecords(names, issuers);
  if (changed === undefined) return selectIds(recordsIn(paths), ids);
  if (ids.length < names.length) throw notBesidesFiles();
  return selectIds(recordsOfRevisions(changed, issuers ?? RECORDS_FOLDER, env).after, ids);
}

function selectIds(records: RecordSet, ids: readonly string[]): RecordSet {
  if (ids.length === 0) return records;
  assertKnown(ids, records.files);
  const files = new Set(ids.map((id) => records.files.get(id)?.file));
  return {
    ...records,
    issuers: new Map([...records.issuers].filter(([id]) => ids.includes(id))),
    diagnostics: records.diagnostics.filter(({ file }) => files.has(file)),
  };
}
