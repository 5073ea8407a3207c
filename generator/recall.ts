import { lstatSync } from 'node:fs';
import { digestAt, type RememberedSources } from './build-cache.js';
import { sha256 } from './checksums.js';
import { type FoundFiles, readRecordFile } from './collect.js';
import { placesAmong } from './places-among.js';
import { Stamps } from './stamps.js';

/** Which record files are as they are remembered. */
export interface Recalled {
  /** For each file that has been found its row among those remembered; -1 where it must be read. */
  readonly rows: Int32Array;
  /** What those are like now. */
  readonly stamps: Stamps;
  /** Whether all are as they are remembered, and none is gone. */
  readonly same: boolean;
}

/**
 * Compares record files with what is remembered of them, by their stamps; and where those differ, by what is in them. Links are not
 * remembered.
 */
export function recall({ files, links }: FoundFiles, remembered: RememberedSources): Recalled {
  const rows = placesAmong(files, remembered.files);
  const stamps = new Stamps(files.length);
  let known = 0;
  for (const [index, file] of files.entries()) {
    const row = rows[index] as number;
    if (row !== -1 && !links.has(file) && isAsRemembered(file, remembered, row, stamps, index)) known++;
    else rows[index] = -1;
  }
  return { rows, stamps, same: known === files.length && known === remembered.files.length };
}

/** Notes the stamp of a file that is what it was. */
function isAsRemembered(
  file: string,
  remembered: RememberedSources,
  row: number,
  stamps: Stamps,
  index: number,
): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (remembered.stamps.fits(row, stats)) {
    stamps.copy(index, remembered.stamps, row);
    return true;
  }
  const read = readRecordFile(file, undefined);
  if (!('bytes' in read) || sha256(read.bytes) !== digestAt(remembered, row)) return false;
  stamps.set(index, read.stats);
  return true;
}
