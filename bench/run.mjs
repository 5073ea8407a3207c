// Runs all benchmarks and compares their ratios with bench/results.json. Fails if a ratio is more than a quarter worse.
// With --write, the new ratios replace the old ones, and bench/RESULTS.md is generated from them.
// Usage: node bench/run.mjs [--write] [benchmark ...]

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const MAX_DEGRADATION = 1.25;

const BENCHMARKS = [
  'startup',
  'build',
  'emergency',
  'list-load',
  'refresh',
  'lookup',
  'follow',
  'decide',
  'verify-action',
  'wire',
  'website',
  'page-load',
  'log',
];

const selected = process.argv.slice(2).filter((argument) => argument !== '--write');
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const file = join(folder, 'figures');
writeFileSync(file, '');
try {
  for (const benchmark of selected.length > 0 ? selected : BENCHMARKS) {
    const { status } = spawnSync(process.execPath, ['--expose-gc', here(`${benchmark}.mjs`)], {
      stdio: 'inherit',
      env: { ...process.env, BENCH_FIGURES: file },
    });
    if (status !== 0) throw new Error(`the benchmark ${benchmark} failed`);
  }
  const figures = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (process.argv.includes('--write')) write(figures);
  else process.exitCode = compareWithKept(figures);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A higher throughput is better. All other figures are better if they are lower. */
function isThroughput(name) {
  return name.startsWith('throughput');
}

function compareWithKept(figures) {
  const kept = keptFigures();
  let worse = 0;
  for (const { name, ratio } of figures) {
    const before = kept.get(name)?.ratio;
    if (before === undefined) continue;
    const degradation = isThroughput(name) ? before / ratio : ratio / before;
    if (degradation <= MAX_DEGRADATION) continue;
    worse += 1;
    console.error(`WORSE ${name}: ${ratio}, was ${before}`);
  }
  console.error(
    worse === 0
      ? 'no ratio is more than a quarter worse'
      : `ratios that are more than a quarter worse: ${worse}`,
  );
  return worse === 0 ? 0 : 1;
}

/** The figures of the last --write, by name. Empty before the first --write. */
function keptFigures() {
  const file = here('results.json');
  return new Map(
    existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).map((one) => [one.name, one]) : [],
  );
}

function write(measured) {
  const names = new Set(measured.map(({ name }) => name));
  const others = [...keptFigures().values()].filter(({ name }) => !names.has(name));
  const figures = [...measured, ...others];
  writeFileSync(here('results.json'), `${JSON.stringify(figures, undefined, 2)}\n`);
  const range = ({ low, high }) => (low === undefined ? '' : `${low} to ${high}`);
  const rows = figures.map((figure) => `| ${figure.name} | ${figure.ratio} | ${range(figure)} |`);
  const machine = `${type()} ${release()}, ${availableParallelism()} of ${cpus()[0].model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node.js ${process.version}`;
  writeFileSync(here('RESULTS.md'), `${heading(machine)}${rows.join('\n')}\n`);
}

function heading(machine) {
  return `# Benchmarks

Written by \`npm run bench -- --write\` on ${machine}. \`npm run bench\`
measures again, and fails if a ratio is more than a quarter worse.

A ratio compares two programs in the same run: the time of the first divided by the time of the second. Both run in
alternation (A B A B). The table shows the median of the pairs, and their quartiles. The comment at the top of each file
in this folder explains what it compares. For a throughput, a higher ratio is better; for all other rows, a lower ratio
is better.

| comparison | ratio | quartiles |
|---|---|---|
`;
}
