// Runs the benchmarks, and compares their figures with the entries of RESULTS.md. Fails if one is more than a quarter worse. With
// --write, the figures replace the entries. Usage: node bench/run.mjs [--write] [benchmark ...]

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, type } from 'node:os';
import { fileURLToPath } from 'node:url';

const BENCHMARKS = ['build', 'log', 'load', 'decide', 'actions', 'middleware', 'startup', 'page'];
const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url));
const MAX_DEGRADATION = 1.25;

const shouldWrite = process.argv.includes('--write');
const selected = process.argv.slice(2).filter((argument) => argument !== '--write');
const figures = (selected.length > 0 ? selected : BENCHMARKS).flatMap(measure);
if (shouldWrite) write();
else process.exitCode = compareWithEntries();

/** Runs a benchmark. Returns its figures, from lines such as `name: 1.5 (1.4 to 1.6)`. */
function measure(benchmark) {
  const program = fileURLToPath(new URL(`${benchmark}.mjs`, import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, ['--expose-gc', program], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.stdout.write(stdout);
  if (status !== 0) throw new Error(`the benchmark ${benchmark} failed`);
  return [...stdout.matchAll(/^(.+): ([\d.]+)(?: \((.+)\))?$/gm)].map(([, name, value, quartiles = '']) => {
    return { name, value: Number(value), quartiles };
  });
}

/** The rows of the table: `| name | entry | quartiles | goal |`. */
function parseRow(line) {
  const [, name, entry, quartiles, goal] = line.split('|').map((cell) => cell.trim());
  return { name, entry: Number(entry), quartiles, goal };
}

function compareWithEntries() {
  const rows = new Map(
    readFileSync(RESULTS, 'utf8')
      .split('\n')
      .map((line) => [parseRow(line).name, parseRow(line)]),
  );
  const worse = figures.filter(({ name, value }) => {
    const { entry } = rows.get(name) ?? {};
    const degradation = name.startsWith('throughput') ? entry / value : value / entry;
    if (degradation > MAX_DEGRADATION) console.error(`WORSE ${name}: ${value}, was ${entry}`);
    return degradation > MAX_DEGRADATION;
  });
  console.error(`figures that are more than a quarter worse: ${worse.length}`);
  return worse.length === 0 ? 0 : 1;
}

function write() {
  const machine = `${type()}, ${availableParallelism()} of ${cpus()[0].model.trim()}, Node.js ${process.version}`;
  const lines = readFileSync(RESULTS, 'utf8')
    .split('\n')
    .map((line) => {
      const { name, goal } = parseRow(line);
      const figure = figures.find((one) => one.name === name);
      if (figure !== undefined) return `| ${name} | ${figure.value} | ${figure.quartiles} | ${goal} |`;
      return line.startsWith('Machine: ') ? `Machine: ${machine}.` : line;
    });
  writeFileSync(RESULTS, lines.join('\n'));
}
