// Mutation tests: changes the compiled packages at random places, and lists the changes that no test notices.
//
//   node test/mutants/run.mjs --seed 8785 --count 200 --under verifier,passports,generator,custody,observers,cli [--tests test/verifier] [--out FILE]
//
//   --tests PATH,…   only test files with these names
//   --out FILE       one JSON line per mutant. The same command continues an interrupted run.
//   --only ID,…      only these mutants, again
//   --list           print the places and stop
//   --minutes N      per mutant: run no further test files after this time (default 15)
//   --workers N      the number of mutants, and of test files without a mutant, that run side by side (default 2)

import { createHash } from 'node:crypto';
import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compile, compiledFiles, copyCheckout, insertMutants, sourcePlace } from './copy.mjs';
import { drawPlaces, findPlaces } from './places.mjs';
import { coverTests, stopTests, testMutant } from './tests.mjs';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '8785' },
    count: { type: 'string', default: '200' },
    under: { type: 'string', default: 'verifier,passports,generator,custody,observers,cli' },
    tests: { type: 'string', default: '' },
    out: { type: 'string' },
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '15' },
    workers: { type: 'string', default: '2' },
  },
});
const { seed, count, under } = options;
const [tests, workers, minutes] = [listOf(options.tests), Number(options.workers), Number(options.minutes)];
const out = options.out ?? join(tmpdir(), `mutants-${seed}-${count}.jsonl`);

function listOf(text) {
  return text.split(',').filter((part) => part !== '');
}

const work = createWorkFolder();
process.once('exit', () => {
  stopTests();
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const [copy, maps] = [join(work, 'checkout'), join(work, 'maps')];
copyCheckout(CHECKOUT, copy);
compile(copy, maps);
const places = compiledFiles(copy, listOf(under)).flatMap((file) =>
  findPlaces(file, readFileSync(join(copy, file), 'utf8')),
);
const mutants = drawPlaces(places, Number(seed), Number(count)).map(describe);
if (options.list) for (const mutant of mutants) print(mutant);
else await runMutants();

/** Returns a folder in memory if possible, because tests write many files. */
function createWorkFolder() {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return mkdtempSync('/dev/shm/mutants-');
  } catch {
    return mkdtempSync(join(tmpdir(), 'mutants-'));
  }
}

/** Adds the place in the source and the line before and after the mutation. */
function describe(mutant) {
  const text = readFileSync(join(copy, mutant.file), 'utf8');
  const before = text.slice(0, mutant.from).split('\n').at(-1);
  const after = text.slice(mutant.from + mutant.original.length).split('\n')[0];
  const line = (code) => (before + code + after).replace(/\s+/g, ' ').trim();
  const { file, line: row, column } = sourcePlace(copy, maps, mutant);
  const place = `${file}:${row}:${column}`;
  return { ...mutant, place, diff: [line(mutant.original), line(mutant.mutated)] };
}

function print({ id, place, operator, diff: [from, to] }) {
  console.log(`${id} ${place} ${operator}\n  - ${from}\n  + ${to}`);
}

async function runMutants() {
  insertMutants(copy, mutants);
  const { coverage, results } = await prepareRun();
  const only = options.only && new Set(listOf(options.only).map(Number));
  const waiting = mutants.filter(({ id }) => (only ? only.has(id) : !results.has(id)));
  const runNext = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const { id, place, operator, original, mutated, file } = mutant;
      const outcome = await testMutant(copy, mutant, { coverage, minutes });
      const { file: testFile, test, ...rest } = outcome;
      const result = { id, place, operator, original, mutated, compiled: file, ...rest, testFile, test };
      results.set(id, result);
      appendFileSync(out, `${JSON.stringify(result)}\n`);
      console.log(`${id} ${rest.status} ${rest.seconds} s ${place} ${operator} ${testFile ?? ''}`);
    }
  };
  await Promise.all(Array.from({ length: workers }, runNext));
  report(results);
}

/** Returns what an earlier run has written to the output file, or begins a new file with the coverage. */
async function prepareRun() {
  const run = createHash('sha256')
    .update(JSON.stringify([mutants, tests, testSources()]))
    .digest('hex');
  if (!existsSync(out)) {
    console.log(`${mutants.length} of ${places.length} places. Running the tests without a mutant …`);
    const coverage = await coverTests(copy, { tests, workers });
    appendFileSync(out, `${JSON.stringify({ run, seed, count, under, tests, coverage })}\n`);
  }
  const [first, ...lines] = readFileSync(out, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  if (first.run !== run)
    throw new Error(`${out} has results of other mutants or tests. Choose another --out.`);
  return { coverage: first.coverage, results: new Map(lines.map((result) => [result.id, result])) };
}

function testSources() {
  const paths = readdirSync(join(copy, 'test'), { recursive: true, encoding: 'utf8' });
  return paths
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(copy, 'test', path), 'utf8'));
}

/** Prints the results by operator, and the mutants that no test has noticed. */
function report(results) {
  const statuses = ['killed', 'timeout', 'survived', 'unreached'];
  const shown = mutants.filter(({ id }) => results.has(id));
  const row = (name, cells) =>
    console.log(name.padEnd(18) + cells.map((cell) => `${cell}`.padStart(10)).join(''));
  const number = (operator, status) =>
    shown.filter(
      (one) => (operator ?? one.operator) === one.operator && results.get(one.id).status === status,
    ).length;
  console.log();
  row('operator', statuses);
  for (const operator of [...new Set(shown.map((one) => one.operator))].sort())
    row(
      operator,
      statuses.map((status) => number(operator, status)),
    );
  row(
    'all',
    statuses.map((status) => number(undefined, status)),
  );
  for (const status of ['survived', 'unreached']) {
    const listed = shown.filter(({ id }) => results.get(id).status === status);
    if (listed.length > 0) console.log(`\n${status}:`);
    for (const mutant of listed) print(mutant);
  }
  const partly = [...results.values()].filter(
    ({ status, ran, reaching }) => status === 'survived' && ran < reaching,
  );
  for (const { id, ran, reaching } of partly) console.log(`${id} ran only ${ran} of ${reaching} test files`);
  console.log(`\nResults: ${out}`);
}
