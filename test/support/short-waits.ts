import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** How much shorter a pause is in the process of a test. */
const FACTOR = 50;

/**
 * Shortens every pause before another attempt, such as the second in which a publication can end. The code makes these
 * pauses with `node:timers/promises`; deadlines are global timers, which stay as they are.
 */
const { setTimeout } = timers;
const shortened = (milliseconds: number, ...rest: unknown[]) =>
  setTimeout(milliseconds / FACTOR, ...(rest as []));
timers.setTimeout = shortened as typeof setTimeout;
syncBuiltinESMExports();

/**
 * Derives keys from passphrases with one iteration instead of 600,000, which take half a second for each file that a test
 * reads or writes.
 */
const { deriveBits } = SubtleCrypto.prototype;
const quick: typeof deriveBits = function (this: SubtleCrypto, algorithm, key, length) {
  const cheap =
    typeof algorithm === 'object' && 'iterations' in algorithm ? { ...algorithm, iterations: 1 } : algorithm;
  return deriveBits.call(this, cheap, key, length);
};
SubtleCrypto.prototype.deriveBits = quick;
