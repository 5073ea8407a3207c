import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * A build flushes every file that it writes, which takes a disk some milliseconds each. Where the system has a folder in memory with
 * room, and programs may be started from it, the tests work there.
 */
function temporaryFolder(): string {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    const script = join(mkdtempSync(join(memory, 'may-run-')), 'script');
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
    const mayRun = spawnSync(script).status === 0;
    rmSync(dirname(script), { recursive: true });
    return mayRun && bavail * bsize > 2 ** 31 ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests run the compiled packages, never the sources. Where a test starts the command line as a process, that is the bundle.
    globalSetup: 'test/support/compile.ts',
    env: { TMPDIR: process.env['TMPDIR'] ?? temporaryFolder() },
    setupFiles: 'test/support/property-seed.ts',
    // The command line runs in the process of its test, each time in another folder: threads cannot change theirs.
    pool: 'forks',
    // What ships is loaded as Node.js loads it.
    server: { deps: { external: [/\/build\//] } },
    // Many tests start programs and flush files, which a busy machine can make wait; `run` has a limit of its own.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // Most tests wait: for programs, hosts, browsers, deadlines.
    maxWorkers: 2 * availableParallelism(),
    reporters: ['default', './test/support/summary.ts'],
  },
});
