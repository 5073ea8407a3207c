import {
  bundlePath,
  entryBytes,
  forEachConcurrent,
  formatBundle,
  type IndexedEntry,
  type LogTree,
  TILE_WIDTH,
  type TileAddress,
  tilePath,
} from '@passport-registry/verifier/core';
import { LOG_FOLDER } from '../log/log-files.js';
import { isLogPath } from '../tree/files.js';
import { PATHS } from '../tree/paths.js';
import { CONCURRENCY } from './ask-host.js';
import type { SeenFiles } from './seen-files.js';

/** A log whose entries have been verified. */
interface ArchivedLog {
  readonly entries: readonly IndexedEntry[];
  readonly tree: LogTree;
}

/**
 * Finds what is wrong with the files that a listing of a tree has below `log/`: tiles of any width belong to the entries of the
 * log, and there is nothing else (rule log-kept).
 *
 * @returns the problems, sorted
 */
export async function findArchiveProblems(files: SeenFiles, log: ArchivedLog): Promise<readonly string[]> {
  const found: string[] = [];
  const paths = (files.paths() ?? []).filter(isLogPath);
  await forEachConcurrent(paths, CONCURRENCY, async (path) => {
    const problem = await findProblem(path, files, log);
    if (problem !== undefined) found.push(problem);
  });
  return found.sort();
}

/** The files that are checked elsewhere. */
const isCheckedElsewhere = (path: string, { entries }: ArchivedLog) => {
  const [, index] = /^log\/statements\/(0|[1-9][0-9]*)\.jwt$/.exec(path) ?? [];
  if (index !== undefined) return Number(index) < entries.length;
  return path === PATHS.logHead;
};

async function findProblem(path: string, files: SeenFiles, log: ArchivedLog): Promise<string | undefined> {
  if (isCheckedElsewhere(path, log)) return undefined;
  const check = tileCheck(path, log);
  if (check === undefined) return `${path} is not part of the log`;
  const bytes = await files.read(path);
  return bytes === undefined ? `${path} is missing` : check(bytes);
}

/** Returns what is wrong with a file. Undefined if nothing is. */
type Check = (bytes: Uint8Array) => string | undefined;

const TILE = /^log\/tile\/([0-9]{1,2}|entries)\/((?:x[0-9]{3}\/)*[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/;

/** A tile or a bundle, full or partial (rule log-tiles). */
function tileCheck(path: string, { entries, tree }: ArchivedLog): Check | undefined {
  const [, level, index, width] = TILE.exec(path) ?? [];
  if (level === undefined || index === undefined) return undefined;
  const isBundle = level === 'entries';
  const address: TileAddress = {
    level: isBundle ? 0 : Number(level),
    index: Number(index.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  const tile = tree.tile(address);
  if (tile === undefined || path !== LOG_FOLDER + (isBundle ? bundlePath(address) : tilePath(address)))
    return undefined;
  const first = address.index * TILE_WIDTH;
  const expected = () =>
    isBundle
      ? formatBundle(entries.slice(first, first + address.width).map(({ entry }) => entryBytes(entry)))
      : tile;
  return (bytes) =>
    Buffer.compare(bytes, expected()) === 0 ? undefined : `${path} does not belong to the entries of the log`;
}
