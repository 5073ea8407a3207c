import { appendFileSync } from 'node:fs';

/** Hands a figure to bench/run.mjs, if that is who asks. */
export function record(figure) {
  const file = process.env.BENCH_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/**
 * Times two things in turn, A B A B, and prints the ratio of each pair's times: the median, and the quartiles around it.
 * Absolute times mean little on shared machines, and pairs take a machine's drift out of the ratio.
 */
export async function compare(name, subject, floor, pairs) {
  const timed = async (work) => {
    // With --expose-gc, so that nobody pays for the other's garbage.
    globalThis.gc?.();
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  await timed(subject);
  await timed(floor);
  const times = [];
  for (let pair = 0; pair < pairs; pair++) times.push([await timed(subject), await timed(floor)]);
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
