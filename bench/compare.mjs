import { appendFileSync } from 'node:fs';

/** Appends a figure to the file that bench/run.mjs collects, if bench/run.mjs started this process. */
export function record(figure) {
  const file = process.env.BENCH_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
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
  const ratios = times.map(([a, b]) => a / b).sort((a, b) => a - b);
  const at = (values, share) => values[Math.floor((values.length - 1) * share)];
  const [low, ratio, high] = [0.25, 0.5, 0.75].map((share) => at(ratios, share).toFixed(2));
  const median = at(
    times.map(([a]) => a).sort((a, b) => a - b),
    0.5,
  );
  console.log(`${name}: ${ratio} (${low} to ${high}), ${median.toFixed(1)} ms`);
  record({ name, ratio: Number(ratio), low: Number(low), high: Number(high) });
  return { ratio: Number(ratio), median };
}
