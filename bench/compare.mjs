import { appendFileSync } from 'node:fs';

/** Appends a figure to the file that bench/run.mjs collects, if bench/run.mjs started this process. */
export function record(figure) {
  const file = process.env.BENCH_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** Says that a figure cannot be measured here. bench/run.mjs then keeps the figure of the last `--write`. */
export function notMeasured(name, reason) {
  console.log(`${name}: ${reason}`);
  record({ name, isMissing: true });
}

/**
 * Measures two functions in alternation (A B A B). Prints the median of the ratios of all pairs, and their quartiles.
 * Absolute times mean little on shared machines. Ratios of pairs cancel out slow changes in the speed of the machine.
 */
export async function compare(name, subject, floor, pairs) {
  const measure = async (work) => {
    // Needs --expose-gc. Neither function should pay for the garbage of the other.
    globalThis.gc?.();
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  await measure(subject);
  await measure(floor);
  const times = [];
  for (let pair = 0; pair < pairs; pair++) times.push([await measure(subject), await measure(floor)]);
  return comparePairs(name, times, 'ms');
}

/**
 * Prints and records the median of the ratios of measured pairs, and their quartiles if there is more than one. Prints the
 * median of the first ones, too.
 */
export function comparePairs(name, pairs, unit) {
  const ratios = sorted(pairs.map(([a, b]) => a / b));
  const [low, ratio, high] = [0.25, 0.5, 0.75].map((share) => Number(quantile(ratios, share).toFixed(2)));
  const median = quantile(sorted(pairs.map(([a]) => a)), 0.5);
  const quartiles = pairs.length > 1 ? { low, high } : undefined;
  console.log(`${name}: ${ratio}${quartiles ? ` (${low} to ${high})` : ''}, ${median.toFixed(1)} ${unit}`);
  record({ name, ratio, ...quartiles });
  return { ratio, median };
}

/** Compares the waits below which a share of the waits is. Of all runs together: a run has too few slow answers. */
export function compareWaits(name, pairs, share) {
  const waits = [0, 1].map((at) => quantile(sorted(pairs.flatMap((pair) => pair[at].waits)), share));
  comparePairs(name, [waits], 'ms');
}

/** Returns the value below which a share of the values is. The values are in order. */
function quantile(values, share) {
  return values[Math.floor((values.length - 1) * share)];
}

const sorted = (values) => values.sort((a, b) => a - b);
