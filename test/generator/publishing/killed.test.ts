import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { entryBytes, isSameBytes, type LogHead } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { fractions } from '../../support/fast-check.js';
import { logEntries, logHead, problemsIn } from '../../support/log-files.js';
import { copyOf } from '../../support/made-once.js';
import { naiveLeaf, naiveRoot } from '../../support/merkle.js';
import { CLI } from '../../support/paths.js';
import { rounds } from '../../support/soak.js';
import {
  ageLock,
  cleanEnvironment,
  filesBelow,
  goodCli,
  keyedWorkspace,
  recordText,
  writeFiles,
} from '../../support/workspace.js';

/** In a usual run, one of each command: test/generator/publishing/journal.test.ts dies at every step, without a process. */
const KILLS = rounds({ usual: 5, soak: 500 });

/** What is killed. Each stops alpha, and runs again without harm. */
const COMMANDS: Record<string, readonly string[]> = {
  build: ['build', '--key', 'key.pem'],
  attach: ['attach', 'request', '--root-key', 'key.json'],
  checkpoint: ['checkpoint'],
  hold: ['hold', 'alpha'],
  load: ['load', 'newer', '--trust-anchor', 'key.json'],
};
const NAMES = Object.keys(COMMANDS);

/** A registry with a log, in which a suspension is not published yet, but in the folder `newer`. */
let made: string;
/** How long a build holds its lock, in milliseconds. The other commands take about as long. */
let buildMs: number;

beforeAll(async () => {
  made = await keyedWorkspace(
    Array.from({ length: 30 }, (_one, index) => `issuer-${index}`),
    'log',
    'online',
  );
  writeFiles(made, { 'issuers/alpha.yaml': recordText('alpha') });
  const log = { origin: 'registry.example/log', signer: { key: 'log.pem' } };
  writeFiles(made, {
    'registry.yaml': JSON.stringify({ log, checkpoint: { signer: { key: 'online.pem' } } }),
  });
  await goodCli(['build', '--key', 'key.pem'], made);
  writeFiles(made, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
  cpSync(join(made, 'dist'), join(made, 'newer'), { recursive: true });
  await goodCli(['build', '--key', 'key.pem', '--out', 'newer'], made);
  await goodCli(['build', '--unsigned', 'request', '--root-key', 'key.json'], made);
  await goodCli(['sign', 'request', '--key', 'key.pem', '--yes', '--memory', 'memory'], made);
  ({ heldMs: buildMs } = await killed(copyOf(made), 'build', Number.POSITIVE_INFINITY));
  expect(buildMs).toBeGreaterThan(0);
});

/**
 * Runs a command, and kills it some time after it has its lock: before that, it has done nothing. Returns how long it had the lock,
 * and every head that could be seen meanwhile.
 */
async function killed(folder: string, name: string, milliseconds: number) {
  const child = spawn(process.execPath, [CLI, ...(COMMANDS[name] ?? [])], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const seen: LogHead[] = [];
  const look = () => {
    // `load` moves the tree away before it moves the new one to its place.
    if (existsSync(join(folder, 'dist/log/checkpoint'))) seen.push(logHead(join(folder, 'dist')));
  };
  const lock = join(folder, '.dist.lock');
  let lockedAt = Number.POSITIVE_INFINITY;
  while (child.exitCode === null && performance.now() - lockedAt < milliseconds) {
    if (existsSync(lock)) lockedAt = Math.min(lockedAt, performance.now());
    look();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const heldMs = performance.now() - lockedAt;
  child.kill('SIGKILL');
  await ended;
  // Its lock counts as that of a dead process after 15 seconds.
  ageLock(join(folder, 'dist'));
  look();
  return { heldMs, seen };
}

describe('a command that is killed', () => {
  it.each(fractions(KILLS).map((moment, round) => [NAMES[round % NAMES.length] ?? '', moment] as const))(
    'leaves what the same command completes, and never forks the log (%s, %f)',
    async (name, moment) => {
      const folder = copyOf(made);
      const tree = join(folder, 'dist');
      const { seen } = await killed(folder, name, moment * buildMs);
      await goodCli([...(COMMANDS[name] ?? [])], folder);
      expect(await problemsIn(tree)).toEqual([]);
      expect(filesBelow(folder).filter((path) => /^\.dist\.(?!replaced)/.test(path))).toEqual([]);
      const leaves = (await logEntries(tree)).map((entry) => naiveLeaf(entryBytes(entry)));
      for (const { size, root } of [...seen, logHead(tree)])
        expect(isSameBytes(naiveRoot(leaves.slice(0, size)), root)).toBe(true);
      const isPublication = ['build', 'attach', 'load'].includes(name);
      const { status } = JSON.parse(readFileSync(join(tree, 'issuers/alpha'), 'utf8'));
      expect([leaves.length, status]).toEqual(isPublication ? [2, 'suspended'] : [1, 'active']);
      // A build after it has nothing to mend.
      await goodCli(['build', '--key', 'key.pem'], folder);
      expect(await problemsIn(tree)).toEqual([]);
      expect(await logEntries(tree)).toHaveLength(2);
      rmSync(folder, { recursive: true });
    },
  );
});
