// Runs test files in the copy, and finds the mutants that each file reaches.

import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The minimal time limit of a test file, and the limit of all work between files. */
const MIN_LIMIT_MS = 60_000;

const running = new Set();

/** Ends all tests, with the programs that they have started. */
export function stopTests() {
  for (const child of running) kill(child);
}

function kill({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has already ended.
  }
}

/**
 * Runs test files. Returns the duration of each file and the failures. A failure has a file, and a test or the time
 * limit.
 *
 * @param args - arguments of Vitest
 * @param limitOf - returns the time limit of a file. The files must run one after the other.
 */
function runTests(copy, { args, environment, limitOf }) {
  const temporary = mkdtempSync(join(copy, '../tmp-'));
  const child = fork(
    join(copy, 'node_modules/vitest/vitest.mjs'),
    ['run', '--config', 'test/mutants/vitest.config.ts', ...args],
    {
      cwd: copy,
      env: { ...process.env, ...environment, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // A process group, so that the time limit also ends the programs that the tests have started.
      detached: true,
    },
  );
  running.add(child);
  const [starts, durations, failures] = [new Map(), {}, []];
  let [errors, timer] = ['', undefined];
  const stopAfter = (milliseconds, file) => {
    clearTimeout(timer);
    if (limitOf === undefined) return;
    timer = setTimeout(() => {
      if (failures.length === 0) failures.push({ file, timeout: true });
      kill(child);
    }, milliseconds);
  };
  stopAfter(MIN_LIMIT_MS);
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  child.on('message', ({ file, state, failed }) => {
    if (failed !== undefined && !failures.some((one) => one.file === file))
      failures.push({ file, test: failed });
    if (failed !== undefined || state === 'ended') stopAfter(MIN_LIMIT_MS, file);
    if (state === 'started') {
      starts.set(file, Date.now());
      stopAfter(limitOf?.(file), file);
    } else if (state === 'ended') durations[file] = Date.now() - starts.get(file);
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      running.delete(child);
      rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
      if (code !== 0 && failures.length === 0) {
        const [file] = [...starts.keys()].slice(-1);
        // Before the first file has started, it is not the mutant that fails.
        if (file === undefined) return reject(new Error(`vitest exited with ${code}:\n${errors}`));
        failures.push({ file, test: 'an error outside of a test' });
      }
      resolve({ durations, failures });
    });
  });
}

/**
 * Runs all tests without a mutant. Returns the mutants that each test file reaches and the duration of the file. Leaves out
 * the test files that fail.
 */
export async function coverTests(copy, { tests, workers }) {
  const folder = mkdtempSync(join(copy, '../reached-'));
  const { durations, failures } = await runTests(copy, {
    args: [...tests, `--maxWorkers=${workers}`],
    environment: { MUTANTS_FOLDER: folder },
  });
  for (const { file = 'outside of a test file', test } of failures) {
    console.log(`fails without a mutant, is left out: ${file}: ${test}`);
    delete durations[file];
  }
  return Object.entries(durations).map(([file, milliseconds]) => {
    const record = join(folder, encodeURIComponent(join(copy, file)));
    const lines = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [];
    return { file, milliseconds, reached: [...new Set(lines.map(Number))].sort((a, b) => a - b) };
  });
}

/** The numbers of test files that run together. The first files kill most mutants. */
const BATCHES = [3, 10, ...Array(100).fill(30)];

/**
 * Runs the test files that reach a mutant until one fails. Tests of the same folder run first, then
 * those of the fewest mutants, which test little else.
 *
 * @param minutes - the remaining test files are left out after this time
 */
export async function testMutant(copy, mutant, { coverage, minutes }) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 100) / 10;
  const sameFolder = testFolder(mutant.file);
  const reaching = coverage
    .filter(({ reached }) => reached.includes(mutant.id))
    .map(({ file, milliseconds, reached }) => ({
      file,
      milliseconds,
      near: file.startsWith(sameFolder) ? 0 : 1,
      breadth: reached.length,
    }))
    .sort((a, b) => a.near - b.near || a.breadth - b.breadth);
  const limits = new Map(
    reaching.map(({ file, milliseconds }) => [file, Math.max(3 * milliseconds, MIN_LIMIT_MS)]),
  );
  let ran = 0;
  const outcome = (status, failure) => ({
    status,
    ...failure,
    seconds: seconds(),
    ran,
    reaching: limits.size,
  });
  if (limits.size === 0) return outcome('unreached');
  let left = [...limits.keys()];
  for (const size of BATCHES) {
    if (left.length === 0 || seconds() > 60 * minutes) break;
    const files = left.slice(0, size);
    left = left.slice(size);
    const { durations, failures } = await runTests(copy, {
      args: [...files, '--bail=1', '--maxWorkers=1'],
      environment: { MUTANT: `${mutant.id}` },
      limitOf: (file) => limits.get(file),
    });
    ran += Object.keys(durations).length;
    const [failure] = failures;
    if (failure !== undefined) return outcome(failure.timeout ? 'timeout' : 'killed', failure);
  }
  return outcome('survived');
}

/** Returns the folder with the tests of a compiled file: `test/verifier/log/` for `verifier/build/core/log/merkle.js`. */
function testFolder(file) {
  const [, top, folder = ''] = /^(?:build\/)?([^/]+)\/(?:build\/)?(?:core\/)?(?:([^/]+)\/)?/.exec(file);
  return `test/${top}/${folder}`;
}
