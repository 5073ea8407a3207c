import type { Stats } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Size in bytes, time of the last change of any kind in milliseconds, and inode. */
const WIDTH = 3;

/**
 * What tells whether files have been touched since somebody looked, a row each. Unlike the time of the last writing, that of
 * the last change of any kind cannot be set; and another file in the place of one has another inode.
 */
export class Stamps {
  /** Row after row, so that many are kept and compared at little cost. */
  readonly numbers: Float64Array;

  /** @param rows - how many files; or the numbers of stamps that have been kept */
  constructor(rows: number | Float64Array) {
    this.numbers = typeof rows === 'number' ? new Float64Array(rows * WIDTH).fill(Number.NaN) : rows;
  }

  /** Notes what a file is like now. Where its last change is too recent to be told from a next one, nothing is noted. */
  set(row: number, { size, ctimeMs, ino }: Stats): void {
    if (isRecent(ctimeMs)) this.numbers.fill(Number.NaN, row * WIDTH, (row + 1) * WIDTH);
    else this.numbers.set([size, ctimeMs, ino], row * WIDTH);
  }

  /** Takes over a row of others. */
  copy(row: number, from: Stamps, at: number): void {
    for (let column = 0; column < WIDTH; column++) {
      this.numbers[row * WIDTH + column] = from.numbers[at * WIDTH + column] as number;
    }
  }

  /** Whether a file is what it was when its row was noted. */
  fits(row: number, { size, ctimeMs, ino }: Stats): boolean {
    const { numbers } = this;
    const at = row * WIDTH;
    return numbers[at] === size && numbers[at + 1] === ctimeMs && numbers[at + 2] === ino;
  }
}

/** Clocks of file systems tick up to every 16 milliseconds; those that count in seconds, every two. Milliseconds. */
const TICK = 25;
const TICK_OF_SECONDS = 2_100;

function isRecent(ctimeMs: number): boolean {
  const tick = ctimeMs % 1000 === 0 ? TICK_OF_SECONDS : TICK;
  return ctimeMs > Date.now() - tick;
}

/** Waits until what was written before is no longer too recent for a stamp, where clocks tick often enough. */
export function untilNoLongerRecent(): Promise<void> {
  return setTimeout(TICK + 1);
}
