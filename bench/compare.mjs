// What the benchmarks share: measuring two functions in alternation, and running the command line.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** With `--quick`, a benchmark measures one pair of small sizes, which only shows that the benchmark runs. */
export const isQuick = process.argv.includes('--quick');

/** The command line, as it was compiled. */
export const CLI = fileURLToPath(new URL('../build/cli/main.js', import.meta.url));

export const count = (value) => value.toLocaleString('en-US');

/** Where the clocks of all benchmarks begin, in seconds since 1970. */
export const NOW = Math.floor(Date.now() / 1000);

/** A folder that is removed when the process ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs Node.js to its end. @throws Error with what the program has printed, if it fails */
export function node(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
}

/** Starts a program, which runs until this process ends. Returns the URL that it prints, if it prints one. */
export function start(cwd, program, ...args) {
  const child = spawn(program, args, { cwd });
  process.on('exit', () => child.kill());
  return new Promise((resolve, reject) => {
    let said = '';
    const read = (text) => {
      said += text;
      const [url] = /http:\/\/127\.0\.0\.1:\d+(?=["\s])/.exec(said) ?? [];
      if (url === undefined) return;
      for (const one of [child, child.stdout, child.stderr]) one.unref();
      resolve(url);
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', read);
    child.on('exit', () => reject(new Error(`${args.join(' ')}: ${said}`)));
  });
}

/**
 * Measures two functions in alternation (A B A B), and reports the ratios of all pairs. Absolute times mean little on shared
 * machines. Ratios of pairs cancel out slow changes in the speed of the machine.
 */
export async function compare(name, subject, floor, pairs) {
  const time = async (work) => {
    // Neither function should pay for the garbage of the other.
    globalThis.gc?.();
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  return comparePairs(name, pairs, async () => [await time(subject), await time(floor)]);
}

/** Reports the ratios of pairs of values. The first pair only warms up. */
export async function comparePairs(name, pairs, measure) {
  if (!isQuick) await measure();
  const ratios = [];
  for (let pair = 0; pair < (isQuick ? 1 : pairs); pair++) {
    const [a, b] = await measure();
    ratios.push(a / b);
  }
  report(name, ratios);
}

/** Prints the median of some values, and their quartiles if there is more than one. bench/run.mjs reads the line. */
export function report(name, values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => Number(sorted[Math.floor((sorted.length - 1) * share)].toPrecision(3));
  console.log(`${name}: ${at(0.5)}${sorted.length > 1 ? ` (${at(0.25)} to ${at(0.75)})` : ''}`);
}
