import { availableParallelism } from 'node:os';
import { batchesOf, type CheckedFiles, checkBatches, rowsOf } from './check-files.js';
import { type FoundFiles, readRecord, shownPath, stemOf } from './collect.js';
import { type Diagnostic, type Range, WHOLE_FILE } from './diagnostic.js';
import { checkIds, type NamedRecord } from './ids.js';
import { onThread } from './on-thread.js';
import { parseRecordFile } from './parse.js';
import type { OnProgress } from './progress.js';

/** How record files are checked. */
export interface CheckOptions {
  /** On how many threads, this one included. Default: one a processor, as far as there is enough to do. */
  readonly workers?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Whether the file at a place among those found is known to hold a good record; then it is not read. */
  readonly isKnown?: ((index: number) => boolean) | undefined;
}

/** What came of it. */
export interface CheckedRecords {
  /** Those files that were not known, in their order. */
  readonly checked: readonly CheckedFiles[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Checks record files, each by itself and all against each other. The outcome does not depend on the number of threads. */
export async function checkRecords(
  { files, links }: FoundFiles,
  { workers, onProgress, isKnown = () => false }: CheckOptions,
): Promise<CheckedRecords> {
  const unknown = files.filter((_file, index) => !isKnown(index));
  const threads = Math.min(workers ?? threadsFor(unknown.length), batchesOf(unknown.length));
  const checked = await onThreads({ files: unknown, links }, threads, onProgress);
  const rows = rowsOf(checked);
  const named: NamedRecord[] = [];
  // Known records have been checked against each other: of them only those matter whose id is taken now.
  const taken = new Set(checked.flatMap(({ ids }) => ids).map((id) => id?.toLowerCase()));
  for (const [index, file] of files.entries()) {
    const stem = stemOf(file);
    const id = isKnown(index) ? stem : rows.next().value?.id;
    if (id === undefined || (isKnown(index) && !taken.has(id))) continue;
    named.push({ file: shownPath(file), stem, id, range: () => rangeOfId(file, links.get(file)) });
  }
  return { checked, diagnostics: [...checked.flatMap(({ diagnostics }) => diagnostics), ...checkIds(named)] };
}

/** Below this a thread takes longer to start than it saves. */
const FILES_A_THREAD = 15_000;
/** More would mostly wait for the disk, and each takes memory. */
const MOST_THREADS = 4;

function threadsFor(files: number): number {
  return Math.max(1, Math.min(availableParallelism(), MOST_THREADS, Math.floor(files / FILES_A_THREAD)));
}

/** The other threads begin first, so that they start up while this one is at work. */
async function onThreads(
  found: FoundFiles,
  threads: number,
  onProgress: OnProgress | undefined,
): Promise<CheckedFiles[]> {
  const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const module = new URL('./check-files.js', import.meta.url).href;
  const others = Array.from({ length: threads - 1 }, () =>
    onThread<CheckedFiles[]>({ module, name: checkBatches.name, args: [found, taken] }),
  );
  const own = async () =>
    checkBatches(found, taken, (done) => onProgress?.('checking', done, found.files.length));
  const all = await Promise.all([...others, own()]);
  return all.flat().sort((a, b) => a.from - b.from);
}

/** Only where something is wrong does anybody ask where an id stands: then the file is read again. */
function rangeOfId(file: string, root: string | undefined): Range {
  const record = readRecord(file, root);
  return 'text' in record ? parseRecordFile(record).locate(['issuer_id']) : WHOLE_FILE;
}
