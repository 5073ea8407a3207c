// Runs all benchmarks and compares their ratios with bench/results.json. Fails if a ratio is more than a quarter worse.
// With --write, the new figures of a benchmark replace all its old ones, and bench/RESULTS.md is generated from them.
// Usage: node bench/run.mjs [--write] [benchmark ...]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isThroughput } from './goals.mjs';
import { writeReport } from './report.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const MAX_DEGRADATION = 1.25;
/** What is the same on each machine, or nearly. The processor time and memory of costs.mjs are not. */
const COMPARED = ['ratio', 'requests', 'bytes'];

const BENCHMARKS = [
  'startup',
  'build',
  'emergency',
  'list-load',
  'first-load',
  'tuf',
  'refresh',
  'lookup',
  'follow',
  'decide',
  'verify-action',
  'gateways',
  'gate',
  'costs',
  'wire',
  'website',
  'page-load',
  'log',
  'mirror',
];

/** The packages that are compared or that send requests. Those that are not dependencies name their versions themselves. */
const PEERS = ['autocannon', 'express', 'fastify', 'hono', '@hono/node-server', 'jose'];

const selected = process.argv.slice(2).filter((argument) => argument !== '--write');
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
try {
  const figures = (selected.length > 0 ? selected : BENCHMARKS).flatMap(figuresOf);
  if (process.argv.includes('--write')) write(figures);
  else process.exitCode = compareWithKept(figures);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a benchmark. Returns its figures. */
function figuresOf(by) {
  const file = join(folder, by);
  writeFileSync(file, '');
  const { status } = spawnSync(process.execPath, ['--expose-gc', here(`${by}.mjs`)], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_FIGURES: file },
  });
  if (status !== 0) throw new Error(`the benchmark ${by} failed`);
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => ({ by, ...JSON.parse(line) }));
}

function compareWithKept(figures) {
  const kept = keptFigures();
  let worse = 0;
  for (const figure of figures) {
    for (const member of COMPARED) {
      const [now, before] = [figure[member], kept.get(figure.name)?.[member]];
      if (now === undefined || before === undefined) continue;
      const degradation = isThroughput(figure.name) ? before / now : now / before;
      if (!(degradation > MAX_DEGRADATION)) continue;
      worse += 1;
      console.error(`WORSE ${figure.name}: ${member} ${now}, was ${before}`);
    }
  }
  console.error(
    worse === 0
      ? 'no ratio is more than a quarter worse'
      : `ratios that are more than a quarter worse: ${worse}`,
  );
  return worse === 0 ? 0 : 1;
}

/** The figures of the last --write, by name. */
function keptFigures() {
  const { figures } = JSON.parse(readFileSync(here('results.json'), 'utf8'));
  return new Map(figures.map((figure) => [figure.name, figure]));
}

/** Replaces all figures of the benchmarks that ran, so that none of a comparison that is no longer made remains. */
function write(measured) {
  const kept = keptFigures();
  const ran = new Set(measured.map(({ by }) => by));
  const others = [...kept.values()].filter(({ by }) => !ran.has(by));
  const found = measured.map((figure) => (figure.isMissing ? kept.get(figure.name) : figure));
  const order = ({ by }) => BENCHMARKS.indexOf(by);
  const figures = [...found, ...others]
    .filter((figure) => figure !== undefined)
    .sort((a, b) => order(a) - order(b));
  const machine = `${type()} ${release()}, ${availableParallelism()} of ${cpus()[0].model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node.js ${process.version}`;
  const results = { machine, peers: PEERS.map(withVersion).join(', '), figures };
  writeFileSync(here('results.json'), `${JSON.stringify(results, undefined, 2)}\n`);
  writeReport(results);
}

function withVersion(name) {
  const { version } = JSON.parse(readFileSync(here(`../node_modules/${name}/package.json`), 'utf8'));
  return `${name} ${version}`;
}
