import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Returns a folder in memory if there is one with enough space that allows programs to run, or the usual temporary
 * folder. A build flushes every file that it writes, which takes some milliseconds per file on a disk.
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

/** Begins with the small files that show the whole kit, and take longest. Vitest begins with the largest files. */
class KitFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const showsKit = ({ moduleId }: TestSpecification) => moduleId.includes('/conformance/roles/');
    return [...sorted.filter(showsKit), ...sorted.filter((file) => !showsKit(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests run the compiled packages, never the sources. Processes of the command line run the bundle.
    globalSetup: ['test/support/compile.ts', 'test/support/run-folder.ts', 'test/support/browser-service.ts'],
    env: {
      TMPDIR: process.env['TMPDIR'] ?? temporaryFolder(),
      XDG_STATE_HOME: '',
      // No setting of the machine, and no author: a test that needs one gives it.
      GIT_CONFIG_GLOBAL: join(import.meta.dirname, 'test/support/gitconfig'),
      GIT_CONFIG_NOSYSTEM: '1',
    },
    setupFiles: ['test/support/setup.ts'],
    // The command line runs in the process of the test and changes the current folder, which threads cannot do.
    pool: 'forks',
    // V8 optimises a function after six times as much work as usual. Most code of a test runs too seldom to repay it, and a
    // sixth of the processor time of the workers would go into it.
    execArgv: ['--interrupt-budget=400000'],
    // A process for each file would take a third of the time, to load the same modules again.
    isolate: false,
    // The compiled packages are loaded by Node.js, not transformed by Vite.
    server: { deps: { external: [/\/build\//] } },
    // Many tests start programs and flush files, which can take long on a busy machine. `run` has its own time limit.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // Most tests spend their time waiting for programs, hosts, browsers and deadlines.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: KitFirst },
    reporters: ['default', './test/support/summary.ts'],
  },
});
